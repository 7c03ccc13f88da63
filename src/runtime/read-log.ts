import type { Ports } from "../ports/ports.ts";
import type { EventLog, StoredEntry } from "../ports/event-log.ts";
import { AppError } from "../shared/app-error.ts";
import type { Workflow } from "../workflow/definition.ts";
import type { Event } from "../workflow/event.ts";
import type { RunInput } from "../workflow/input.ts";
import { codec, withoutVersion } from "../workflow/stored/codec.ts";
import type { OwedEffect } from "../workflow/stored/owed-effect.ts";
import type { KeptInput } from "../workflow/stored/kept-input.ts";
import { EMPTY_RUN, evolve } from "../workflow/evolve.ts";
import type { RunState } from "../workflow/state.ts";

/** Reads the log of a run. This is the only place where stored data are decoded, each once. */

/** A decoded entry. Both `event` and `input` are null once it was pruned. */
export interface LogEntry extends Omit<StoredEntry, "data"> {
  readonly event: Event | null;
  readonly input: KeptInput | null;
}

export function decodeEntry({ data, ...entry }: StoredEntry): LogEntry {
  if (data === null) return { ...entry, event: null, input: null };
  const where = `Entry ${entry.sequence} of run ${entry.run}`;
  return entry.kind === "input"
    ? { ...entry, event: null, input: codec.decodeInput(data, where) }
    : { ...entry, event: codec.decodeEvent(data, where), input: null };
}

/** Entries for surfaces, including pruned ones: as they are stored, without the version of their shape. */
export async function readShownEntries(log: Pick<EventLog, "entries">, run: string): Promise<StoredEntry[]> {
  const entries = await log.entries(run);
  return entries.map((entry) => ({ ...entry, data: entry.data === null ? null : withoutVersion(entry.data) }));
}

export function isEmptied({ event, input }: Pick<LogEntry, "event" | "input">): boolean {
  return event === null && input === null;
}

/** Entries after the sequence number `after`, if it is given. */
export async function readEntries(log: Pick<EventLog, "entries">, run: string, after?: number): Promise<LogEntry[]> {
  return (await log.entries(run, after)).map(decodeEntry);
}

/** The same for a run that must not have been pruned. */
export async function readWholeEntries(
  log: Pick<EventLog, "entries">,
  run: string,
  after?: number,
): Promise<LogEntry[]> {
  const entries = await readEntries(log, run, after);
  if (!entries.some(isEmptied)) return entries;
  throw new AppError(
    "no-such-run",
    `The content of run ${run} was pruned.`,
    "Only its hashes are left; `baton status --all` lists the other runs.",
  );
}

export function eventsOf(entries: readonly LogEntry[]): Event[] {
  return entries.flatMap(({ event }) => (event === null ? [] : [event]));
}

/** The workflow that a run is pinned to. */
export async function readPinnedWorkflow(
  log: Pick<EventLog, "workflow">,
  { run, workflow: pin }: { readonly run: string; readonly workflow: string },
): Promise<Workflow> {
  const stored = await log.workflow(pin);
  if (stored !== null) return codec.decodeWorkflow(stored, `The workflow of run ${run}`);
  throw new AppError("damaged-state", `The workflow of run ${run} is missing from the store.`, "Restore a backup.");
}

/** Whether an input to the run waits to be processed. */
export async function hasMessages({ log }: Pick<Ports, "log">, run: string): Promise<boolean> {
  return (await log.messages(run)).length > 0;
}

/** The inbox of a run, the oldest message first. */
export async function readInbox(
  log: Pick<EventLog, "messages">,
  run: string,
): Promise<{ readonly id: string; readonly message: RunInput }[]> {
  const messages = await log.messages(run);
  return messages.map(({ id, input }) => ({
    id,
    message: codec.decodeMessage(input, `An inbox message of run ${run}`),
  }));
}

/** Effects that were decided and are not done. */
export async function readOutbox(log: Pick<EventLog, "outbox">, run: string): Promise<OwedEffect[]> {
  const effects = await log.outbox(run);
  return effects.map(({ key, kind, data }) => codec.decodeEffect(key, kind, data, `An effect of run ${run}`));
}

interface RecordedDecision {
  readonly events: readonly Event[];
  readonly before: RunState;
  /** The state after the decision. */
  readonly state: RunState;
  readonly at: number;
}

/** A decision is an input and all events that follow from it. */
export function decisionsIn(entries: readonly LogEntry[]): RecordedDecision[] {
  const decisions: RecordedDecision[] = [];
  let [before, state] = [EMPTY_RUN, EMPTY_RUN];
  let events: Event[] = [];
  for (const [at, entry] of entries.entries()) {
    if (entry.event !== null) {
      events.push(entry.event);
      state = evolve(state, entry.event);
    }
    const next = entries[at + 1];
    if (events.length > 0 && (next === undefined || next.kind === "input")) {
      decisions.push({ events, before, state, at: entry.at });
      before = state;
      events = [];
    }
  }
  return decisions;
}
