import type { EventLog, RunRow } from "../ports/event-log.ts";
import type { Ports } from "../ports/ports.ts";
import { AppError } from "../shared/app-error.ts";
import type { TimedEvent } from "../views/event-line.ts";
import type { Workflow } from "../workflow/definition.ts";
import { EMPTY_RUN, evolve } from "../workflow/evolve.ts";
import type { RunState } from "../workflow/state.ts";
import { type LogEntry, isEmptied, readEntries, readPinnedWorkflow } from "./read-log.ts";

/** A run, read from its log. */
export interface ReadRun {
  readonly workflow: Workflow;
  readonly state: RunState;
  /** All entries, including inputs. */
  readonly entries: readonly LogEntry[];
  readonly events: readonly TimedEvent[];
  readonly sequence: number;
  /** Position of its newest entry. */
  readonly position: number;
}

interface Kept extends ReadRun {
  readonly pin: string;
  readonly entries: LogEntry[];
  readonly events: TimedEvent[];
}

/** Maximum number of entries in the cache of recently read runs: reading a run again reads only its new entries. */
const MAX_KEPT_ENTRIES = 100_000;
const memory = new WeakMap<EventLog, Map<string, Kept>>();

/** Reads the entries since the run was last read here. A pruned run is rejected. */
export async function readRun({ log }: Pick<Ports, "log">, row: RunRow): Promise<ReadRun> {
  const kept = memory.get(log) ?? new Map<string, Kept>();
  memory.set(log, kept);
  // A cached run may have been pruned by another process since.
  if (row.isPruned) kept.delete(row.run);
  const known = kept.get(row.run);
  if (known !== undefined && known.sequence === row.sequence) return known;
  const before = known?.pin === row.workflow ? known : await emptyRun(log, row);
  const entries = await readEntries(log, row.run, before.sequence);
  if (entries.some(isEmptied)) throw pruned(row.run);
  const read = grown(before, entries);
  // Least recently used first.
  kept.delete(row.run);
  kept.set(row.run, read);
  forgetOldest(kept);
  return read;
}

async function emptyRun(log: EventLog, row: RunRow): Promise<Kept> {
  const workflow = await readPinnedWorkflow(log, row);
  return { pin: row.workflow, workflow, state: EMPTY_RUN, entries: [], events: [], sequence: 0, position: 0 };
}

/** Copies the arrays, so that a run that was returned earlier does not change. */
function grown(before: Kept, news: readonly LogEntry[]): Kept {
  if (news.length === 0) return before;
  let { state, sequence, position } = before;
  const entries = [...before.entries];
  const events = [...before.events];
  for (const entry of news) {
    entries.push(entry);
    ({ sequence, position } = entry);
    if (entry.event === null) continue;
    events.push({ position, at: entry.at, event: entry.event });
    state = evolve(state, entry.event);
  }
  return { ...before, state, entries, events, sequence, position };
}

function forgetOldest(kept: Map<string, Kept>): void {
  let size = 0;
  for (const { entries } of kept.values()) size += entries.length;
  for (const [run, { entries }] of kept) {
    if (size <= MAX_KEPT_ENTRIES || kept.size === 1) return;
    kept.delete(run);
    size -= entries.length;
  }
}

function pruned(run: string): AppError {
  const hint = "Only its hashes are left; the list of runs shows how it ended.";
  return new AppError("no-such-run", `The content of run ${run} was pruned.`, hint);
}
