import type { EventLog, RunRow, StoredEntry } from "../ports/event-log.ts";
import type { Machine } from "../ports/machine.ts";
import { AppError } from "../shared/app-error.ts";
import type { TimedEvent } from "../views/timed-event.ts";
import type { Workflow } from "../workflow/definition.ts";
import type { Event } from "../workflow/event.ts";
import { EMPTY_RUN, evolve } from "../workflow/evolve.ts";
import type { RunState } from "../workflow/state.ts";

/** A run as its log tells it. */
export interface ReadRun {
  readonly workflow: Workflow;
  readonly state: RunState;
  /** All of them, inputs too. */
  readonly entries: readonly StoredEntry[];
  readonly events: readonly TimedEvent[];
  readonly sequence: number;
  /** Of its newest entry. */
  readonly position: number;
}

interface Kept extends ReadRun {
  readonly pin: string;
  readonly entries: StoredEntry[];
  readonly events: TimedEvent[];
}

/** Runs that were looked at last, up to this many entries in all: a page that is looked at again reads only news. */
const MOST_KEPT_ENTRIES = 100_000;
const memory = new WeakMap<EventLog, Map<string, Kept>>();

/** Folds what is new since the run was last read here. Whose content was pruned cannot be told. */
export async function readRun({ log }: Pick<Machine, "log">, row: RunRow): Promise<ReadRun> {
  const kept = memory.get(log) ?? new Map<string, Kept>();
  memory.set(log, kept);
  // Also one that was read before: another process may have pruned it since.
  if (row.isPruned) kept.delete(row.run);
  const known = kept.get(row.run);
  if (known !== undefined && known.sequence === row.sequence) return known;
  const before = known?.pin === row.workflow ? known : await emptyRun(log, row);
  const entries = await log.entries(row.run, before.sequence);
  if (entries.some(({ data }) => data === null)) throw pruned(row.run);
  const read = grown(before, entries);
  // The newest stands last, the one that was not asked for longest first.
  kept.delete(row.run);
  kept.set(row.run, read);
  forgetOldest(kept);
  return read;
}

async function emptyRun(log: EventLog, { run, workflow: pin }: RunRow): Promise<Kept> {
  const workflow = await log.workflow(pin);
  if (workflow === null)
    throw new AppError("damaged-state", `The workflow of run ${run} is missing from the store.`, "Restore a backup.");
  const nothing = { state: EMPTY_RUN, entries: [], events: [], sequence: 0, position: 0 };
  return { pin, workflow: workflow as unknown as Workflow, ...nothing };
}

/** Whoever was given the run as it was keeps it so. */
function grown(before: Kept, news: readonly StoredEntry[]): Kept {
  if (news.length === 0) return before;
  let { state, sequence, position } = before;
  const entries = [...before.entries];
  const events = [...before.events];
  for (const entry of news) {
    entries.push(entry);
    ({ sequence, position } = entry);
    if (entry.kind === "input") continue;
    const event = entry.data as unknown as Event;
    events.push({ position, at: entry.at, event });
    state = evolve(state, event);
  }
  return { ...before, state, entries, events, sequence, position };
}

function forgetOldest(kept: Map<string, Kept>): void {
  let size = 0;
  for (const { entries } of kept.values()) size += entries.length;
  for (const [run, { entries }] of kept) {
    if (size <= MOST_KEPT_ENTRIES || kept.size === 1) return;
    kept.delete(run);
    size -= entries.length;
  }
}

function pruned(run: string): AppError {
  const hint = "Only its hashes are left; the list of runs shows how it ended.";
  return new AppError("no-such-run", `The content of run ${run} was pruned.`, hint);
}
