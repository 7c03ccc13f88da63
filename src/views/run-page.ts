import type { Workflow, Budget } from "../workflow/definition.ts";
import { type Ask, type AskKind, type RunState, askShape } from "../workflow/state.ts";
import { budgetOf } from "../workflow/rules/budget.ts";
import { otherAgentShape, otherAgents } from "./observed-run.ts";
import { roundShape, roundsOf } from "./rounds.ts";
import { runGraph, runGraphShape } from "./run-graph.ts";
import { type RunItem, runItemShape } from "./run-item.ts";
import { type RunView, runStatusShape, runView } from "./run-view.ts";
import { stepItemShape, stepItems } from "./step-items.ts";
import type { TimedEvent } from "./event-line.ts";
import { ownValue } from "../shared/json-value.ts";
import { type Infer, data } from "../protocol/shape.ts";

const usedShape = data.record({
  used: data.number(),
  /** Null when there is no limit. */
  limit: data.nullable(data.number()),
  /** Attempts whose usage is not known. */
  unknown: data.count(),
});
export type Used = Infer<typeof usedShape>;

const budgetUseShape = data.table(["wall", "agent", "tokens", "money"], usedShape);
export type BudgetUse = Infer<typeof budgetUseShape>;

/** `effects` has no key for an unknown choice. */
export const askViewShape = data.extend(askShape, { effects: data.map(data.text()) });
/** A question with the effect of each choice. */
export type AskView = Infer<typeof askViewShape>;

export const shownViewShape = data.extend(runStatusShape, { asks: data.list(askViewShape) });

export const runPageShape = data.record({
  item: runItemShape,
  view: shownViewShape,
  graph: runGraphShape,
  steps: data.list(stepItemShape),
  /** Agents of a session that owe no handoff; empty in a run that is driven. */
  others: data.list(otherAgentShape),
  rounds: data.list(roundShape),
  budget: budgetUseShape,
  /** Position of the newest event that the page includes: live updates continue after it. */
  position: data.count(),
});
/** The data of the page of one run. */
export type RunPage = Infer<typeof runPageShape>;

interface FoldedRun {
  readonly workflow: Workflow;
  readonly state: RunState;
  readonly events: readonly TimedEvent[];
  /** Position of its newest entry. */
  readonly position: number;
}

/** A run that is stored and has no events yet may wait for another one. */
function notBegun({ run, created_at }: RunItem): Pick<RunView, "run" | "started_at"> {
  return { run, started_at: created_at };
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
    view: { ...view, ...(events.length === 0 && notBegun(item)), asks: view.asks.map(askView) },
    graph: runGraph(workflow, view.agents, events),
    steps: stepItems(events),
    others: otherAgents(events),
    rounds: roundsOf(events, workflow.loop),
    budget: budgetUse(budgetOf(workflow, state), state, view.unwatched_attempts, now),
    position,
  };
}

function budgetUse(budget: Budget, { startedAt, endedAt, spent }: RunState, unwatched: number, now: number): BudgetUse {
  const wall = startedAt === 0 ? 0 : Math.max(0, (endedAt ?? now) - startedAt);
  return {
    wall: { used: wall, limit: budget.wall, unknown: 0 },
    agent: { used: spent.agent, limit: budget.agent, unknown: unwatched },
    tokens: { used: spent.tokens, limit: budget.tokens, unknown: spent.unknownTokens },
    money: { used: spent.money, limit: budget.money, unknown: spent.unknownMoney },
  };
}

type Effects = Readonly<Record<string, (agent: string, roundTo: string) => string>>;

const FAIL: Effects = { fail: () => "gives up: the task ends as failed" };
const JUDGE: Effects = {
  approve: () => "accepts the work, and the run goes on",
  reject: (agent) => `${agent} works on it again, with your words if you add some`,
};

/** Describes what `src/workflow/rules/answer-ask.ts` does for each choice. */
const EFFECTS: Readonly<Record<AskKind, Effects>> = {
  before: { approve: (agent) => `lets ${agent} start`, reject: () => "says no: the task ends as failed" },
  after: JUDGE,
  review: JUDGE,
  question: { answer: () => "sends your words to the next agent, and the run goes on", ...FAIL },
  escalation: {
    round: (_agent, to) => `grants one more round: ${to} works on it again, with your words if you add some`,
    retry: (agent) => `${agent} tries again, with your words if you add some`,
    continue: (agent) => `takes what ${agent} handed over as done with warnings, and goes on`,
    ...FAIL,
  },
  blocked: { resolved: () => "says that nothing blocks the task any more: it goes on", ...FAIL },
  human: {
    done: () => "you have done it, and the run goes on",
    "done-with-warnings": () => "you have done it, with something to be told to the next",
    "needs-fixes": () => "it has to be mended first: the workflow says by whom",
    failed: () => "it could not be done: the workflow says what follows",
    blocked: () => "something stands in the way: the workflow says what follows",
  },
  command: {
    approve: () => "lets exactly this command run, in the sandbox",
    reject: () => "the command is not run, and the work goes on without it",
  },
  claims: {
    approve: () => "accepts it as it is: the run goes on, and its end tells it",
    reject: (agent) => `goes back to ${agent} with the evidence, and with your words if you add some`,
    ...FAIL,
  },
};

const FILE_EFFECTS: Effects = {
  approve: () => "trusts exactly this content, and the run goes on with it",
  reject: () => "says no: the task ends as failed",
};

export function askView(ask: Ask): AskView {
  const effects = ask.choices.flatMap((choice) => {
    const effect = choiceEffect(ask, choice);
    return effect === null ? [] : [[choice, effect] as const];
  });
  return { ...ask, effects: Object.fromEntries(effects) };
}

/** The effect of an answer; null for an unknown choice. */
export function choiceEffect(
  { kind, agent, roundTo = agent, files }: Pick<Ask, "kind" | "agent" | "roundTo" | "files">,
  choice: string,
): string | null {
  const effects = files === undefined ? (ownValue<Effects>(EFFECTS, kind) ?? {}) : FILE_EFFECTS;
  return ownValue(effects, choice)?.(agent, roundTo) ?? null;
}
