import type { Priority } from "../definition.ts";
import type { Draft } from "../draft.ts";
import type { RunState, TaskState } from "../state.ts";
import { askPerson } from "./ask-person.ts";
import { hasCapacity, mustWait } from "./budget.ts";
import { countRemarks, remarksOf, summariseRemarks } from "../remarks.ts";
import { beginStep } from "./begin-step.ts";
import { failRun } from "./fail-run.ts";
import type { Handoff } from "../../protocol/handoff.ts";
import { ownValue } from "../../shared/json-value.ts";

/** Starts ready tasks by priority while slots are free, and ends the run when no task is left. */
export function scheduleTasks(draft: Draft): void {
  for (;;) {
    if (draft.state.status !== "running") return;
    const ready = hasCapacity(draft) ? nextReady(draft) : null;
    if (ready === null) break;
    beginStep(draft, ready);
  }
  if (!Object.values(draft.state.tasks).some((task) => isUnderWay(task, draft.state))) settle(draft);
}

/** Tasks that are working, waiting for a person, or waiting for a slot. */
function isUnderWay(task: TaskState, state: RunState): boolean {
  return task.status === "working" || task.status === "asking" || task.step !== null || isReady(task, state);
}

function nextReady(draft: Draft): string | null {
  const { state, workflow } = draft;
  const ready = Object.values(state.tasks).filter(
    (task) => isReady(task, state) && !mustWait(draft, draft.agent(task.next?.agent ?? task.start ?? workflow.start)),
  );
  return ready.sort(compareUrgency)[0]?.id ?? null;
}

/** A retried task that never started still waits for its dependencies. */
function isReady(task: TaskState, state: RunState): boolean {
  if (task.status !== "waiting" || task.blockers.length > 0) return false;
  return task.trail.length > 0 || task.dependsOn.every((id) => state.tasks[id]?.status === "done");
}

const URGENCY: Readonly<Record<Priority, number>> = { critical: 0, high: 1, medium: 2, low: 3 };

function compareUrgency(left: TaskState, right: TaskState): number {
  return URGENCY[left.priority] - URGENCY[right.priority] || compareIds(left.id, right.id);
}

/** `task-2` before `task-10`. */
function compareIds(left: string, right: string): number {
  const [leftParts, rightParts] = [left.split(/(\d+)/), right.split(/(\d+)/)];
  for (let index = 0; index < leftParts.length; index++) {
    const [one = "", other = ""] = [leftParts[index], rightParts[index]];
    if (one === other) continue;
    const difference = index % 2 === 1 ? Number(one) - Number(other) : 0;
    if (difference !== 0) return difference;
    return one < other ? -1 : 1;
  }
  return leftParts.length - rightParts.length;
}

/** No task is running and none can start. */
function settle(draft: Draft): void {
  const tasks = Object.values(draft.state.tasks);
  const stuck = tasks.filter((task) => task.status === "waiting");
  const blocked = stuck.filter((task) => task.blockers.length > 0);
  const failed = tasks.filter((task) => task.status === "failed");
  if (blocked.length > 0) return askAboutBlockers(draft, blocked);
  if (stuck.length > 0) return failRun(draft, explainStuck(stuck, draft.state));
  if (failed.length > 0) return failRun(draft, listFailures(failed));
  const done = tasks.length === 1 ? "done" : `${tasks.length} tasks done`;
  const remarks = countRemarks(remarksOf(draft.workflow, draft.state));
  const summary = summariseRemarks(remarks);
  const end = summary === "" ? { reason: done } : { reason: `${done}, but ${summary}`, remarks };
  draft.record({ kind: "run-completed", at: draft.at, ...end });
}

/** Only a person can lift such a blocker. */
function askAboutBlockers(draft: Draft, blocked: readonly TaskState[]): void {
  for (const task of blocked) {
    const details = task.blockers.map(({ description, by }) => `${description} (${by})`);
    askPerson(draft, task.id, {
      kind: "blocked",
      agent: task.next?.agent ?? task.start ?? draft.workflow.start,
      title: `Task ${task.id} is blocked by what ${task.blockers.map(({ by }) => by).join(", ")} reported.`,
      details,
      choices: ["resolved", "fail"],
    });
  }
}

function explainStuck(stuck: readonly TaskState[], state: RunState): string {
  const reasons = stuck.map((task) => {
    const missing = task.dependsOn.filter((id) => state.tasks[id]?.status !== "done");
    return `${task.id} waits for ${missing.map((id) => `${id} (${state.tasks[id]?.status ?? "unknown"})`).join(", ")}`;
  });
  return `Nothing can go on: ${reasons.join("; ")}.`;
}

function listFailures(tasks: readonly TaskState[]): string {
  return tasks.map(({ id, reason }) => (id === "main" ? (reason ?? "") : `${id}: ${reason ?? ""}`)).join("; ");
}

/** Blockers that name tasks hold those tasks up (003-R25) until the task that reported them is done. */
export function blockTasks(draft: Draft, task: string, handoff: Handoff): void {
  for (const { description = "a blocker without description", blocks = [] } of handoff.blockers ?? []) {
    for (const named of blocks) {
      const held = ownValue(draft.state.tasks, named);
      if (held?.status !== "waiting" || held.next !== null) continue;
      if (held.blockers.some((known) => known.by === task && known.description === description)) continue;
      draft.record({ kind: "task-blocked", task: named, blocker: { description, by: task } });
    }
  }
}

export function releaseTasks(draft: Draft, task: string): void {
  for (const held of Object.values(draft.state.tasks)) {
    if (held.blockers.some(({ by }) => by === task)) draft.record({ kind: "task-released", task: held.id, by: task });
  }
}
