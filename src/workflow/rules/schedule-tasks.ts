import type { Priority } from "../definition.ts";
import type { Draft } from "../draft.ts";
import type { RunState, TaskState } from "../state.ts";
import { askPerson } from "./ask-person.ts";
import { hasRoom, mustWait } from "./budget.ts";
import { beginStep } from "./begin-step.ts";
import { failRun } from "./fail-run.ts";

/** Starts what may start, most urgent first, as long as there is room; ends the run when nothing is left. */
export function scheduleTasks(draft: Draft): void {
  for (;;) {
    if (draft.state.status !== "running") return;
    const ready = hasRoom(draft) ? nextReady(draft) : null;
    if (ready === null) break;
    beginStep(draft, ready);
  }
  if (!Object.values(draft.state.tasks).some((task) => isUnderWay(task, draft.state))) settle(draft);
}

/** At work, asked about, or only waiting for room. */
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

/** One that failed and is tried again may never have started: then it waits for its dependencies all the same. */
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

/** Nothing is under way and nothing may start. */
function settle(draft: Draft): void {
  const tasks = Object.values(draft.state.tasks);
  const stuck = tasks.filter((task) => task.status === "waiting");
  const blocked = stuck.filter((task) => task.blockers.length > 0);
  const failed = tasks.filter((task) => task.status === "failed");
  if (blocked.length > 0) return askAboutBlockers(draft, blocked);
  if (stuck.length > 0) return failRun(draft, explainStuck(stuck, draft.state));
  if (failed.length > 0) return failRun(draft, listFailures(failed));
  draft.record({
    kind: "run-completed",
    at: draft.at,
    reason: tasks.length === 1 ? "done" : `${tasks.length} tasks done`,
  });
}

/** Only a person can say that such a blocker is gone. */
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
