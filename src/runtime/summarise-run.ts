import type { JsonRecord } from "../shared/json-value.ts";
import type { Workflow } from "../workflow/definition.ts";
import type { RunState } from "../workflow/state.ts";

/** What a list of runs shows of one, without its log. */
export function summarise(workflow: Workflow, state: RunState): JsonRecord {
  const tasks = Object.values(state.tasks);
  return {
    workflow: workflow.name,
    iteration: state.iteration,
    steps: state.steps,
    tasks: tasks.length,
    done: tasks.filter((task) => task.status === "done").length,
    agents: tasks.flatMap(({ step }) => (step === null ? [] : [step.agent])),
    asks: Object.values(state.asks).map(({ id, title }) => ({ id, title })),
    open_issues: Object.values(state.ledger).filter((issue) => issue.status === "open").length,
    reason: state.reason,
  };
}

/** Only a person can move it on. */
export function isParked(state: RunState): boolean {
  if (state.status !== "running" || Object.keys(state.asks).length === 0) return false;
  return !Object.values(state.tasks).some(({ step }) => step !== null && step.phase !== "asking");
}

/** When the run has something to do by itself; null when it waits for the world. */
export function wakeTime(state: RunState): number | null {
  const due = Object.values(state.timers).map((timer) => timer.dueAt);
  return state.status !== "running" || due.length === 0 ? null : Math.min(...due);
}
