import { setImmediate } from "node:timers/promises";
import type { EventLog, RunRow, RunSearch, StoredEntry } from "../../ports/event-log.ts";
import type { Machine } from "../../ports/machine.ts";
import type { Metrics } from "../../views/metrics.ts";
import { RunMeasuring } from "../../views/measure-run.ts";
import type { RunMeasure } from "../../views/run-measure.ts";
import { type MeasuredRun, sumMetrics } from "../../views/sum-metrics.ts";
import type { Event } from "../../workflow/event.ts";
import { Breather } from "../breather.ts";
import { findRun } from "./tell-run.ts";

export type * from "../../views/metrics.ts";

export interface MeasureFilter {
  /** Only runs that were last heard of from then on, and before `until`; milliseconds since 1970. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** By its name. */
  readonly workflow?: string | undefined;
  /** Only runs in which it worked, and its part of them. */
  readonly agent?: string | undefined;
  /** One run, by its id or the beginning of it, whenever that was. */
  readonly run?: string | undefined;
}

/** Reads only the logs of runs that the filter takes in, and of these only what is new since they were last measured. */
export async function measureRuns(machine: Pick<Machine, "log">, filter: MeasureFilter = {}): Promise<Metrics> {
  const { log } = machine;
  const rows = await chooseRows(machine, filter);
  return inTurn(log, async ({ kept, answers }) => {
    const key = JSON.stringify(filter);
    const state = stateOf(rows);
    const answer = answers.get(key);
    if (answer?.state === state) return answer.metrics;
    const runs: MeasuredRun[] = [];
    const breather = new Breather();
    makeRoom(kept, rows);
    for (const row of rows) {
      runs.push(asMeasured(row, row.isPruned ? null : await measureRun(log, row, kept)));
      await breather.breathe();
    }
    const { since = null, until = null, agent = null } = filter;
    const metrics = sumMetrics(runs, { since, until, agent });
    if (answers.size >= MOST_ANSWERS) forgetFirst(answers);
    answers.set(key, { state, metrics });
    return metrics;
  });
}

/** Differs as soon as one of the runs has moved, came, went or was pruned. */
function stateOf(rows: readonly RunRow[]): string {
  let [sequences, times, pruned] = [0, 0, 0];
  for (const { sequence, updatedAt, isPruned } of rows) {
    sequences += sequence;
    times += updatedAt;
    if (isPruned) pruned++;
  }
  return `${rows.length} ${sequences} ${times} ${pruned}`;
}

/** The youngest first. */
export async function chooseRows(machine: Pick<Machine, "log">, filter: MeasureFilter): Promise<RunRow[]> {
  const { since, until, workflow, run } = filter;
  if (run !== undefined) return [await findRun(machine, run)];
  const time = {
    ...(since !== undefined && { updatedFrom: since }),
    ...(until !== undefined && { updatedBefore: until }),
  };
  const standings = STATUSES.map((status) => ({ status, ...time }));
  return allRuns(machine, { standings, ...(workflow !== undefined && { name: workflow }) });
}

const STATUSES = ["running", "waiting", "completed", "failed", "cancelled"] as const;
const RUNS_AT_ONCE = 500;

/** Page by page: a server has others to answer meanwhile. */
async function allRuns({ log }: Pick<Machine, "log">, search: Omit<RunSearch, "limit">): Promise<RunRow[]> {
  const breather = new Breather();
  const rows: RunRow[] = [];
  for (;;) {
    const before = rows.at(-1)?.run;
    const page = await log.findRuns({ ...search, limit: RUNS_AT_ONCE, ...(before !== undefined && { before }) });
    rows.push(...page);
    if (page.length < RUNS_AT_ONCE) return rows;
    await breather.breathe();
  }
}

function asMeasured(row: RunRow, measure: RunMeasure | null): MeasuredRun {
  const { name, status, finished, updatedAt } = row;
  return { workflow: name, status, finished, at: updatedAt, measure };
}

interface Kept {
  readonly sequence: number;
  /** Goes on where it stopped; null once the run has ended, to save room. */
  readonly measuring: RunMeasuring | null;
  readonly measure: RunMeasure | null;
}

interface Memory {
  /** What runs came to when they were last measured. */
  readonly kept: Map<string, Kept>;
  /** By the filter: a page that is looked at again, and nothing has happened. */
  readonly answers: Map<string, { readonly state: string; readonly metrics: Metrics }>;
  last: Promise<unknown>;
}

const memories = new WeakMap<EventLog, Memory>();
const MOST_KEPT = 20_000;
const MOST_ANSWERS = 50;

/** One after the other: two that measure at once would both add the same events. */
async function inTurn<T>(log: EventLog, measure: (memory: Memory) => Promise<T>): Promise<T> {
  const memory = memories.get(log) ?? { kept: new Map(), answers: new Map(), last: Promise.resolve() };
  memories.set(log, memory);
  const turn = memory.last.then(async () => measure(memory));
  memory.last = turn.catch(() => undefined);
  return turn;
}

async function measureRun(log: EventLog, row: RunRow, kept: Map<string, Kept>): Promise<RunMeasure | null> {
  const known = kept.get(row.run);
  if (known !== undefined && known.sequence === row.sequence) return known.measure;
  const isBegun = known !== undefined && known.measuring !== null;
  const measuring = isBegun ? known.measuring : new RunMeasuring(row.run, row.name);
  const after = isBegun ? known.sequence : 0;
  // Thousands of logs may have to be read the first time: whoever else waits gets a turn in between.
  await setImmediate();
  const entries = await log.entries(row.run, after);
  const isWhole = addEntries(measuring, entries);
  const measure = isWhole ? measuring.measure() : null;
  // The row may be older than what was measured by now: what has been added is not added again.
  const sequence = entries.at(-1)?.sequence ?? after;
  if (known !== undefined || kept.size < MOST_KEPT)
    kept.set(row.run, { sequence, measuring: row.finished ? null : measuring, measure });
  return measure;
}

/**
 * For the youngest of them, which come first. They are asked for in the same order again and again: whoever came
 * would otherwise push out whoever is asked for next.
 */
function makeRoom(kept: Map<string, Kept>, rows: readonly RunRow[]): void {
  if (kept.size + rows.length <= MOST_KEPT) return;
  const youngest = new Set(rows.slice(0, MOST_KEPT).map(({ run }) => run));
  for (const run of kept.keys()) if (!youngest.has(run)) kept.delete(run);
}

/** False when something of them was pruned. */
function addEntries(measuring: RunMeasuring, entries: readonly StoredEntry[]): boolean {
  let isWhole = true;
  for (const { kind, data, at } of entries)
    if (data === null) isWhole = false;
    else if (kind !== "input") measuring.add(data as unknown as Event, at);
  return isWhole;
}

function forgetFirst(map: Map<string, unknown>): void {
  for (const key of map.keys()) {
    map.delete(key);
    return;
  }
}
