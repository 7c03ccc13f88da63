import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Judgement } from "../../src/evidence/claim.ts";
import { openEngine } from "../../src/main/open-engine.ts";
import type { Ports } from "../../src/ports/ports.ts";
import { driveRun } from "../../src/runtime/drive-run.ts";
import type { Engine } from "../../src/runtime/engine.ts";
import { rebuildKnowledge } from "../../src/runtime/operations/rebuild-knowledge.ts";
import { replayRun } from "../../src/runtime/operations/replay-run.ts";
import { reportTakeovers } from "../../src/runtime/operations/report-runs.ts";
import { showAttempt } from "../../src/runtime/operations/show-attempt.ts";
import { startRun } from "../../src/runtime/operations/start-run.ts";
import { type ViewedRun, eventLine, viewRun } from "../../src/runtime/operations/view-run.ts";
import { eventsOf } from "../../src/runtime/read-log.ts";
import type { AttemptRecord } from "../../src/workflow/attempt-record.ts";
import type { AgentDefinition, Runner, Workflow } from "../../src/workflow/definition.ts";
import { cited, fact, lesson } from "../contracts/knowledge-store-lessons.ts";
import { HandDrivenRun, always, buildAgent, buildGate, buildWorkflow, go } from "./build-workflow.ts";

const NOTHING = { firstInput: null, input: null, inputBeforeChange: null, changes: null, reads: null };
const [pattern, gotcha] = [
  { id: "pattern-001", said: "0".repeat(16) },
  { id: "gotcha-001", said: "1".repeat(16) },
];

function recordWith(facts: readonly (typeof pattern)[]): AttemptRecord {
  const kept = { text: "0".repeat(64), bytes: 40, isCut: false };
  const prompt = { nonce: "0".repeat(32), sha256: kept.text, bytes: 40 };
  return { prompt, packet: { ...kept, estimatedTokens: 10, facts }, output: null, takeover: NOTHING };
}

describe("facts that a step was given", () => {
  const given = { record: recordWith([pattern]) };
  const agents = [buildAgent("One", { routes: { done: go("Two") } }), buildAgent("Two")];
  const helped = (run: HandDrivenRun) => run.history.filter(({ kind }) => kind === "facts-helped");
  const lie = { kind: "file", where: "work.created.0", says: "x", procedure: "", evidence: "" } as const;
  const judged = (verdict: Judgement["verdict"]): Judgement[] => [{ ...lie, verdict }];

  it("have helped when its work goes on as done, once", () => {
    const run = new HandDrivenRun(buildWorkflow(agents)).handIn({}, "main", given);
    expect(helped(run)).toEqual([{ kind: "facts-helped", task: "main", step: "s1", facts: [pattern] }]);
    run.handIn({ outcome: "done-with-warnings" }, "main", { record: recordWith([gotcha]) });
    expect(helped(run)).toHaveLength(2);
    expect(run.state.status).toBe("completed");
  });

  it("have not helped when it fails, waits, or goes back", () => {
    for (const outcome of ["failed", "blocked", "needs-fixes", "in-progress", "skipped", "needs-review"] as const)
      expect(helped(new HandDrivenRun(buildWorkflow(agents)).handIn({ outcome }, "main", given)), outcome).toEqual([]);
  });

  it("have not helped when a claim is refuted, even one that the workflow lets pass", () => {
    const lenient = agents.map((agent) => ({ ...agent, verify: null }));
    const run = new HandDrivenRun(buildWorkflow(lenient));
    expect(helped(run.handIn({}, "main", { ...given, judgements: judged("refuted") }))).toEqual([]);
    expect(run.started).toEqual(["Two"]);
    expect(helped(run.handIn({}, "main", { ...given, judgements: judged("confirmed") }))).toHaveLength(1);
  });

  it("have helped only when its gates have passed", () => {
    const gated = buildWorkflow([buildAgent("One", { gates: ["tests"] })], { gates: { tests: buildGate("tests") } });
    const end = { message: "", output: "", milliseconds: 1, figures: null, judgements: [] };
    for (const passed of [true, false]) {
      const run = new HandDrivenRun(gated).handIn({}, "main", given);
      expect(helped(run)).toEqual([]);
      run.tell({ kind: "report-gate", gateRun: "s1.1/tests/1", passed, ...end });
      expect(helped(run)).toHaveLength(passed ? 1 : 0);
    }
  });

  it("have not helped when a gate was against it, even if a person lets it go on", () => {
    const gates = { tests: buildGate("tests", { failed: { kind: "person" } }) };
    const run = new HandDrivenRun(buildWorkflow([buildAgent("One", { gates: ["tests"] })], { gates }));
    const end = { message: "", output: "", milliseconds: 1, figures: null, judgements: [] };
    run.handIn({}, "main", given).tell({ kind: "report-gate", gateRun: "s1.1/tests/1", passed: false, ...end });
    expect(run.answer("continue").state.status).toBe("completed");
    expect(helped(run)).toEqual([]);
  });

  it("are those of all attempts of the step that ended by themselves, each once", () => {
    const run = new HandDrivenRun(buildWorkflow(agents));
    run.end("crashed", "main", { record: recordWith([{ id: "decision-001", said: "2".repeat(16) }]) });
    run.fireNext().end("finished", "main", { record: recordWith([pattern, gotcha]) });
    run.handIn({}, "main", given);
    expect(run.last("facts-helped").facts).toEqual([pattern, gotcha]);
  });

  it("are nobody's when nothing was recorded, as in older logs", () => {
    const run = new HandDrivenRun(buildWorkflow(agents)).handIn({});
    expect(helped(run)).toEqual([]);
    expect(run.last("attempt-ended")).not.toHaveProperty("record");
  });
});

describe("a run with a client that tells of its work", () => {
  let room: string;
  let engine: Engine;
  beforeEach(() => {
    room = realpathSync(mkdtempSync(join(tmpdir(), "baton-takeover-")));
    execFileSync("git", ["init", "--quiet", room]);
    mkdirSync(join(room, "src"));
    for (const name of ["money", "other"]) writeFileSync(join(room, `src/${name}.ts`), "export {};\n");
    engine = openEngine(room);
  });
  afterEach(async () => {
    await engine.close();
    rmSync(room, { recursive: true, force: true });
  });

  const script = join(import.meta.dirname, "../agents/fixtures/takeover-claude.mjs");
  const claude: Runner = { kind: "claude", command: [process.execPath, script], options: {} };
  const context = { tokens: 2_000, complexity: "normal" } as const;

  function workflowOf(more: Partial<AgentDefinition> = {}, rest: Partial<Workflow> = {}): Workflow {
    const both = { runner: claude, dialect: "task-yaml", verify: null, context, ...more } as const;
    const agents = [buildAgent("One", { ...both, routes: { done: go("Two") } }), buildAgent("Two", both)];
    return buildWorkflow(agents, { learns: true, ...rest });
  }

  /** Two facts that are near to the work, and one that is not. */
  async function teach(): Promise<void> {
    const near = { tags: ["money"], citation: cited("src/money.ts", "export {};") };
    const facts = [fact("Money is counted in whole cents", near), fact("Money has a currency", near), fact("Be kind")];
    await engine.ports.knowledge.learn(lesson(1, facts));
  }

  async function drive(workflow: Workflow, ports: Ports = engine.ports): Promise<string> {
    const lease = await startRun(ports, { workflow, brief: "money", tasks: [], known: {} });
    await driveRun(ports, lease, { leaveParked: true });
    return lease.run;
  }

  async function look(run: string): Promise<ViewedRun> {
    return viewRun(engine.ports, run, (await engine.ports.log.run(run))?.workflow ?? "");
  }

  async function helpedBy(id: string): Promise<number | undefined> {
    return (await engine.ports.knowledge.find(id))?.helped;
  }

  it("shows what taking over cost each attempt, and counts what helped once", async () => {
    await teach();
    const run = await drive(workflowOf());
    const { view, entries } = await look(run);
    expect(view.status).toBe("completed");
    const [first] = view.takeovers;
    expect(first).toMatchObject({
      step: "s1",
      agent: "One",
      first_input_tokens: 1100,
      input_tokens: 4900,
      input_tokens_before_change: 1100 + 1200 + 1300,
      changes: 1,
      files_read: { named: ["src/money.ts"], unnamed: ["src/other.ts"], more: 0, elsewhere: 0 },
    });
    expect(first?.packet?.facts).toEqual(expect.arrayContaining(["pattern-001", "pattern-002"]));
    expect(first?.packet?.estimated_tokens).toBeGreaterThan((first?.packet?.bytes ?? 0) / 6);
    expect([await helpedBy("pattern-001"), await helpedBy("pattern-003")]).toEqual([2, 0]);

    // What is kept is what the agent was given, and what it said.
    const { log } = engine.ports;
    const { prompt, prompt_is_exact } = await showAttempt(engine.ports, run, first?.attempt ?? "");
    expect(prompt_is_exact).toBe(true);
    const packet = (await log.text(first?.packet?.text ?? "")) ?? "";
    expect(prompt).toContain("Money is counted in whole cents");
    expect(packet).toContain("Money is counted in whole cents");
    expect(Buffer.byteLength(prompt ?? "")).toBe(first?.prompt.bytes);
    expect(await log.text(first?.output?.text ?? "")).toContain("outcome: completed");

    const told = eventsOf(entries).flatMap((event) => eventLine(event)?.text ?? []);
    expect(told.filter((text) => text.startsWith("attempt s1"))[0]).toMatch(
      /was given about \d+ tokens \(estimated\), sent 3600 tokens until its first change/,
    );
    expect(await reportTakeovers(engine.ports, null, 0)).toMatchObject([
      { agent: "One", attempts: 1, packets: 1, input_tokens_before_change: { sum: 3600, known: 1 } },
      { agent: "Two", attempts: 1 },
    ]);

    // The same log decides the same, and learning it again counts nothing twice.
    const { workflow } = await look(run);
    expect(replayRun(workflow, entries).every(({ isSame }) => isSame)).toBe(true);
    await rebuildKnowledge(engine.ports);
    expect(await helpedBy("pattern-001")).toBe(2);
  });

  it("keeps no secret that stood in a prompt or was said", async () => {
    const token = `ghp_${"a1B2c3D4e5".repeat(4)}`;
    const run = await drive(workflowOf({ prompt: `SECRET: ${token}` }));
    const { view } = await look(run);
    const shown = await Promise.all(view.takeovers.map(({ attempt }) => showAttempt(engine.ports, run, attempt)));
    const texts = shown.flatMap(({ prompt, output }) => [prompt, output]);
    expect(shown.map(({ prompt_is_exact }) => prompt_is_exact)).toEqual([true, true]);
    expect(texts.every((text) => text !== null && !text.includes(token))).toBe(true);
    expect(texts.some((text) => text?.includes("SECRET: "))).toBe(true);
    expect(texts.some((text) => text?.includes("I was told "))).toBe(true);
  });

  it("leaves unknown what a command does not tell", async () => {
    const handoff = "outcome: completed\nfiles_created:\n  - path: a\n    purpose: b\n    lines: 1-1";
    const print = `console.log("## Handoff\\n\\n\`\`\`yaml\\n" + ${JSON.stringify(handoff)} + "\\n\`\`\`")`;
    const runner = { kind: "process", command: [process.execPath, "-e", print], prompt: "file" } as const;
    const plain: Runner = { ...runner, environment: {}, inherit: [] };
    await teach();
    const { view } = await look(await drive(workflowOf({ runner: plain })));
    expect(view.status).toBe("completed");
    const unknown = { first_input_tokens: null, input_tokens: null, input_tokens_before_change: null };
    for (const takeover of view.takeovers)
      expect(takeover).toMatchObject({ ...unknown, changes: null, files_read: null });
    expect(view.takeovers[0]?.packet?.facts).toContain("pattern-001");
  });

  it("mends after a crash what was decided and not learned: what is trusted, and what helped", async () => {
    await teach();
    const { knowledge } = engine.ports;
    const dying = new Proxy(knowledge, {
      get(store, name) {
        if (name === "trust" || name === "countHelp") return () => Promise.reject(new Error("it died here"));
        const own: unknown = Reflect.get(store, name);
        return typeof own === "function" ? (own.bind(store) as unknown) : own;
      },
    });
    const gates = { known: buildGate("known", { command: [] }) };
    const asking = workflowOf({ gates: ["known"] }, { gates, mode: "semi" });
    const [one, two] = [asking.agents["One"], asking.agents["Two"]];
    if (one === undefined || two === undefined) throw new Error("the workflow has lost its agents");
    const workflow = { ...asking, agents: { One: one, Two: { ...two, approve: "before" as const } } };
    const run = await drive(workflow, Object.create(engine.ports, { knowledge: { value: dying } }) as Ports);
    const learned = async () => (await knowledge.search({ text: "Rounding happens once", max: 1 }))[0]?.fact.status;
    expect([await learned(), await helpedBy("pattern-001")]).toEqual(["quarantined", 0]);

    for (let time = 0; time < 2; time++) {
      const now = engine.ports.clock.now();
      const lease = await engine.ports.log.acquire(run, "another", now, now + 15_000);
      if (lease === null) throw new Error("somebody else drives it");
      await driveRun(engine.ports, lease, { leaveParked: true });
      expect([await learned(), await helpedBy("pattern-001")]).toEqual(["trusted", 1]);
    }
  });
});

it("a step that ends the run by itself credits what it was given", () => {
  const run = new HandDrivenRun(buildWorkflow([buildAgent("One", { routes: { done: always({ kind: "return" }) } })]));
  run.handIn({}, "main", { record: recordWith([pattern]) });
  expect(run.history.filter(({ kind }) => kind === "facts-helped")).toHaveLength(1);
});
