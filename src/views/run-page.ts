import type { Workflow } from "../workflow/definition.ts";
import type { RunState } from "../workflow/state.ts";
import { type BudgetUse, budgetUse } from "./budget-use.ts";
import { type AskView, askView } from "./choice-effect.ts";
import { type Round, roundsOf } from "./rounds.ts";
import { type RunGraph, runGraph } from "./run-graph.ts";
import type { RunItem } from "./run-item.ts";
import { type RunView, runView } from "./run-view.ts";
import { type StepItem, stepItems } from "./step-items.ts";
import type { TimedEvent } from "./timed-event.ts";

/** One run, whole enough for its page. */
export interface RunPage {
  readonly item: RunItem;
  readonly view: ShownView;
  readonly graph: RunGraph;
  readonly steps: readonly StepItem[];
  readonly rounds: readonly Round[];
  readonly budget: BudgetUse;
  /** Position of the newest event that is in here: live updates go on after it. */
  readonly position: number;
}

interface ShownView extends RunView {
  readonly asks: readonly AskView[];
}

export interface FoldedRun {
  readonly workflow: Workflow;
  readonly state: RunState;
  readonly events: readonly TimedEvent[];
  /** Of its newest entry. */
  readonly position: number;
}

export function runPage(item: RunItem, folded: FoldedRun, now: number): RunPage {
  const { workflow, state, events, position } = folded;
  const view = runView(
    workflow,
    state,
    events.map(({ event }) => event),
  );
  return {
    item,
    view: { ...view, asks: view.asks.map(askView) },
    graph: runGraph(workflow, view.agents, events),
    steps: stepItems(events),
    rounds: roundsOf(events, workflow.loop),
    budget: budgetUse(workflow.budget, state, view.unwatched_attempts, now),
    position,
  };
}
