import type { Budget } from "../workflow/definition.ts";
import type { RunState } from "../workflow/state.ts";

export interface BudgetUse {
  readonly wall: Used;
  readonly agent: Used;
  readonly tokens: Used;
  readonly money: Used;
}

export interface Used {
  readonly used: number;
  /** Null when there is no limit. */
  readonly limit: number | null;
  /** Attempts of which nobody knows it. */
  readonly unknown: number;
}

export function budgetUse(
  budget: Budget,
  { startedAt, endedAt, spent }: RunState,
  unwatched: number,
  now: number,
): BudgetUse {
  const wall = startedAt === 0 ? 0 : Math.max(0, (endedAt ?? now) - startedAt);
  return {
    wall: { used: wall, limit: budget.wall, unknown: 0 },
    agent: { used: spent.agent, limit: budget.agent, unknown: unwatched },
    tokens: { used: spent.tokens, limit: budget.tokens, unknown: spent.unknownTokens },
    money: { used: spent.money, limit: budget.money, unknown: spent.unknownMoney },
  };
}
