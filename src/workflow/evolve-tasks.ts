import { taskOf, withTask, without } from "./change-state.ts";
import type { TaskDefinition } from "./definition.ts";
import type { Handlers } from "./handlers.ts";
import type { RunState, TaskState } from "./state.ts";

/** Events of the run as a whole and of its tasks. */
export const TASK_EVENTS: Handlers<
  | "run-started"
  | "run-completed"
  | "run-failed"
  | "run-cancelled"
  | "run-reopened"
  | "task-added"
  | "task-advanced"
  | "task-finished"
  | "task-blocked"
  | "task-released"
  | "timer-set"
  | "timer-cleared"
  | "input-ignored"
> = {
  "run-started": (state, { run, name, workflow, brief, known, at }) => ({
    ...state,
    run,
    name,
    workflow,
    brief,
    startedAt: at,
    known: Object.fromEntries(
      Object.entries(known).map(([key, value]) => [key, { value, by: "the start of the run" }]),
    ),
  }),
  "run-completed": (state, { at, reason }) => ended(state, "completed", at, reason),
  "run-failed": (state, { at, reason }) => ended(state, "failed", at, reason),
  "run-cancelled": (state, { at, reason }) => ended(state, "cancelled", at, reason),
  "run-reopened": (state) => ({ ...state, status: "running", reason: null, endedAt: null }),
  "task-added": (state, { task }) => ({ ...state, tasks: { ...state.tasks, [task.id]: newTask(task) } }),
  "task-advanced": (state, { task, next, callers }) => {
    const { step } = taskOf(state, task);
    const moved = step === null || step.agent !== next.agent;
    return withTask(state, task, {
      status: "waiting",
      next,
      callers,
      step: null,
      ...(moved && { retries: 0 }),
    });
  },
  // One that failed keeps what was about to start, for whoever tries again.
  "task-finished": (state, { task, status, reason }) =>
    withTask(withStopped(state, task), task, {
      status,
      reason,
      step: null,
      ...(status !== "failed" && { next: null }),
    }),
  "task-blocked": (state, { task, blocker }) =>
    withTask(state, task, { blockers: [...taskOf(state, task).blockers, blocker] }),
  "task-released": (state, { task, by }) =>
    withTask(state, task, { blockers: taskOf(state, task).blockers.filter((blocker) => blocker.by !== by) }),
  "timer-set": (state, { timer }) => ({ ...state, timers: { ...state.timers, [timer.id]: timer } }),
  "timer-cleared": (state, { timer }) => ({ ...state, timers: without(state.timers, timer) }),
  "input-ignored": (state) => state,
};

/** An agent that is at work when its task ends is stopped: nobody knows what it has cost. */
function withStopped(state: RunState, task: string): RunState {
  if (taskOf(state, task).step?.phase !== "working") return state;
  const { spent } = state;
  const unknown = { unknownTokens: spent.unknownTokens + 1, unknownMoney: spent.unknownMoney + 1 };
  return { ...state, spent: { ...spent, ...unknown } };
}

/** Nothing is waited for any more. */
function ended(state: RunState, status: RunState["status"], at: number, reason: string): RunState {
  return { ...state, status, endedAt: at, reason, asks: {}, timers: {} };
}

function newTask(task: TaskDefinition): TaskState {
  return {
    ...task,
    status: "waiting",
    reason: null,
    next: null,
    step: null,
    retries: 0,
    failures: {},
    callers: [],
    last: null,
    received: null,
    trail: [],
    began: {},
    confirmed: {},
    blockers: [],
    answers: [],
  };
}
