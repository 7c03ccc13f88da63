import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { FACT_KINDS, type FactStatus } from "../../src/knowledge/fact.ts";
import type { GraphFile, KnowledgeNode } from "../../src/knowledge/graph-file.ts";
import { learnStatement } from "../../src/knowledge/learn-facts.ts";
import type { KnowledgeStore, LearnedBatch } from "../../src/ports/knowledge-store.ts";
import type { Ports } from "../../src/ports/ports.ts";
import { exportKnowledge, importKnowledge } from "../../src/runtime/operations/exchange-knowledge.ts";
import { openKnowledgeStore } from "../../src/stores/knowledge/open-knowledge-store.ts";

const room = mkdtempSync(join(tmpdir(), "baton-exchange-"));
afterAll(() => rmSync(room, { recursive: true, force: true }));

const ALL: readonly FactStatus[] = ["trusted", "quarantined", "retired"];
const DAY = 86_400_000;
let stores = 0;

async function withStore<T>(work: (knowledge: KnowledgeStore, ports: Ports) => Promise<T>): Promise<T> {
  const knowledge = openKnowledgeStore(join(room, `${stores++}.db`));
  const ports = { knowledge, redact: (text: string) => text, clock: { now: () => 90 * DAY, id: () => "id" } };
  try {
    return await work(knowledge, ports as unknown as Ports);
  } finally {
    await knowledge.close();
  }
}

interface Told {
  readonly run: string;
  readonly task: string;
  readonly day: number;
  readonly facts: readonly { readonly kind: number; readonly text: string; readonly tag: string }[];
  readonly isTrusted: boolean;
}

function lessonOf({ run, task, day, facts, isTrusted }: Told, number: number): LearnedBatch {
  const dependsOn = task === "task-1" ? [] : ["task-1"];
  return {
    source: { run, task, step: `s${number}`, agent: "builder", handoff: String(number).repeat(64), at: day * DAY + 5 },
    task: { id: task, name: task === "nameless" ? "" : `Build ${task}`, status: "done", dependsOn },
    facts: facts.flatMap(({ kind, text, tag }, at) => {
      const said = { kind: FACT_KINDS[kind] ?? "pattern", text, tags: [tag], location: "src/a.ts" };
      return learnStatement({ ...said, where: `facts.${at}` }).map((learned) => ({ ...learned, citation: null }));
    }),
    files: [],
    status: isTrusted ? "trusted" : "quarantined",
  };
}

const someWords = fc
  .array(fc.constantFrom("token", "expires", "never", "cache", "über", "🔑", "x".repeat(60)), { minLength: 1 })
  .map((words) => words.join(" "));
const told: fc.Arbitrary<Told> = fc.record({
  run: fc.constantFrom("4f2a", "9c11", "import:docs/old graph.json"),
  task: fc.constantFrom("task-1", "1", "2.1", "nameless"),
  day: fc.integer({ min: 1, max: 40 }),
  facts: fc.array(
    fc.record({
      kind: fc.nat(FACT_KINDS.length - 1),
      text: someWords,
      tag: fc.constantFrom("auth", "Money Box", "db"),
    }),
    { maxLength: 4 },
  ),
  isTrusted: fc.boolean(),
});

async function learnAll(knowledge: KnowledgeStore, lessons: readonly Told[]): Promise<void> {
  for (const [number, lesson] of lessons.entries()) await knowledge.learn(lessonOf(lesson, number));
}

/** Everything that a store can tell. */
async function wholeOf(knowledge: KnowledgeStore): Promise<object> {
  const facts = await knowledge.page(null, 1_000);
  const histories = await Promise.all(facts.map(({ id }) => knowledge.history(id)));
  return { facts, histories, tasks: await knowledge.tasks({ max: 1_000 }), totals: await knowledge.totals() };
}

const asText = (graph: GraphFile): string => JSON.stringify(graph);

/** In no order. A file is one witness: of the tasks that said a fact, the first one is told. */
function nodesOf({ nodes }: GraphFile): KnowledgeNode[] {
  return nodes
    .map((node) => ({ ...node, connections: (node.connections ?? []).slice(0, 1) }))
    .sort((left, right) => (left.id < right.id ? -1 : 1));
}

describe("our own export", () => {
  it("changes nothing where it was written", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(told, { minLength: 1, maxLength: 8 }), (lessons) =>
        withStore(async (knowledge, ports) => {
          await learnAll(knowledge, lessons);
          const before = await wholeOf(knowledge);
          const graph = await exportKnowledge(ports, ALL);
          const imported = await importKnowledge(ports, "graph.json", asText(graph));
          const known = { tasks: graph.nodes.filter(({ type }) => type === "task").length };
          expect(imported).toMatchObject({ tasks: 0, facts: [], known, problems: [] });
          expect(await wholeOf(knowledge)).toEqual(before);
        }),
      ),
      { numRuns: 60 },
    );
  });

  it("is the same again when it was taken in where nothing was known, and once is enough", async () => {
    const short = told.filter(({ facts }) => facts.every(({ text }) => text.length <= 100));
    await fc.assert(
      fc.asyncProperty(fc.array(short, { minLength: 1, maxLength: 8 }), async (lessons) => {
        const first = await withStore(async (knowledge, ports) => {
          await learnAll(knowledge, lessons);
          return exportKnowledge(ports, ALL);
        });
        await withStore(async (knowledge, ports) => {
          const imported = await importKnowledge(ports, "docs/graph.json", asText(first));
          expect(imported).toMatchObject({ known: { tasks: 0, facts: 0 }, problems: [] });
          const second = await exportKnowledge(ports, ALL);
          expect(nodesOf(second)).toEqual(nodesOf(first));
          expect((await knowledge.page(null, 1_000)).every(({ status }) => status === "quarantined")).toBe(true);
          const before = await wholeOf(knowledge);
          await importKnowledge(ports, "docs/graph.json", asText(first));
          expect(await wholeOf(knowledge)).toEqual(before);
        });
      }),
      { numRuns: 60 },
    );
  });

  it("from before a fact was promoted, retired or merged still changes nothing", async () => {
    await withStore(async (knowledge, ports) => {
      const facts = ["Tokens expire after an hour", "Sessions are kept in Redis", "Sessions live in Redis"];
      const lesson = { run: "4f2a", task: "1", day: 3, isTrusted: true };
      await learnAll(knowledge, [{ ...lesson, facts: facts.map((text) => ({ kind: 0, text, tag: "auth" })) }]);
      const graph = await exportKnowledge(ports, ALL);
      const change = { by: "ada", at: 1, why: null };
      await knowledge.change({ ...change, id: "pattern-001", kind: "retire" });
      await knowledge.change({ ...change, id: "pattern-003", kind: "merge", into: "pattern-002" });
      const before = await wholeOf(knowledge);
      await importKnowledge(ports, "graph.json", asText(graph));
      expect(await wholeOf(knowledge)).toEqual(before);
    });
  });
});

describe("somebody else's graph", () => {
  const graphOf = (nodes: readonly object[]): string => JSON.stringify({ version: 1, nodes });
  const node = (id: string, summary: string, more = {}): object => ({ id, type: "pattern", summary, ...more });

  it("is taken in where it says something else under the same id", async () => {
    await withStore(async (knowledge, ports) => {
      const facts = [{ kind: 0, text: "Tokens expire", tag: "auth" }];
      await learnAll(knowledge, [{ run: "4f2a", task: "1", day: 3, isTrusted: true, facts }]);
      const text = graphOf([node("pattern-001", "Caches are flushed"), node("pattern-009", "Tokens expire")]);
      const { facts: taken, known } = await importKnowledge(ports, "graph.json", text);
      expect(taken.map(({ id, text: said, status }) => `${id} ${status} ${said}`)).toEqual([
        "pattern-002 quarantined Caches are flushed",
        "pattern-001 trusted Tokens expire",
      ]);
      expect(known).toEqual({ tasks: 0, facts: 0 });
    });
  });

  it("whose facts nobody said has the file as their source, which is no task of the next export", async () => {
    await withStore(async (_knowledge, ports) => {
      const nodes = [
        node("pattern-1", "Caches are flushed", { created: "1970-01-01" }),
        node("pattern-2", "Tokens expire", { created: "1970-02-01" }),
      ];
      const { facts } = await importKnowledge(ports, "docs/graph.json", graphOf(nodes));
      expect(facts.map(({ witnesses }) => witnesses[0]?.task)).toEqual(["import", "import"]);
      const { nodes: exported } = await exportKnowledge(ports, ALL);
      expect(exported.map(({ id, created }) => [id, created])).toEqual([
        ["pattern-1", "1970-01-01"],
        ["pattern-2", "1970-02-01"],
      ]);
    });
  });

  const datesOf = ({ nodes }: GraphFile): object =>
    Object.fromEntries(nodes.map(({ id, created }) => [id, created ?? null]));

  it("tells of a task when it was, also when something was said under it before or after", async () => {
    await withStore(async (_knowledge, ports) => {
      const said = { connections: ["task-1"] };
      const nodes = [
        node("task-1", "Build the cache", { type: "task", created: "1970-02-01" }),
        node("pattern-1", "Caches are flushed", { ...said, created: "1970-03-05" }),
        node("pattern-2", "Tokens expire", { ...said, created: "1970-01-05" }),
      ];
      await importKnowledge(ports, "graph.json", graphOf(nodes));
      const dates = { "task-1": "1970-02-01", "pattern-1": "1970-03-05", "pattern-2": "1970-01-05" };
      expect(datesOf(await exportKnowledge(ports, ALL))).toEqual(dates);
      // The task is known by now, and stands where it stood.
      const more = [...nodes, node("pattern-3", "Keys rotate", { ...said, created: "1970-03-09" })];
      await importKnowledge(ports, "graph.json", graphOf(more));
      expect(datesOf(await exportKnowledge(ports, ALL))).toEqual({ ...dates, "pattern-3": "1970-03-09" });
    });
  });

  it("is not believed when it says that something was in the future", async () => {
    await withStore(async (knowledge, ports) => {
      const later = { created: "9999-12-31" };
      const nodes = [
        node("task-1", "Build the cache", { type: "task", ...later }),
        node("task-2", "Build the door", { type: "task", created: "1970-02-01" }),
        node("pattern-1", "Caches are flushed", { ...later, connections: ["task-1"] }),
        node("pattern-2", "Tokens expire", { ...later, connections: ["task-2"] }),
        node("pattern-3", "Keys rotate", later),
      ];
      await importKnowledge(ports, "graph.json", graphOf(nodes));
      const graph = await exportKnowledge(ports, ALL);
      const today = "1970-04-01";
      expect(datesOf(graph)).toEqual({
        "task-1": today,
        "task-2": "1970-02-01",
        "pattern-1": today,
        "pattern-2": today,
        "pattern-3": today,
      });
      expect(graph.last_updated).toBe(`${today}T00:00:00Z`);
      const before = await wholeOf(knowledge);
      const tomorrow = { ...ports, clock: { ...ports.clock, now: () => 91 * DAY } };
      await importKnowledge(tomorrow, "graph.json", graphOf(nodes));
      expect(await wholeOf(knowledge)).toEqual(before);
    });
  });
});
