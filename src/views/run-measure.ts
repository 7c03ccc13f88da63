import type { ClaimKind, Verdict } from "../evidence/claim.ts";
import type { Completion } from "./metrics.ts";
import type { SaidFigure } from "./read-metric.ts";

/** The figures of one run, from which the metrics over many runs are computed. Plain JSON. */
export interface RunMeasure {
  readonly run: string;
  readonly workflow: string;
  readonly started_at: number | null;
  readonly ended_at: number | null;
  readonly has_completed: boolean;
  /** A session of a client, which was watched and not driven. */
  readonly is_observed: boolean;
  readonly agents: readonly RunAgent[];
  readonly totals: Totals;
  readonly loops: readonly { readonly asker: string; readonly target: string }[];
  /** Steps in which a reviewing agent handed over; null when there is no such agent. */
  readonly reviews: number | null;
  readonly asks: number;
  /** Time during which at least one question was open; null when there was never one. */
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
  /** Attempts that ended, or were stopped with their task. */
  readonly ended: number;
  /** Duration of each attempt that was observed to its end, in milliseconds. */
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
  /** Metrics with the same key are summed up. */
  readonly key: string;
  readonly at: number;
  readonly agent: string;
}

/**
 * Sums over agents; `agent_time` is the sum over the attempts that were observed to their end. Tokens and money are what
 * the client of a session says of all of it, where it does.
 */
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
