import type { TaskSource } from "../definition.ts";
import type { RunState, TaskState } from "../state.ts";
import type { Progress } from "./found-task.ts";

export interface TaskChange {
  readonly source: TaskSource;
  readonly progress: Progress;
}

/**
 * What has to be written back after a run went on from one state to the next. Without a state before, as after a
 * crash, everything that was begun is told again.
 */
export function taskChanges(before: RunState | null, after: RunState): TaskChange[] {
  return Object.values(after.tasks).flatMap(({ id, source }) => {
    if (source === undefined) return [];
    const [was, is] = [before === null ? null : progressOf(before, id), progressOf(after, id)];
    // What was blocked and is free again waits as it did at first.
    const progress = is ?? (was === null ? null : "pending");
    return progress === null || progress === was ? [] : [{ source, progress }];
  });
}

/** Null as long as nobody has begun it: its file says enough. */
function progressOf(state: RunState, id: string): Progress | null {
  const task = Object.hasOwn(state.tasks, id) ? state.tasks[id] : undefined;
  if (task === undefined) return null;
  if (task.status === "done" || task.status === "failed") return task.status;
  if (isHeldUp(state, task) && state.status === "running") return "blocked";
  if (task.trail.length === 0) return task.blockers.length > 0 ? "blocked" : null;
  // A run that was cancelled, or has failed elsewhere, gives back what it did not finish.
  return state.status === "running" ? "in-progress" : "pending";
}

function isHeldUp(state: RunState, { id, blockers, status }: TaskState): boolean {
  if (blockers.length > 0) return true;
  const asks = Object.values(state.asks).filter(({ task }) => task === id);
  return status === "asking" && asks.some(({ kind }) => kind === "blocked" || kind === "escalation");
}
