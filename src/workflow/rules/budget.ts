import type { AgentDefinition, Budget, Workflow } from "../definition.ts";
import type { Draft } from "../draft.ts";
import type { RunState, Step } from "../state.ts";
import { failRun } from "./fail-run.ts";

/** Checked before every step: whether the step budget is used up. */
export function refuseStep(draft: Draft, task: string, agent: AgentDefinition): boolean {
  return refuse(draft, task, agent, outOfSteps(draft) ?? findRefusal(draft, agent));
}

/** Checked before every attempt: an attempt that would exceed a budget is not started, and the run ends. */
export function refuseSpending(draft: Draft, task: string, agent: AgentDefinition): boolean {
  return refuse(draft, task, agent, findRefusal(draft, agent));
}

function refuse(draft: Draft, task: string, agent: AgentDefinition, refusal: Refusal | null): boolean {
  if (refusal === null) return false;
  draft.record({ kind: "budget-refused", task, agent: agent.name, ...refusal });
  failRun(draft, `The budget does not allow ${agent.name} to start: ${refusal.why}`);
  return true;
}

/** A task keeps its slot while its gates run, because its agent may have to continue. */
export function hasCapacity({ workflow, state }: Draft, except: string | null = null): boolean {
  const working = Object.values(state.tasks).filter(
    ({ id, step }) => id !== except && (step?.phase === "working" || step?.phase === "gates"),
  );
  return working.length < workflow.parallel;
}

/** Whether the attempt would fit once the reserves of running agents are free; then it only has to wait. */
export function mustWait(draft: Draft, agent: AgentDefinition): boolean {
  return findRefusal(draft, agent) !== null && findRefusal(draft, agent, NOTHING_HELD) === null;
}

const NOTHING_HELD = { tokens: 0, money: 0, milliseconds: 0 };

interface Refusal {
  readonly budget: string;
  readonly why: string;
}

/** The limits of the run: those of its workflow, or what a person raised them to. */
export function budgetOf(workflow: Workflow, { raised }: RunState): Budget {
  return { ...workflow.budget, ...raised };
}

function outOfSteps({ workflow, state }: Draft): Refusal | null {
  const budget = budgetOf(workflow, state);
  if (state.steps < budget.steps) return null;
  return { budget: "steps", why: `${state.steps} of ${budget.steps} steps are used up.` };
}

function findRefusal({ workflow, state, at }: Draft, agent: AgentDefinition, held = heldBy(state)): Refusal | null {
  const budget = budgetOf(workflow, state);
  const { spent } = state;
  if (budget.wall !== null && at - state.startedAt >= budget.wall)
    return { budget: "wall", why: `the run may take ${budget.wall} ms and has taken ${at - state.startedAt}.` };
  if (budget.agent !== null && spent.agent + held.milliseconds >= budget.agent)
    return {
      budget: "agent",
      why: `agents may work ${budget.agent} ms; ${spent.agent + held.milliseconds} are spent or promised.`,
    };
  return (
    overdrawn("tokens", budget.tokens, spent.tokens + spent.possibleTokens + held.tokens, agent.cost.tokens) ??
    overdrawn("money", budget.money, spent.money + spent.possibleMoney + held.money, agent.cost.money)
  );
}

/** Without a known cost only the remaining budget decides. */
function overdrawn(name: string, most: number | null, sum: number, cost: number | null): Refusal | null {
  const spent = exact(sum);
  if (most === null || (spent < most && exact(spent + (cost ?? 0)) <= most)) return null;
  const more = cost === null ? "" : `, and this step may cost ${cost}`;
  return { budget: name, why: `${spent} of ${most} ${name} are spent or promised${more}.` };
}

/** Rounds away binary errors: 0.1 + 0.2 is more than 0.3. */
function exact(sum: number): number {
  return Number(sum.toFixed(9));
}

function heldBy(state: RunState): { tokens: number; money: number; milliseconds: number } {
  const total = { tokens: 0, money: 0, milliseconds: 0 };
  for (const { step } of Object.values(state.tasks)) {
    if (step?.phase !== "working") continue;
    total.tokens += step.held.tokens ?? 0;
    total.money += step.held.money ?? 0;
    total.milliseconds += step.held.milliseconds;
  }
  return total;
}

/** The time limit of an attempt, and what is reserved for it. */
export function allowance(
  { workflow, state, at }: Draft,
  agent: AgentDefinition,
): { timeout: number; held: Step["held"] } {
  const { wall, agent: work } = budgetOf(workflow, state);
  const left = [
    agent.timeout,
    ...(wall === null ? [] : [state.startedAt + wall - at]),
    ...(work === null ? [] : [work - state.spent.agent - heldBy(state).milliseconds]),
  ];
  const timeout = Math.min(...left);
  return { timeout, held: { ...agent.cost, milliseconds: timeout } };
}

/** Reports an overrun; the money is already spent. */
export function noteOverruns(draft: Draft): void {
  const { spent } = draft.state;
  const { tokens, money } = budgetOf(draft.workflow, draft.state);
  if (tokens !== null && spent.tokens > tokens)
    draft.record({ kind: "budget-overrun", budget: "tokens", why: `${spent.tokens} of ${tokens} tokens were spent.` });
  if (money !== null && exact(spent.money) > money)
    draft.record({ kind: "budget-overrun", budget: "money", why: `${exact(spent.money)} of ${money} were spent.` });
}
