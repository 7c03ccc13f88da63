import { describe, expect, it } from "vitest";
import type { Fact } from "./fact.ts";
import { type GraphTask, exportGraph, importGraph } from "./graph-file.ts";

const AT = 1_794_805_221_000;

const task = (id: string, dependsOn: string[] = [], run = "run"): GraphTask => ({
  run,
  id,
  name: `Build the login of ${id}`,
  dependsOn,
  at: AT,
});

function factOf(parts: Partial<Fact>): Fact {
  const source = { run: "run", step: "s", agent: "Builder", handoff: "h", where: "w", at: AT };
  return {
    id: "pattern-001",
    kind: "pattern",
    text: "Use signed tokens",
    detail: null,
    severity: null,
    isBlocking: false,
    answer: null,
    tags: ["auth"],
    files: [],
    citation: null,
    status: "trusted",
    witnesses: [{ ...source, task: "1" }],
    opposes: [],
    helped: 0,
    ...parts,
  };
}

describe("the knowledge graph of 003", () => {
  it("has a node for each task and fact, connected as they are", () => {
    const citation = { path: "src/auth.ts", lines: null, text: [], commit: null };
    const graph = exportGraph(
      [factOf({ citation }), factOf({ id: "limitation-002", kind: "limitation", files: ["a.ts", "b.ts"] })],
      [task("1"), task("task-2", ["1", "elsewhere"]), task("1", [], "older")],
      AT,
    );
    expect(graph).toMatchObject({
      version: 1,
      last_updated: "2026-11-16T05:00:21Z",
      nodes: [
        { id: "task-1", type: "task", summary: "Build the login of 1", created: "2026-11-16" },
        { id: "task-2", type: "task", connections: ["task-1"] },
        { id: "task-1@older", type: "task" },
        { id: "pattern-001", type: "pattern", tags: ["auth"], file: "src/auth.ts", connections: ["task-1"] },
        { id: "limitation-002", type: "insight", file: "a.ts" },
      ],
    });
    expect(graph.tag_index["auth"]).toEqual(
      graph.nodes.filter(({ tags }) => tags.includes("auth")).map(({ id }) => id),
    );
    expect(Object.keys(graph.tag_index)).toEqual(Object.keys(graph.tag_index).toSorted());
    expect(graph.nodes[0]).not.toHaveProperty("file");
    expect(graph.nodes[0]).not.toHaveProperty("connections");
  });

  it("has summaries of at most 100 characters, none of them cut in two", () => {
    const { nodes } = exportGraph([factOf({ text: "🔑".repeat(300) })], [], AT);
    expect(nodes[0]?.summary).toBe(`${"🔑".repeat(99)}…`);
  });

  it("has an index that is a plain record, whatever the tags are called", () => {
    const { tag_index } = exportGraph([factOf({ tags: ["__proto__", "constructor"] })], [], AT);
    expect(JSON.parse(JSON.stringify(tag_index))).toEqual(
      JSON.parse('{"__proto__": ["pattern-001"], "constructor": ["pattern-001"]}'),
    );
  });

  it("comes back as the tasks and facts that were written", () => {
    const facts = [
      factOf({ files: ["src/auth.ts"] }),
      factOf({ id: "next-step-004", kind: "next-step", text: "Rotate the keys", tags: ["keys"] }),
    ];
    const file = exportGraph(facts, [task("task-1", ["task-2"]), task("task-2")], AT);
    const { facts: back, tasks, problems } = importGraph(JSON.stringify(file));
    expect(problems).toEqual([]);
    expect(tasks).toEqual([
      { id: "task-1", name: "Build the login of task-1", dependsOn: ["task-2"], at: 1_794_787_200_000 },
      { id: "task-2", name: "Build the login of task-2", dependsOn: [], at: 1_794_787_200_000 },
    ]);
    expect(back).toMatchObject([
      { fact: { id: "pattern-001", kind: "pattern", tags: ["auth"], place: { path: "src/auth.ts" } }, task: null },
      { fact: { id: "next-step-004", kind: "next-step", text: "Rotate the keys", tags: ["keys"], where: "nodes.3" } },
    ]);
  });

  it("is read as far as it can be, with a sentence for the rest", () => {
    const nodes = [
      7,
      { id: "pattern-1", type: "strategy", summary: "x" },
      { id: "../x", type: "pattern", summary: "x" },
      { id: "pattern-2", type: "pattern", summary: " " },
      {
        id: "insight-9",
        type: "insight",
        summary: "Read\u001b[31m \u202eit\n## System",
        tags: [1, "A B"],
        file: "../../etc/x",
      },
      { id: "gotcha-3", type: "gotcha", summary: "Fine", connections: ["task-1", 5], created: "never" },
    ];
    const { facts, problems, tasks } = importGraph(JSON.stringify({ version: 1, nodes }));
    expect(problems.map((problem) => /^nodes\[(\d)\]/.exec(problem)?.[1])).toEqual(["0", "1", "2", "3"]);
    expect(tasks).toEqual([]);
    expect(facts).toMatchObject([
      {
        fact: { kind: "pattern", id: null, text: "Read it ## System", tags: ["a-b"], place: null },
        task: null,
        at: null,
      },
      { fact: { kind: "gotcha", id: "gotcha-3", text: "Fine" }, task: null, at: null },
    ]);
  });

  it("is refused when it is none", () => {
    const refused = (text: string): readonly string[] => importGraph(text).problems;
    expect(refused("{")).toEqual(["The file is not JSON."]);
    expect(refused("[]")).toEqual(["The file has no list of nodes."]);
    expect(refused('{"version": 2, "nodes": []}')).toEqual(["The file has version 2; only version 1 is supported."]);
    expect(refused(" ".repeat(17_000_000))[0]).toMatch(/more than/);
  });
});
