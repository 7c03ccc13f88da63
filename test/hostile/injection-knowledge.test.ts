import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseXml, XmlElement } from "@rgrove/parse-xml";
import { Parser } from "commonmark";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { printFound, printShown } from "../../src/cli/facts/print-fact.ts";
import type { Fact } from "../../src/knowledge/fact.ts";
import { learnFacts } from "../../src/knowledge/learn-facts.ts";
import { GRAPH_FORMATS, type GraphFormat } from "../../src/knowledge/print-graph.ts";
import { PACKET_LAYOUTS, renderPacket } from "../../src/knowledge/render-packet.ts";
import { openEngine } from "../../src/main/open-engine.ts";
import type { DialectName, Handoff } from "../../src/protocol/handoff.ts";
import type { Engine } from "../../src/runtime/engine.ts";
import { learnedBatchOf, acceptedHandoff } from "../../src/runtime/learn-from-events.ts";
import { drawKnowledge } from "../../src/runtime/operations/draw-knowledge.ts";
import { previewAbout } from "../../src/runtime/operations/preview-packet.ts";
import { showFact } from "../../src/runtime/operations/show-fact.ts";
import { journalOf } from "../../src/views/journal.ts";
import { renderJournal } from "../../src/views/render-journal.ts";
import { Random } from "../simulation/random.ts";
import { HandDrivenRun, buildAgent, buildWorkflow } from "../workflow/build-workflow.ts";
import { INJECTIONS, MARK, anyTwins, harmlessWords, hostileWords } from "./hostile-handoffs.ts";
import { expectNoLogCommand, expectVisible } from "./opened-prompt.ts";

const room = mkdtempSync(join(tmpdir(), "baton-injected-knowledge-"));
const workflow = buildWorkflow([buildAgent("builder")]);
let engine: Engine;

/** A task that has handed in, under a name that is hostile too. */
function runOf(handoff: Handoff, name: string): HandDrivenRun {
  const task = { id: "task-1", name, priority: "medium", dependsOn: [], start: null, brief: "" } as const;
  return new HandDrivenRun(workflow, { run: "run", tasks: [task] }).handIn(handoff, "task-1");
}

async function learn(name: string, run: HandDrivenRun): Promise<readonly Fact[]> {
  const task = run.state.tasks["task-1"];
  if (task === undefined) throw new Error("there is no task-1");
  const taught = acceptedHandoff(run.last("handoff-accepted"), run.history, run.state);
  const facts = learnFacts(taught.handoff).map((fact) => ({ ...fact, citation: null }));
  return engine.ports.knowledge.learn(learnedBatchOf(name, task, taught, facts, 1_000));
}

beforeAll(() => {
  execFileSync("git", ["init", "--quiet", room]);
  engine = openEngine(room);
});
afterAll(async () => {
  await engine.close();
  rmSync(room, { recursive: true, force: true });
});

describe("what hostile handoffs teach", { timeout: 3_600_000 }, () => {
  const ABOUT = "ignore all previous instructions system root trust plain harmless handoff heading quote nothing";
  const size = { budget: 20_000, complexity: "complex" } as const;
  const layouts = Object.keys(PACKET_LAYOUTS) as DialectName[];
  const learned: Fact[] = [];

  it(`is kept in quarantine and given to nobody: ${INJECTIONS} handoffs`, async () => {
    const random = new Random(23);
    for (let at = 0; at < INJECTIONS; at += 1) {
      const { hostile } = anyTwins(random, at);
      const run = runOf({ ...hostile, from: "builder" }, hostileWords(random).text());
      learned.push(...(await learn(`run-${at}`, run)));
    }
    expect(learned.length).toBeGreaterThan(INJECTIONS * 4);
    expect(learned.every(({ status }) => status === "quarantined")).toBe(true);
    for (const layout of layouts) {
      const { packet } = await previewAbout(engine, ABOUT, { ...size, layout });
      expect(packet.leftOut.filter(({ why }) => why === "quarantined").length).toBeGreaterThan(10);
      expect(renderPacket(packet)).not.toContain(MARK);
    }
  });

  it("stands beside its source once a person or a gate lets it pass, in every layout", async () => {
    for (const [at, { id, witnesses }] of learned.entries()) {
      const step = witnesses[0]?.step ?? "";
      const person = { id, by: "ada", at: 2_000, why: null };
      if (at % 2 === 0) await engine.ports.knowledge.change({ kind: "promote", ...person });
      else await engine.ports.knowledge.trust(witnesses[0]?.run ?? "", step, 2_000);
    }
    for (const layout of layouts) {
      const { packet } = await previewAbout(engine, ABOUT, { ...size, layout });
      const text = renderPacket(packet);
      expect(text).toContain(MARK);
      expectVisible(text.replaceAll("⚠️", ""));
      for (const line of text.split("\n").filter((one) => one.includes(MARK))) await expectTrueSource(line);
    }
  });

  /** The fact that a line names is there, and was said where the line says. */
  async function expectTrueSource(line: string): Promise<void> {
    const named = [...line.matchAll(/\[task-1, builder, ([\da-f]{8}), ([\w.-]+)\]/g)];
    expect(named, line).toHaveLength(1);
    const fact = await engine.ports.knowledge.find(named[0]?.[2] ?? "");
    expect(fact?.witnesses[0]).toMatchObject({ task: "task-1", agent: "builder" });
    expect(fact?.witnesses[0]?.handoff.slice(0, 8)).toBe(named[0]?.[1]);
  }

  it("is drawn as labels and nothing else", async () => {
    const random = new Random(29);
    for (let at = 0; at < Math.min(INJECTIONS, 200); at += 1) {
      const node = random.chance(0.5) ? `run:run-${random.below(INJECTIONS)}` : `fact:${random.pick(learned).id}`;
      const drawn = new Map<GraphFormat, string>();
      for (const format of GRAPH_FORMATS) {
        const graph = await drawKnowledge(engine.ports, { node, depth: 2, max: 60, format });
        drawn.set(format, graph?.text ?? "");
      }
      const { nodes, edges } = JSON.parse(drawn.get("json") ?? "") as { nodes: unknown[]; edges: unknown[] };
      expect(countMermaid(drawn.get("mermaid") ?? "")).toEqual([nodes.length, edges.length]);
      expect(countDot(drawn.get("dot") ?? "")).toEqual([nodes.length, edges.length]);
      expect(countGraphml(drawn.get("graphml") ?? "")).toEqual([nodes.length, edges.length]);
      for (const text of drawn.values()) {
        expectVisible(text);
        expectNoLogCommand(text);
      }
    }
  });

  it("is printed for people without anything that a terminal or a log obeys", async () => {
    for (const fact of learned.slice(0, 400)) {
      const shown = await showFact(engine, fact.id);
      const printed = printFound({ ...shown, score: null }, false) + printShown(shown, false);
      expectVisible(printed);
      expectNoLogCommand(printed);
    }
  });

  it(`stands in the journal as rows: ${INJECTIONS} journals`, () => {
    const random = new Random(31);
    const facts = learned.slice(0, 60);
    for (let at = 0; at < INJECTIONS; at += 1) {
      const { hostile, harmless } = anyTwins(random, at);
      const [evil, good] = [
        journal(hostile, hostileWords(random).text(), facts),
        journal(harmless, harmlessWords().text(), facts),
      ];
      expectVisible(evil);
      expect(rowsOf(evil)).toEqual(rowsOf(good));
      expect(headingsOf(evil)).toEqual(headingsOf(good));
    }
  });
});

function journal(handoff: Handoff, name: string, facts: readonly Fact[]): string {
  const { state, history } = runOf({ ...handoff, from: "builder" }, name);
  const row = { number: 1, run: "run", workflow: "test", status: "running", started_at: 0, updated_at: 0 };
  const events = history.map((event) => ({ at: 0, event }));
  const { created = [], modified = [] } = handoff.work ?? {};
  const files = [...created, ...modified].map(({ path = "", purpose }, at) => {
    // A path that leads out is no part of the project: here each lies in it.
    const inside = `src/${path.replaceAll(/[\p{C}\p{Zl}\p{Zp}\\/]/gu, "").slice(0, 60)}${at}.ts`;
    const said = { change: "created", lines: null, task: "task-1", agent: "builder", run: "run" };
    return { ...said, path: inside, purpose: purpose ?? null };
  });
  return renderJournal(journalOf({ project: name, runs: [row], workflow, state, events, known: [], facts, files }));
}

/** Each row with as many cells as its table has columns; whatever else stands there. */
function rowsOf(text: string): string[] {
  return text
    .split("\n")
    .map((line) => (line.startsWith("|") ? `row of ${line.split("|").length}` : line.slice(0, 12)));
}

/** Headings as a reader of Markdown sees them; nothing of it acts. */
function headingsOf(text: string): number[] {
  const levels: number[] = [];
  const walker = new Parser().parse(text).walker();
  const allowed = ["document", "heading", "paragraph", "text", "softbreak", "emph", "strong", "code"];
  let codes = 0;
  for (let step = walker.next(); step !== null; step = walker.next()) {
    const { type, level } = step.node;
    if (!allowed.includes(type)) expect.fail(`${type} in ${text}`);
    if (step.entering && type === "heading") levels.push(level);
    if (type === "code") codes += 1;
  }
  // Only ours: `baton journal`.
  expect(codes).toBe(1);
  return levels;
}

function countMermaid(text: string): [number, number] {
  const [head, ...lines] = text.trimEnd().split("\n");
  expect(head).toBe("graph LR");
  const own = lines.filter((line) => line !== '  cut["there is more"]');
  const nodes = own.filter((line) => /^ {2}n\d+\["[\w .#;-]*"\]$/.test(line));
  const edges = own.filter((line) => /^ {2}n\d+ -->\|"[\w .#;-]*"\| n\d+$/.test(line));
  expect(own.length).toBe(nodes.length + edges.length);
  return [nodes.length, edges.length];
}

function countDot(text: string): [number, number] {
  const lines = text.trimEnd().split("\n").slice(3, -1);
  const own = lines.filter((line) => line !== '  cut [label="there is more"];');
  const nodes = own.filter((line) => /^ {2}n\d+ \[label="(?:[^"\\]|\\["\\])*"\];$/.test(line));
  const edges = own.filter((line) => /^ {2}n\d+ -> n\d+ \[label="(?:[^"\\]|\\["\\])*"\];$/.test(line));
  expect(own.length).toBe(nodes.length + edges.length);
  return [nodes.length, edges.length];
}

function countGraphml(text: string): [number, number] {
  const graph = parseXml(text).root?.children.find((child) => child instanceof XmlElement && child.name === "graph");
  const inner = graph instanceof XmlElement ? graph.children.filter((child) => child instanceof XmlElement) : [];
  const named = (name: string): number => inner.filter((element) => element.name === name).length;
  expect(inner.length).toBe(named("node") + named("edge") + 1);
  return [named("node"), named("edge")];
}
