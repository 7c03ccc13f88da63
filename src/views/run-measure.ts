import type { ClaimKind, Verdict } from "../evidence/claim.ts";
import type { Completion } from "./metrics.ts";
import type { SaidFigure } from "./said-figures.ts";

/** What one run comes to: the part that metrics over many runs are made of. Plain JSON. */
export interface RunMeasure {
  readonly run: string;
  readonly workflow: string;
  readonly started_at: number | null;
  readonly ended_at: number | null;
  readonly has_completed: boolean;
  readonly agents: readonly RunAgent[];
  readonly totals: Totals;
  readonly loops: readonly { readonly asker: string; readonly target: string }[];
  /** Steps in which an agent that reviews handed over; null when there is no such agent. */
  readonly reviews: number | null;
  readonly asks: number;
  /** For how long at least one question was open, until none was; null when that was never so. */
  readonly waited: number | null;
  readonly has_pull_request: boolean;
  readonly merge: "none" | "refuted" | "said" | "confirmed";
  readonly coverage: readonly RunCoverage[];
  readonly figures: readonly RunFigure[];
  readonly completion: Completion | null;
}

export interface RunAgent extends Readonly<Record<Verdict, number>> {
  readonly agent: string;
  readonly steps: number;
  readonly handoffs: number;
  readonly repairs: number;
  readonly retries: number;
  readonly gates_passed: number;
  readonly gates_failed: number;
  readonly refuted_kinds: Readonly<Partial<Record<ClaimKind, number>>>;
  /** Attempts that ended or were stopped with their task. */
  readonly ended: number;
  /** Of those that were watched to their end, in milliseconds. */
  readonly attempts: readonly number[];
  readonly tokens: number;
  readonly money: number;
  readonly unknown_tokens: number;
  readonly unknown_money: number;
}

export interface RunCoverage {
  readonly at: number;
  readonly agent: string;
  readonly source: "claimed" | "measured";
  readonly measure: string | null;
  readonly percent: number;
}

export interface RunFigure extends SaidFigure {
  /** Under which it is added up. */
  readonly key: string;
  readonly at: number;
  readonly agent: string;
}

/** What can be counted of agents, added up; attempts that were watched took `agent_time` together. */
export interface Totals extends Readonly<Record<Verdict, number>> {
  readonly steps: number;
  readonly handoffs: number;
  readonly repairs: number;
  readonly retries: number;
  readonly gates_passed: number;
  readonly gates_failed: number;
  readonly tokens: number;
  readonly money: number;
  readonly unknown_tokens: number;
  readonly unknown_money: number;
  readonly ended: number;
  readonly agent_time: number;
}
