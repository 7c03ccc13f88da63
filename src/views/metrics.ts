import { type ClaimKind, VERDICTS } from "../evidence/claim.ts";
import { type Infer, type Shape, data } from "../protocol/shape.ts";
import type { MetricKind } from "./read-metric.ts";

export const spreadShape = data.record({
  count: data.count(),
  sum: data.number(),
  mean: data.number(),
  least: data.number(),
  median: data.number(),
  /** 90 percent of the values are not greater. */
  p90: data.number(),
  most: data.number(),
});
export type Spread = Infer<typeof spreadShape>;

const spread = data.nullable(spreadShape);
const gates = data.record({ passed: data.count(), failed: data.count() });

const spentShape = data.record({
  /** Sum over the attempts that report it; null when none does. */
  sum: data.nullable(data.number()),
  /** Attempts that report it. */
  known: data.count(),
  /** Attempts that do not report it. */
  unknown: data.count(),
});
export type Spent = Infer<typeof spentShape>;

const mergesShape = data.record({
  /** Runs with a pull request. */
  pull_requests: data.count(),
  /** Runs with an accepted handoff that claims a merge, and whose claim was not refuted. */
  merged: data.count(),
  /** Of these, merges that git confirmed. */
  confirmed: data.count(),
  /** Merged without a question to a person. */
  automatic: data.count(),
  /** `automatic` divided by `pull_requests`, from 0 to 1; null when there are no pull requests. */
  rate: data.nullable(data.number()),
});

const RUN_WORDS = ["running", "watched", "waiting", "completed", "failed", "cancelled"] as const;
export type RunWord = (typeof RUN_WORDS)[number];

export const measuresShape = data.record({
  runs: data.count(),
  statuses: data.table(RUN_WORDS, data.count()),
  /** Time from the start of a run to its end, for completed runs that Baton drove: a session lasts as long as its client is open. */
  cycle_time: spread,
  /** Time that agents worked. */
  agent_time: spread,
  /** Time that a run waited for a person, for runs whose questions were answered or that ended after a question. */
  waiting_time: spread,
  /** How often work was reviewed: by agents with `review` in their names, or else by agents that sent work back. */
  review_iterations: spread,
  steps: data.count(),
  /** How often work was sent back to an earlier agent. */
  loops: data.count(),
  /** How often the same agent was started again after a failure. */
  retries: data.count(),
  /** How often a handoff was sent back to its author. */
  repairs: data.count(),
  /** Runs of gates, including the validation commands of handoffs, which run as gates. */
  gates,
  /** Questions to people. */
  asks: data.count(),
  merges: mergesShape,
  claims: data.table(VERDICTS, data.count()),
  tokens: spentShape,
  /** In USD, as the clients report it. */
  money: spentShape,
  coverage: data.record({ claimed: spread, measured: spread }),
});
export type Measures = Infer<typeof measuresShape>;

const workflowMeasuresShape = data.extend(measuresShape, { workflow: data.text() });
export type WorkflowMeasures = Infer<typeof workflowMeasuresShape>;

const PERIOD_LENGTHS = ["hour", "day", "week", "month"] as const;
export type PeriodLength = (typeof PERIOD_LENGTHS)[number];

const periodMeasuresShape = data.extend(measuresShape, {
  from: data.count(),
  /** The start of the next period. */
  to: data.count(),
});
export type PeriodMeasures = Infer<typeof periodMeasuresShape>;

const byClaimKind: Shape<Readonly<Partial<Record<ClaimKind, number>>>> = data.map(data.count());

/** How often the claims of an agent's handoffs are true. */
const agentTruthShape = data.record({
  agent: data.text(),
  runs: data.count(),
  /** Handoffs that were accepted. */
  handoffs: data.count(),
  /** How often a handoff was sent back, for its format or for its claims. */
  repairs: data.count(),
  /** Claims of every attempt: a claim that is repeated after a repair counts again. */
  claims: data.count(),
  confirmed: data.count(),
  refuted: data.count(),
  unverifiable: data.count(),
  /** Refuted claims by kind. */
  refuted_kinds: byClaimKind,
});

const agentMeasuresShape = data.extend(agentTruthShape, {
  steps: data.count(),
  retries: data.count(),
  /** How often it sent work back, and how often work was sent back to it. */
  loops_asked: data.count(),
  loops_taken: data.count(),
  gates,
  /** Duration of each attempt that ended. */
  agent_time: spread,
  tokens: spentShape,
  money: spentShape,
});
export type AgentMeasures = Infer<typeof agentMeasuresShape>;

const coveragePointShape = data.record({
  at: data.count(),
  run: data.text(),
  workflow: data.text(),
  agent: data.text(),
  /** Stated by a handoff, or measured by a gate. */
  source: data.oneOf(["claimed", "measured"]),
  /** `lines`, `branches`, ...; null when it was not stated. */
  measure: data.nullable(data.text()),
  percent: data.number(),
});
export type CoveragePoint = Infer<typeof coveragePointShape>;

const figureShape = data.record({
  /** Path within the metrics: `test_types.unit`. */
  name: data.text(),
  kind: data.word<MetricKind>(),
  /** The unit of an amount, as it was written; null for every other kind. */
  unit: data.nullable(data.text()),
  /** How often it was reported. */
  count: data.count(),
  agents: data.list(data.text()),
  /** Spread of comparable values; for ratios, of part divided by whole. Null for flags and for unreadable values. */
  spread,
  /** Only for ratios: the sum of all parts and of all wholes. */
  ratio: data.nullable(data.record({ part: data.number(), whole: data.number() })),
  /** Only for flags. */
  flags: data.nullable(data.record({ yes: data.count(), no: data.count() })),
  /** The last value, as it was written. */
  last: data.text(),
  last_at: data.count(),
});
export type Figure = Infer<typeof figureShape>;

const completionShape = data.record({
  run: data.text(),
  workflow: data.text(),
  at: data.count(),
  agent: data.text(),
  summary: data.nullable(data.text()),
  issue: data.nullable(data.text()),
  pull_request: data.nullable(data.text()),
  /** As they were written. */
  metrics: data.list(data.record({ name: data.text(), text: data.text() })),
});
export type Completion = Infer<typeof completionShape>;

export const metricsShape = data.record({
  /** Only runs whose last event is at or after this time; null when there is no limit. */
  since: data.nullable(data.count()),
  /** Only runs whose last event is before this time; null when there is no limit. */
  until: data.nullable(data.count()),
  runs: data.count(),
  /** Number of these runs whose content was pruned. Only their status is known, so nothing else of them is counted. */
  pruned: data.count(),
  all: measuresShape,
  /** The workflow with the most runs first. */
  workflows: data.list(workflowMeasuresShape),
  /** The agent with the most refuted claims first. */
  agents: data.list(agentMeasuresShape),
  every: data.oneOf(PERIOD_LENGTHS),
  /** Oldest first, without gaps. A run belongs to the period of its last event. */
  periods: data.list(periodMeasuresShape),
  /** Oldest first. */
  coverage: data.list(coveragePointShape),
  /** Metrics that handoffs report, by name and kind; the most frequent first. */
  figures: data.list(figureShape),
  /** Runs that ended with a summary of their own (`workflow-complete` of 001), newest first. */
  completions: data.list(completionShape),
  /** How many entries each limited list leaves out. */
  left_off: data.record({ coverage: data.count(), figures: data.count(), completions: data.count() }),
});
/**
 * Figures over a set of runs, for every surface. Plain JSON. An unknown value is null or counted separately, never
 * zero. Durations are in milliseconds, times in milliseconds since 1970.
 */
export type Metrics = Infer<typeof metricsShape>;
