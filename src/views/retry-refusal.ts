import { decide } from "../workflow/decide.ts";
import type { Workflow } from "../workflow/definition.ts";
import type { RunState } from "../workflow/state.ts";

export interface RetryRefusal {
  readonly why: string;
  /** What helps instead. */
  readonly help: string;
}

/** Why a failed run that is sent on again would be ended by its budget at once; null where a retry may help. */
export function retryRefusal(workflow: Workflow, state: RunState, at: number): RetryRefusal | null {
  if (state.status !== "failed") return null;
  const { events } = decide(workflow, state, { kind: "retry-run", at, by: "", note: null });
  const refused = events.find((event) => event.kind === "budget-refused");
  if (refused === undefined) return null;
  return {
    why: `The budget of run ${state.run} does not allow a retry: ${refused.why}`,
    help: `Its budget does not let it go on, and a run keeps the budget it began with: raise budget.${refused.budget} in the workflow file and start a new run.`,
  };
}
