import { describe, expect, it } from "vitest";
import type { TaskDefinition } from "../definition.ts";
import type { Event } from "../event.ts";
import { EMPTY_RUN, evolve } from "../evolve.ts";
import type { Ask, RunState, StepReason } from "../state.ts";
import { taskChanges } from "./task-sources.ts";

const REASON: StepReason = { kind: "first", from: null, note: null, issues: [], problems: [] };

function task(id: string): TaskDefinition {
  const source = { format: "beads", path: "f", id, tag: null } as const;
  return { id, name: id, priority: "medium", dependsOn: [], start: null, brief: "", source };
}

const begin: Event = { kind: "step-started", task: "a", step: "s1", agent: "x", reason: REASON, iteration: 1, at: 1 };
const held = { description: "no key", by: "b" };
const ask: Ask = {
  id: "q1",
  kind: "escalation",
  task: "a",
  agent: "x",
  title: "",
  details: [],
  choices: [],
  openedAt: 1,
  dueAt: null,
  reminders: 0,
};

function after(state: RunState, ...events: Event[]): RunState {
  return events.reduce(evolve, state);
}

const start = after(EMPTY_RUN, { kind: "task-added", task: task("a") }, { kind: "task-added", task: task("b") });
const begun = after(start, begin);

function changes(before: RunState | null, now: RunState): string[] {
  return taskChanges(before, now).map(({ source, progress }) => `${source.id} ${progress}`);
}

describe("what is written back", () => {
  it("is nothing as long as nobody has begun", () => {
    expect(changes(EMPTY_RUN, start)).toEqual([]);
    expect(changes(null, start)).toEqual([]);
    const { source: _source, ...plain } = task("a");
    expect(changes(null, after(EMPTY_RUN, { kind: "task-added", task: plain }, begin))).toEqual([]);
  });

  it("is that a task was begun, is done or has failed, once", () => {
    expect(changes(start, begun)).toEqual(["a in-progress"]);
    expect(changes(begun, begun)).toEqual([]);
    for (const status of ["done", "failed"] as const) {
      const end = after(begun, { kind: "task-finished", task: "a", status, reason: "" });
      expect(changes(begun, end)).toEqual([`a ${status}`]);
    }
  });

  it("is that a task is blocked, by another one or because only a person can help, and is free again", () => {
    const blocked = after(start, { kind: "task-blocked", task: "a", blocker: held });
    expect(changes(start, blocked)).toEqual(["a blocked"]);
    expect(changes(blocked, after(blocked, { kind: "task-released", task: "a", by: "b" }))).toEqual(["a pending"]);
    const asking = after(begun, { kind: "ask-opened", ask });
    expect(changes(begun, asking)).toEqual(["a blocked"]);
    expect(changes(begun, after(begun, { kind: "ask-opened", ask: { ...ask, kind: "review" } }))).toEqual([]);
  });

  it("is pending for what a run did not finish, and nothing for what it never began", () => {
    const cancel: Event = { kind: "run-cancelled", at: 2, by: "me", reason: "" };
    const cancelled = (id: string): Event => ({ kind: "task-finished", task: id, status: "cancelled", reason: "" });
    expect(changes(begun, after(begun, cancelled("a"), cancelled("b"), cancel))).toEqual(["a pending"]);
  });

  it("is everything that was begun, after a crash", () => {
    expect(changes(null, after(begun, { kind: "task-finished", task: "b", status: "done", reason: "" }))).toEqual([
      "a in-progress",
      "b done",
    ]);
  });
});
