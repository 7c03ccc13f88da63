import type { Verdict } from "../evidence/claim.ts";
import type { AgentTruth } from "./agent-truth.ts";
import type { MetricKind } from "./read-metric.ts";

/**
 * Figures over a set of runs, for every surface. Plain JSON. What is not known is null or counted apart: it is never
 * zero. Times are milliseconds, moments milliseconds since 1970.
 */
export interface Metrics {
  /** Runs that were last heard of from then on; null when there is no limit. */
  readonly since: number | null;
  /** And before then. */
  readonly until: number | null;
  readonly runs: number;
  /** Of these, runs whose content was pruned: only their status is known, and nothing else of them is counted. */
  readonly pruned: number;
  readonly all: Measures;
  /** Most runs first. */
  readonly workflows: readonly WorkflowMeasures[];
  /** Whoever said most that is not true comes first. */
  readonly agents: readonly AgentMeasures[];
  readonly every: PeriodLength;
  /** Oldest first and without a gap; a run belongs to the period in which it was last heard of. */
  readonly periods: readonly PeriodMeasures[];
  /** Oldest first. */
  readonly coverage: readonly CoveragePoint[];
  /** What handoffs carried as metrics, by name and kind; most often said first. */
  readonly figures: readonly Figure[];
  /** Runs that ended with a summary of their own (`workflow-complete` of 001), newest first. */
  readonly completions: readonly Completion[];
  /** How much more there is of what has a limit here. */
  readonly left_off: { readonly coverage: number; readonly figures: number; readonly completions: number };
}

export interface Measures {
  readonly runs: number;
  readonly statuses: Readonly<Record<RunWord, number>>;
  /** From the start of a run to its end; completed runs only. */
  readonly cycle_time: Spread | null;
  /** For how long agents worked. */
  readonly agent_time: Spread | null;
  /** For how long a run had to wait for a person; runs that were answered, or ended, after they had asked one. */
  readonly waiting_time: Spread | null;
  /** How often work was reviewed: by agents whose names say so, or else by those that have sent work back. */
  readonly review_iterations: Spread | null;
  readonly steps: number;
  /** Times that work was sent back to an earlier agent. */
  readonly loops: number;
  /** Times that the same agent was started again after a failure. */
  readonly retries: number;
  /** Times that a handoff was sent back to its author. */
  readonly repairs: number;
  /** Runs of gates, and of validation commands of handoffs, which are run as gates. */
  readonly gates: { readonly passed: number; readonly failed: number };
  /** Questions to people. */
  readonly asks: number;
  readonly merges: Merges;
  readonly claims: Readonly<Record<Verdict, number>>;
  readonly tokens: Spent;
  /** In USD, as clients tell it. */
  readonly money: Spent;
  readonly coverage: { readonly claimed: Spread | null; readonly measured: Spread | null };
}

export type RunWord = "running" | "waiting" | "completed" | "failed" | "cancelled";

/** Of runs that have ended. */
export interface Merges {
  /** Runs with a pull request. */
  readonly pull_requests: number;
  /** Runs with an accepted handoff that says so, and that was not refuted. */
  readonly merged: number;
  /** Of these, merges that were seen in git. */
  readonly confirmed: number;
  /** Merged, and no person was asked for anything on the way. */
  readonly automatic: number;
  /** `automatic` of `pull_requests`, from 0 to 1; null without any. */
  readonly rate: number | null;
}

export interface Spent {
  /** Of attempts that tell it; null when none does. */
  readonly sum: number | null;
  /** Attempts that tell it. */
  readonly known: number;
  /** Attempts of which nobody knows. */
  readonly unknown: number;
}

export interface Spread {
  readonly count: number;
  readonly sum: number;
  readonly mean: number;
  readonly least: number;
  readonly median: number;
  /** Nine in ten are not greater. */
  readonly p90: number;
  readonly most: number;
}

export interface WorkflowMeasures extends Measures {
  readonly workflow: string;
}

export type PeriodLength = "hour" | "day" | "week" | "month";

export interface PeriodMeasures extends Measures {
  readonly from: number;
  /** Where the next one begins. */
  readonly to: number;
}

export interface AgentMeasures extends AgentTruth {
  readonly steps: number;
  readonly retries: number;
  /** Times that it sent work back, and that work was sent back to it. */
  readonly loops_asked: number;
  readonly loops_taken: number;
  readonly gates: { readonly passed: number; readonly failed: number };
  /** Of each attempt that ended. */
  readonly agent_time: Spread | null;
  readonly tokens: Spent;
  readonly money: Spent;
}

export interface CoveragePoint {
  readonly at: number;
  readonly run: string;
  readonly workflow: string;
  readonly agent: string;
  /** What a handoff says, or what a gate has measured. */
  readonly source: "claimed" | "measured";
  /** `lines`, `branches`, ...; null when it was not said. */
  readonly measure: string | null;
  readonly percent: number;
}

export interface Figure {
  /** Path in the metrics: `test_types.unit`. */
  readonly name: string;
  readonly kind: MetricKind;
  /** As it was written, of an amount; null for every other kind. */
  readonly unit: string | null;
  /** How often it was said. */
  readonly count: number;
  readonly agents: readonly string[];
  /** Of values that can be compared; for ratios of part by whole. Null for flags and for what could not be read. */
  readonly spread: Spread | null;
  /** Only of ratios: all parts and all wholes. */
  readonly ratio: { readonly part: number; readonly whole: number } | null;
  /** Only of flags. */
  readonly flags: { readonly yes: number; readonly no: number } | null;
  /** The last one, as it was written. */
  readonly last: string;
  readonly last_at: number;
}

export interface Completion {
  readonly run: string;
  readonly workflow: string;
  readonly at: number;
  readonly agent: string;
  readonly summary: string | null;
  readonly issue: string | null;
  readonly pull_request: string | null;
  /** As they were written. */
  readonly metrics: readonly { readonly name: string; readonly text: string }[];
}
