import { groupBy } from "../shared/group-by.ts";
import type {
  AgentMeasures,
  CoveragePoint,
  Measures,
  Metrics,
  RunWord,
  WorkflowMeasures,
  PeriodLength,
} from "./metrics.ts";
import type { RunAgent, RunMeasure, Totals } from "./run-measure.ts";
import { sumFigures, addTotals, totalsOf, spentOf, spreadOf } from "./sum-figures.ts";
import { dateOf, epochOf } from "../shared/utc-time.ts";

/** A run as input for metrics: its row, and its figures unless its content was pruned. */
export interface MeasuredRun {
  readonly workflow: string;
  readonly status: string;
  readonly finished: boolean;
  /** Time of its last event. */
  readonly at: number;
  readonly measure: RunMeasure | null;
}

interface MetricsFilter {
  readonly since: number | null;
  readonly until: number | null;
  /** Only runs in which this agent worked; figures by agent include only this agent. */
  readonly agent: string | null;
}

const MAX_COVERAGE = 1_000;
const MAX_FIGURES = 200;
const MAX_COMPLETIONS = 100;

export function sumMetrics(all: readonly MeasuredRun[], { since, until, agent }: MetricsFilter): Metrics {
  const runs = agent === null ? all : all.flatMap((run) => partOf(run, agent));
  const { every, periods } = cutPeriods(runs);
  const coverage = coveragePoints(runs);
  const figures = sumFigures(measuresOf(runs));
  const completions = measuresOf(runs)
    .flatMap(({ completion }) => completion ?? [])
    .sort((left, right) => right.at - left.at);
  return {
    since,
    until,
    runs: runs.length,
    pruned: runs.filter(({ measure }) => measure === null).length,
    all: sumRuns(runs),
    workflows: byWorkflow(runs),
    agents: byAgent(measuresOf(runs)),
    every,
    periods: periods.map(({ from, to, runs: own }) => ({ from, to, ...sumRuns(own) })),
    coverage: coverage.slice(-MAX_COVERAGE),
    figures: figures.slice(0, MAX_FIGURES),
    completions: completions.slice(0, MAX_COMPLETIONS),
    left_off: {
      coverage: Math.max(0, coverage.length - MAX_COVERAGE),
      figures: Math.max(0, figures.length - MAX_FIGURES),
      completions: Math.max(0, completions.length - MAX_COMPLETIONS),
    },
  };
}

/** The run reduced to the work of this agent; empty when the agent took no part. */
function partOf(run: MeasuredRun, agent: string): MeasuredRun[] {
  const { measure } = run;
  if (measure === null || !measure.agents.some((each) => each.agent === agent)) return [];
  const isHis = (part: { readonly agent: string }): boolean => part.agent === agent;
  return [
    {
      ...run,
      measure: {
        ...measure,
        agents: measure.agents.filter(isHis),
        totals: totalsOf(measure.agents.filter(isHis)),
        loops: measure.loops.filter(({ asker, target }) => asker === agent || target === agent),
        coverage: measure.coverage.filter(isHis),
        figures: measure.figures.filter(isHis),
        completion: measure.completion?.agent === agent ? measure.completion : null,
      },
    },
  ];
}

function measuresOf(runs: readonly MeasuredRun[]): RunMeasure[] {
  return runs.flatMap(({ measure }) => measure ?? []);
}

function sumRuns(runs: readonly MeasuredRun[]): Measures {
  const measures = measuresOf(runs);
  const total = addTotals(measures.map(({ totals }) => totals));
  const points = measures.flatMap(lastCoverage);
  const { steps, retries, repairs, confirmed, refuted, unverifiable } = total;
  return {
    runs: runs.length,
    statuses: countStatuses(runs),
    cycle_time: spreadOf(measures.flatMap(cycleTime)),
    agent_time: spreadOf(measures.flatMap(agentTime)),
    waiting_time: spreadOf(measures.flatMap(({ waited }) => waited ?? [])),
    review_iterations: spreadOf(measures.flatMap(({ reviews }) => reviews ?? [])),
    steps,
    loops: measures.reduce((sum, { loops }) => sum + loops.length, 0),
    retries,
    repairs,
    gates: { passed: total.gates_passed, failed: total.gates_failed },
    asks: measures.reduce((sum, { asks }) => sum + asks, 0),
    merges: sumMerges(runs),
    claims: { confirmed, refuted, unverifiable },
    ...spending(total),
    coverage: {
      claimed: spreadOf(points.flatMap(({ source, percent }) => (source === "claimed" ? [percent] : []))),
      measured: spreadOf(points.flatMap(({ source, percent }) => (source === "measured" ? [percent] : []))),
    },
  };
}

function spending(total: Totals): Pick<Measures, "tokens" | "money"> {
  return {
    tokens: spentOf(total.tokens, total.ended, total.unknown_tokens),
    money: spentOf(total.money, total.ended, total.unknown_money),
  };
}

function countStatuses(runs: readonly MeasuredRun[]): Record<RunWord, number> {
  const none = { running: 0, watched: 0, waiting: 0, completed: 0, failed: 0, cancelled: 0 };
  const statuses: Record<RunWord, number> = none;
  for (const { status } of runs) if (Object.hasOwn(statuses, status)) statuses[status as RunWord]++;
  return statuses;
}

function cycleTime(run: RunMeasure): number[] {
  const { started_at: started, ended_at: ended, has_completed: hasCompleted, is_observed: isObserved } = run;
  return started === null || ended === null || !hasCompleted || isObserved ? [] : [Math.max(0, ended - started)];
}

function agentTime({ agents, totals }: RunMeasure): number[] {
  return agents.some(({ attempts }) => attempts.length > 0) ? [totals.agent_time] : [];
}

/** The last coverage of a run, claimed and measured. Line coverage is preferred when there are several measures. */
function lastCoverage({ coverage }: RunMeasure): RunMeasure["coverage"] {
  return (["claimed", "measured"] as const).flatMap((source) => {
    const own = coverage.filter((point) => point.source === source);
    return own.findLast(({ measure }) => measure === null || measure === "lines") ?? own.at(-1) ?? [];
  });
}

function sumMerges(runs: readonly MeasuredRun[]): Measures["merges"] {
  const ended = measuresOf(runs.filter(({ finished }) => finished));
  const merged = ended.filter(isMerged);
  const pulls = ended.filter((run) => run.has_pull_request || isMerged(run)).length;
  const automatic = merged.filter(({ asks }) => asks === 0).length;
  return {
    pull_requests: pulls,
    merged: merged.length,
    confirmed: merged.filter(({ merge }) => merge === "confirmed").length,
    automatic,
    rate: pulls === 0 ? null : automatic / pulls,
  };
}

function isMerged({ merge }: RunMeasure): boolean {
  return merge === "said" || merge === "confirmed";
}

function byWorkflow(runs: readonly MeasuredRun[]): WorkflowMeasures[] {
  return [...groupBy(runs, ({ workflow }) => workflow)]
    .map(([workflow, own]) => ({ workflow, ...sumRuns(own) }))
    .sort((left, right) => right.runs - left.runs || (left.workflow < right.workflow ? -1 : 1));
}

function byAgent(measures: readonly RunMeasure[]): AgentMeasures[] {
  const loops = measures.flatMap((measure) => measure.loops);
  const asked = countBy(loops.map(({ asker }) => asker));
  const taken = countBy(loops.map(({ target }) => target));
  const parts = groupBy(
    measures.flatMap(({ agents }) => agents),
    ({ agent }) => agent,
  );
  return [...parts]
    .map(([agent, own]) => sumAgent(agent, own, asked.get(agent) ?? 0, taken.get(agent) ?? 0))
    .sort((left, right) => right.refuted - left.refuted || (left.agent < right.agent ? -1 : 1));
}

function countBy(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

function sumAgent(agent: string, parts: readonly RunAgent[], asked: number, taken: number): AgentMeasures {
  const total = totalsOf(parts);
  const { handoffs, repairs, confirmed, refuted, unverifiable, steps, retries } = total;
  return {
    agent,
    runs: parts.length,
    handoffs,
    repairs,
    claims: confirmed + refuted + unverifiable,
    confirmed,
    refuted,
    unverifiable,
    refuted_kinds: sumKinds(parts),
    steps,
    retries,
    loops_asked: asked,
    loops_taken: taken,
    gates: { passed: total.gates_passed, failed: total.gates_failed },
    agent_time: spreadOf(parts.flatMap(({ attempts }) => attempts)),
    ...spending(total),
  };
}

function sumKinds(parts: readonly RunAgent[]): AgentMeasures["refuted_kinds"] {
  const kinds = new Map<string, number>();
  for (const { refuted_kinds: own } of parts)
    for (const [kind, count] of Object.entries(own)) kinds.set(kind, (kinds.get(kind) ?? 0) + count);
  return Object.fromEntries([...kinds].sort(([left], [right]) => (left < right ? -1 : 1)));
}

function coveragePoints(runs: readonly MeasuredRun[]): CoveragePoint[] {
  return measuresOf(runs)
    .flatMap(({ run, workflow, coverage }) => coverage.map((point) => ({ run, workflow, ...point })))
    .sort((left, right) => left.at - right.at);
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

interface Period<T> {
  readonly from: number;
  readonly to: number;
  readonly runs: readonly T[];
}

/** Hours, days, weeks from Monday or months in UTC, depending on the time between the first and the last run. */
function cutPeriods<T extends { readonly at: number }>(
  runs: readonly T[],
): { every: PeriodLength; periods: Period<T>[] } {
  const times = runs.map(({ at }) => at);
  const first = times.reduce((least, at) => Math.min(least, at), Number.POSITIVE_INFINITY);
  const last = times.reduce((most, at) => Math.max(most, at), Number.NEGATIVE_INFINITY);
  if (runs.length === 0) return { every: "day", periods: [] };
  const every = lengthFor(last - first);
  const groups = groupBy(runs, ({ at }) => periodStart(every, at));
  const periods: Period<T>[] = [];
  for (let from = periodStart(every, first); from <= last; from = nextStart(every, from))
    periods.push({ from, to: nextStart(every, from), runs: groups.get(from) ?? [] });
  return { every, periods };
}

function lengthFor(span: number): PeriodLength {
  if (span <= 2 * DAY) return "hour";
  if (span <= 92 * DAY) return "day";
  return span <= 731 * DAY ? "week" : "month";
}

/** 1970 began on a Thursday. */
const FIRST_MONDAY = 4 * DAY;

function periodStart(every: PeriodLength, at: number): number {
  if (every === "hour") return at - modulo(at, HOUR);
  if (every === "day") return at - modulo(at, DAY);
  if (every === "week") return at - modulo(at - FIRST_MONDAY, 7 * DAY);
  return epochOf(`${dateOf(at).slice(0, "2026-11".length)}-01T00:00:00Z`) ?? at;
}

function nextStart(every: PeriodLength, from: number): number {
  if (every === "hour") return from + HOUR;
  if (every === "day") return from + DAY;
  return every === "week" ? from + 7 * DAY : periodStart("month", from + 31 * DAY);
}

function modulo(value: number, by: number): number {
  return ((value % by) + by) % by;
}
