import { describe, expect, it } from "vitest";
import type { Workflow } from "../workflow/definition.ts";
import { readWorkflow } from "../workflow/file/read-workflow.ts";
import { READY_WORKFLOWS } from "../workflow/ready/ready-workflows.ts";
import { EMPTY_RUN } from "../workflow/evolve.ts";
import { runGraph } from "./run-graph.ts";
import { roundsOf } from "./rounds.ts";
import { runView } from "./run-view.ts";
import { stepItems } from "./step-items.ts";
import type { TimedEvent } from "./event-line.ts";

const workflows = Object.entries(READY_WORKFLOWS).map(([name, { text }]) => {
  const { workflow } = readWorkflow(text, { path: name, hash: name });
  if (workflow === null) throw new Error(`${name} cannot be read`);
  return [name, workflow] as const;
});

function graphOf(workflow: Workflow, events: readonly TimedEvent[]): ReturnType<typeof runGraph> {
  const { agents } = runView(
    workflow,
    EMPTY_RUN,
    events.map(({ event }) => event),
  );
  return runGraph(workflow, agents, events);
}

describe("the graph of a run", () => {
  it.each(workflows)("%s: every edge has both its ends, and no two nodes stand in one place", (_, workflow) => {
    const { nodes, edges } = graphOf(workflow, []);
    const ids = nodes.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(nodes.map(({ x, y }) => `${x} ${y}`)).size).toBe(nodes.length);
    expect(new Set(edges.map(({ id }) => id)).size).toBe(edges.length);
    for (const { from, to } of edges) expect([ids.includes(from), ids.includes(to)]).toEqual([true, true]);
    for (const { x, y } of nodes) expect([x >= 0, y >= 0]).toEqual([true, true]);
    expect(edges.every(({ taken }) => taken === 0)).toBe(true);
  });

  it("goes from left to right along the plain way", () => {
    const pipeline = workflows.find(([name]) => name === "pipeline")?.[1];
    if (pipeline === undefined) throw new Error("there is no pipeline");
    const { nodes } = graphOf(pipeline, []);
    const column = (id: string): number => nodes.find((node) => node.id === id)?.x ?? -1;
    const way = ["start", ...Object.keys(pipeline.agents), "end"].map(column);
    expect(way).toEqual(way.toSorted((left, right) => left - right));
    expect(new Set(way).size).toBe(way.length);
  });
});

const at = (time: number, event: object): TimedEvent => ({
  position: time,
  at: time,
  event: event as TimedEvent["event"],
});
const issue = (id: string, severity: string): object => ({
  kind: "issue-opened",
  issue: { id, severity, status: "open" },
});

describe("the rounds of a run", () => {
  it("tell how the ledger stood at the end of each, the last one being under way", () => {
    const policy = { limit: 3, blocking: ["high"], stuck: "person", capped: "person" } as const;
    const events = [
      at(1, { kind: "step-started", task: "main", step: "s1", agent: "a", reason: { kind: "first" }, iteration: 1 }),
      at(2, issue("1", "high")),
      at(3, issue("2", "low")),
      at(4, { kind: "loop-began", loop: { iteration: 2 }, issues: [] }),
      at(5, { kind: "issue-changed", id: "1", status: "fixed" }),
      at(6, { kind: "issue-changed", id: "1", status: "reopened" }),
    ];
    expect(roundsOf(events, policy)).toEqual([
      { iteration: 1, at: 4, open: 2, open_blocking: 1, opened: 2, fixed: 0, reopened: 0 },
      { iteration: 2, at: 6, open: 2, open_blocking: 1, opened: 0, fixed: 1, reopened: 1 },
    ]);
    expect(roundsOf([], policy)).toEqual([]);
  });
});

describe("the steps of a run", () => {
  it("hold their attempts, gates and what became of their claims", () => {
    const usage = { milliseconds: 1, tokens: null, money: null };
    const claim = (verdict: string): object => ({
      kind: "file",
      where: "work.created.0",
      says: "a.ts was created",
      verdict,
    });
    const of = { task: "main", step: "s1", agent: "a", attempt: "s1.1" };
    const events = [
      at(1, { kind: "step-started", ...of, reason: { kind: "first" }, iteration: 1 }),
      at(2, { kind: "attempt-started", ...of }),
      at(3, { kind: "attempt-ended", ...of, end: "finished", message: "", usage }),
      at(3, { kind: "claims-verified", ...of, gate: null, judgements: [claim("unverifiable")] }),
      at(3, { kind: "handoff-accepted", ...of, delivery: { handoff: { outcome: "done", summary: "It works" } } }),
      at(4, { kind: "claims-verified", ...of, gate: "tests", judgements: [claim("refuted")] }),
      at(4, {
        kind: "gate-failed",
        task: "main",
        gate: "tests",
        message: "exit code 1",
        output: "1 failed",
        milliseconds: 5,
      }),
      at(5, { kind: "handoff-refused", ...of, problems: [] }),
    ];
    expect(stepItems(events)).toMatchObject([
      {
        step: "s1",
        ended_at: 3,
        outcome: "done",
        summary: "It works",
        status_word: null,
        attempts: [{ attempt: "s1.1", end: "finished", tokens: null, has_handoff: true, was_refused: true }],
        gates: [{ gate: "tests", passed: false, output: "1 failed", at: 4 }],
        claims: { confirmed: 0, refuted: 1, unverifiable: 0 },
      },
    ]);
  });

  it("end with their task when the agent was stopped", () => {
    const of = { task: "main", step: "s1", agent: "a", attempt: "s1.1" };
    const events = [
      at(1, { kind: "step-started", ...of, reason: { kind: "first" }, iteration: 1 }),
      at(2, { kind: "attempt-started", ...of }),
      at(7, { kind: "task-finished", task: "main", status: "cancelled", reason: "enough" }),
    ];
    expect(stepItems(events)).toMatchObject([
      { ended_at: 7, outcome: null, attempts: [{ ended_at: 7, end: "stopped", tokens: null }] },
    ]);
  });
});
