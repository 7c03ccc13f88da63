import { setImmediate } from "node:timers/promises";
import type { EventLog, RunRow, RunSearch } from "../../ports/event-log.ts";
import type { Ports } from "../../ports/ports.ts";
import type { Metrics } from "../../views/metrics.ts";
import { RunMeasuring } from "../../views/measure-run.ts";
import type { RunMeasure } from "../../views/run-measure.ts";
import { type MeasuredRun, sumMetrics } from "../../views/sum-metrics.ts";
import { type LogEntry, isEmptied, readEntries } from "../read-log.ts";
import { findRun } from "./send-input.ts";

export type * from "../../views/metrics.ts";

export interface MeasureFilter {
  /** Only runs whose last event is at or after `since` and before `until`; milliseconds since 1970. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** Name of the workflow. */
  readonly workflow?: string | undefined;
  /** Only runs in which this agent worked, and only its part of them. */
  readonly agent?: string | undefined;
  /** One run, by its id or a prefix of it, whatever its time. */
  readonly run?: string | undefined;
}

/** Reads only the logs of matching runs, and of these only the entries since they were last measured. */
export async function measureRuns(ports: Pick<Ports, "log">, filter: MeasureFilter = {}): Promise<Metrics> {
  const { log } = ports;
  const rows = await chooseRows(ports, filter);
  return inTurn(log, async ({ kept, answers }) => {
    const key = JSON.stringify(filter);
    const state = stateOf(rows);
    const answer = answers.get(key);
    if (answer?.state === state) return answer.metrics;
    const runs: MeasuredRun[] = [];
    const yielder = new EventLoopYielder();
    makeRoom(kept, rows);
    for (const row of rows) {
      runs.push(asMeasured(row, row.isPruned ? null : await measureRun(log, row, kept)));
      await yielder.yieldNow();
    }
    const { since = null, until = null, agent = null } = filter;
    const metrics = sumMetrics(runs, { since, until, agent });
    if (answers.size >= MAX_ANSWERS) forgetFirst(answers);
    answers.set(key, { state, metrics });
    return metrics;
  });
}

/** Changes whenever one of the runs changes, is added, removed or pruned. */
function stateOf(rows: readonly RunRow[]): string {
  let [sequences, times, pruned] = [0, 0, 0];
  for (const { sequence, updatedAt, isPruned } of rows) {
    sequences += sequence;
    times += updatedAt;
    if (isPruned) pruned++;
  }
  return `${rows.length} ${sequences} ${times} ${pruned}`;
}

/** Newest first. */
export async function chooseRows(ports: Pick<Ports, "log">, filter: MeasureFilter): Promise<RunRow[]> {
  const { since, until, workflow, run } = filter;
  if (run !== undefined) return [await findRun(ports, run)];
  const time = {
    ...(since !== undefined && { updatedFrom: since }),
    ...(until !== undefined && { updatedBefore: until }),
  };
  const statusFilters = STATUSES.map((status) => ({ status, ...time }));
  return allRuns(ports, { statusFilters, ...(workflow !== undefined && { name: workflow }) });
}

const STATUSES = ["running", "watched", "waiting", "completed", "failed", "cancelled"] as const;
const RUNS_AT_ONCE = 500;

/** Reads page by page, so that a server can answer other requests meanwhile. */
async function allRuns({ log }: Pick<Ports, "log">, search: Omit<RunSearch, "limit">): Promise<RunRow[]> {
  const yielder = new EventLoopYielder();
  const rows: RunRow[] = [];
  for (;;) {
    const before = rows.at(-1)?.run;
    const page = await log.findRuns({ ...search, limit: RUNS_AT_ONCE, ...(before !== undefined && { before }) });
    rows.push(...page);
    if (page.length < RUNS_AT_ONCE) return rows;
    await yielder.yieldNow();
  }
}

function asMeasured(row: RunRow, measure: RunMeasure | null): MeasuredRun {
  const { name, status, finished, updatedAt } = row;
  return { workflow: name, status, finished, at: updatedAt, measure };
}

interface Kept {
  readonly sequence: number;
  /** Continues with new events; null once the run has ended, to save memory. */
  readonly measuring: RunMeasuring | null;
  readonly measure: RunMeasure | null;
}

interface Memory {
  /** Figures of runs at their last measurement. */
  readonly kept: Map<string, Kept>;
  /** Cached results by filter, valid while no run has changed. */
  readonly answers: Map<string, { readonly state: string; readonly metrics: Metrics }>;
  last: Promise<unknown>;
}

const memories = new WeakMap<EventLog, Memory>();
const MAX_KEPT = 20_000;
const MAX_ANSWERS = 50;

/** Measurements run one after the other: two at once would both add the same events. */
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
  // The first measurement may read thousands of logs, so it yields to other requests.
  await setImmediate();
  const entries = await readEntries(log, row.run, after);
  const isWhole = addEntries(measuring, entries);
  const measure = isWhole ? measuring.measure() : null;
  // The row may be older than the entries that were read; this prevents adding them twice.
  const sequence = entries.at(-1)?.sequence ?? after;
  if (known !== undefined || kept.size < MAX_KEPT)
    kept.set(row.run, { sequence, measuring: row.finished ? null : measuring, measure });
  return measure;
}

/**
 * Makes room for the newest runs, which come first. Runs are requested in the same order again and again, so evicting
 * the oldest entry would evict exactly the run that is requested next.
 */
function makeRoom(kept: Map<string, Kept>, rows: readonly RunRow[]): void {
  if (kept.size + rows.length <= MAX_KEPT) return;
  const youngest = new Set(rows.slice(0, MAX_KEPT).map(({ run }) => run));
  for (const run of kept.keys()) if (!youngest.has(run)) kept.delete(run);
}

/** False when some entries were pruned. */
function addEntries(measuring: RunMeasuring, entries: readonly LogEntry[]): boolean {
  let isWhole = true;
  for (const entry of entries)
    if (isEmptied(entry)) isWhole = false;
    else if (entry.event !== null) measuring.add(entry.event, entry.at);
  return isWhole;
}

function forgetFirst(map: Map<string, unknown>): void {
  for (const key of map.keys()) {
    map.delete(key);
    return;
  }
}

/** Yields to the event loop every few milliseconds of a long computation. */
class EventLoopYielder {
  readonly #max: number;
  #since = performance.now();

  constructor(max = 5) {
    this.#max = max;
  }

  async yieldNow(): Promise<void> {
    if (performance.now() - this.#since < this.#max) return;
    await setImmediate();
    this.#since = performance.now();
  }
}
