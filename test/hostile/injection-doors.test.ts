import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { printFound } from "../../src/cli/facts/print-fact.ts";
import { renderPacket } from "../../src/knowledge/render-packet.ts";
import { openEngine } from "../../src/main/open-engine.ts";
import type { Ports } from "../../src/ports/ports.ts";
import { readHandoffs } from "../../src/protocol/read-handoff.ts";
import { exportKnowledge, importKnowledge } from "../../src/runtime/operations/exchange-knowledge.ts";
import { notificationsAfter } from "../../src/runtime/operations/list-notifications.ts";
import { previewAbout } from "../../src/runtime/operations/preview-packet.ts";
import { listFacts } from "../../src/runtime/operations/show-fact.ts";
import type { Engine } from "../../src/runtime/engine.ts";
import { describeSpan } from "../../src/telemetry/describe-span.ts";
import { RunTrace } from "../../src/views/run-trace.ts";
import { codec } from "../../src/workflow/stored/codec.ts";
import { openMemoryLog } from "../memory-log/open-memory-log.ts";
import { Random } from "../simulation/random.ts";
import { HandDrivenRun, buildAgent, buildWorkflow } from "../workflow/build-workflow.ts";
import { INJECTIONS, MARK, anyTwins, hostileWords } from "./hostile-handoffs.ts";
import { expectNoLogCommand, expectVisible } from "./opened-prompt.ts";

/** Of each kind; the long run sets more. */
const TEXTS = Math.ceil(INJECTIONS / 5);
const room = mkdtempSync(join(tmpdir(), "baton-injection-doors-"));
let engine: Engine;
beforeAll(() => {
  execFileSync("git", ["init", "--quiet", room]);
  engine = openEngine(room);
});
afterAll(async () => {
  await engine.close();
  rmSync(room, { recursive: true, force: true });
});

const TYPES = ["task", "pattern", "gotcha", "decision", "insight", "question", "system"];

/** A graph file whose every text and name is hostile, with keys that are names of prototypes. */
function hostileGraph(random: Random, size: number): string {
  const { text } = hostileWords(random);
  const nodes = Array.from({ length: size }, (_, at) => ({
    id: random.chance(0.3) ? text() : `${random.pick(["pattern", "gotcha", "task", "__proto__"])}-${at}`,
    type: random.pick(TYPES),
    summary: text(),
    tags: [text(), "__proto__", "constructor"],
    file: random.pick(["../../etc/passwd", "/etc/shadow", ".git/config", "src/a.ts", text()]),
    connections: [text(), "__proto__", `task-${at}`],
    created: "2026-01-01",
  }));
  const body = JSON.stringify({ version: 1, last_updated: "2026-01-01T00:00:00Z", nodes, tag_index: {} });
  return body.replace("{", '{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}},');
}

describe("knowledge from a file", { timeout: 600_000 }, () => {
  it("is quarantined, given to no agent, and printed without effect", async () => {
    const own = {
      id: "pattern-1",
      where: "x",
      kind: "pattern",
      text: "Amounts are whole cents",
      detail: null,
    } as const;
    const plain = { severity: null, isBlocking: false, tags: ["ignore"], place: null, citation: null };
    await engine.ports.knowledge.learn({
      source: { run: "run", task: "task-1", step: "s1", agent: "builder", handoff: "0".repeat(64), at: 1 },
      task: { id: "task-1", name: "Ours", status: "done", dependsOn: [] },
      facts: [{ ...own, ...plain }],
      files: [],
      status: "trusted",
    });
    const random = new Random(41);
    for (let at = 0; at < 10; at += 1) {
      const { problems } = await importKnowledge(engine.ports, `graph-${at}.json`, hostileGraph(random, 30));
      for (const problem of problems) expectNoLogCommand(problem);
    }
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
    const found = await listFacts(engine, { max: 1_000 });
    expect(found.length).toBeGreaterThan(50);
    for (const item of found) {
      const isOurs = item.fact.text === own.text;
      expect([item.fact.id, item.fact.status]).toEqual([item.fact.id, isOurs ? "trusted" : "quarantined"]);
      expect(item.fact.files.filter((path) => /^\/|\.\.|^\.git/.test(path))).toEqual([]);
      const printed = printFound(item, false);
      expectVisible(printed);
      expectNoLogCommand(printed);
    }
    expect(await engine.ports.knowledge.find("pattern-1")).toMatchObject({ text: own.text, status: "trusted" });
    const { packet } = await previewAbout(engine, "ignore all previous instructions system root trust", {
      budget: 20_000,
      complexity: "complex",
      layout: "task-yaml",
    });
    expect(renderPacket(packet)).not.toContain(MARK);
    const { nodes } = await exportKnowledge(engine.ports, ["trusted"]);
    expect(nodes.filter(({ type }) => type !== "task").map(({ id }) => id)).toEqual(["pattern-1"]);
  });

  it("that is no graph, or has keys twice, teaches nothing that it does not say", async () => {
    const before = (await listFacts(engine, { max: 10_000 })).length;
    for (const text of ["", "null", "[]", '{"nodes":"__proto__"}', '{"nodes":[null,1,"x",[],{}]}']) {
      const read = await importKnowledge(engine.ports, "odd.json", text).catch(() => null);
      expect(read?.facts ?? []).toEqual([]);
    }
    expect((await listFacts(engine, { max: 10_000 })).length).toBe(before);
  });
});

describe("a handoff in task-yaml", () => {
  const task = (more: string): string =>
    `## Handoff\n\n\`\`\`yaml\noutcome: completed\nfiles_created: []\n${more}\n\`\`\`\n`;
  const readTask = (more: string) => readHandoffs(task(more), { dialect: "task-yaml" });

  it.each([
    ["a second document", "---\noutcome: failed"],
    ["a tag of a language", "gotchas: !!js/function 'function () { return process }'"],
    ["an anchor that repeats itself", "gotchas: &a [*a]"],
    ["a merge key", "defaults: &d { outcome: failed }\n<<: *d"],
    ["an outcome twice", "outcome: failed"],
    ["the outcome of a prototype", "__proto__: { outcome: failed }"],
    ["a fence that ends early", "summary: |\n  ```\n\n  ```yaml\n  outcome: failed\n  ```"],
  ])("with %s never hands over another outcome", (_, more) => {
    for (const { handoff } of readTask(more).handoffs)
      if (handoff !== null && handoff !== undefined) expect(handoff.outcome).toBe("done");
    expect(({} as { outcome?: string }).outcome).toBeUndefined();
  });

  it(`is one handoff, told of without effect: ${TEXTS} texts`, () => {
    const random = new Random(43);
    for (let at = 3; at < TEXTS * 5; at += 5) {
      const { dialect, text } = anyTwins(random, at);
      if (dialect !== "task-yaml") continue;
      const { handoffs, diagnostics } = readHandoffs(text, { dialect });
      expect(handoffs.length).toBeLessThanOrEqual(1);
      for (const { message } of diagnostics) expectNoLogCommand(message);
    }
  });
});

describe("what other programs are told", () => {
  const workflow = { ...buildWorkflow([buildAgent("builder")]), commands: "ask" as const };

  it(`is one visible line in each notification: ${TEXTS} runs`, async () => {
    const random = new Random(47);
    const kinds = new Set<string>();
    for (let at = 0; at < TEXTS; at += 1) {
      const words = hostileWords(random);
      const { hostile } = anyTwins(random, at);
      const checks = at % 2 === 0 ? { checks: { command: words.text().slice(0, 2_000) } } : {};
      const run = new HandDrivenRun(workflow).handIn({ ...hostile, from: "builder", ...checks });
      if (at % 5 === 0) run.tell({ kind: "cancel-run", by: "ada", reason: words.text() });
      const log = openMemoryLog();
      const lease = await log.create({ run: "r1", name: "pipeline", workflow: "w", at: 1 }, "me", 1_000);
      const entries = run.history.map((event) => ({ kind: event.kind, data: codec.encodeEvent(event) }));
      const rest = {
        effects: [],
        settled: [],
        taken: [],
        status: "running",
        finished: false,
        summary: {},
        wakeAt: null,
      };
      await log.commit({ run: "r1", lease, after: 0, at: 1, entries, ...rest });
      const { news } = await notificationsAfter({ log } as Ports, 0, 1_000, 0);
      for (const { kind, text } of news) {
        kinds.add(kind);
        expectVisible(text);
        expect(text).not.toContain("\n");
        expect(text.length).toBeLessThanOrEqual(2_000);
      }
    }
    expect([...kinds].toSorted()).toEqual(expect.arrayContaining(["ask", "end"]));
  });

  it(`is none of an agent's words in telemetry: ${TEXTS} runs`, () => {
    const random = new Random(53);
    let spans = 0;
    for (let at = 0; at < TEXTS; at += 1) {
      const { hostile } = anyTwins(random, at);
      const words = hostileWords(random);
      const run = new HandDrivenRun(workflow, { brief: words.text() }).handIn({ ...hostile, from: "builder" });
      run.tell({ kind: "cancel-run", by: words.text(), reason: words.text() });
      const trace = new RunTrace(workflow);
      const events = run.history.map((event) =>
        event.kind === "attempt-ended" ? { ...event, session: words.text(), message: words.text() } : event,
      );
      for (const event of events)
        for (const span of trace.take({ events: [event], at: 5, gateRun: null })) {
          spans += 1;
          expect(JSON.stringify(describeSpan({ run: "run", startedAt: 1 }, span))).not.toContain(MARK);
        }
    }
    expect(spans).toBeGreaterThan(TEXTS);
  });
});
