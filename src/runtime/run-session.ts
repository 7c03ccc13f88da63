import type { Lease, NewEntry, StoredEffect, StoredEntry } from "../ports/event-log.ts";
import type { Machine } from "../ports/machine.ts";
import { AppError } from "../shared/app-error.ts";
import type { JsonRecord } from "../shared/json-value.ts";
import { redactJson } from "../shared/redact.ts";
import { decide } from "../workflow/decide.ts";
import type { Workflow } from "../workflow/definition.ts";
import type { Effect } from "../workflow/effect.ts";
import type { Event } from "../workflow/event.ts";
import { EMPTY_RUN, evolve } from "../workflow/evolve.ts";
import type { Input } from "../workflow/input.ts";
import type { RunState } from "../workflow/state.ts";
import { inputEntry } from "./stored-input.ts";
import { isParked, summarise, wakeTime } from "./summarise-run.ts";

/** A run that this process holds the lease of: its state in memory, and the one way to change it. */
export interface RunSession {
  readonly lease: Lease;
  readonly workflow: Workflow;
  readonly state: RunState;
  readonly sequence: number;
}

export async function openSession(machine: Machine, lease: Lease): Promise<RunSession> {
  const row = await machine.log.run(lease.run);
  if (row === null)
    throw new AppError("no-such-run", `There is no run ${lease.run}.`, "`baton status` lists the runs.");
  const workflow = await machine.log.workflow(row.workflow);
  if (workflow === null)
    throw new AppError(
      "damaged-state",
      `The workflow of run ${lease.run} is missing from the store.`,
      "Restore a backup.",
    );
  const entries = await machine.log.entries(lease.run);
  if (entries.some(({ data }) => data === null))
    throw new AppError(
      "no-such-run",
      `The content of run ${lease.run} was pruned.`,
      "Only its hashes are left; start a new run.",
    );
  return { lease, workflow: workflow as unknown as Workflow, state: foldEntries(entries), sequence: row.sequence };
}

/** The state that a log tells; what the world told stands in it too, and changes nothing by itself. */
export function foldEntries(entries: readonly StoredEntry[]): RunState {
  let state = EMPTY_RUN;
  for (const { kind, data } of entries) {
    if (data !== null && kind !== "input") state = evolve(state, data as unknown as Event);
  }
  return state;
}

export interface Advance {
  readonly session: RunSession;
  readonly events: readonly Event[];
  readonly effects: readonly Effect[];
}

export interface Receipts {
  /** Letters that this input came by. */
  readonly taken?: readonly string[];
  /** Effects that it is the outcome of. */
  readonly settled?: readonly string[];
  /** Agents of the run are still being ended: it stays unfinished until they are. */
  readonly isBusy?: boolean;
}

/** Load, decide, commit. What was decided is stored before anything of it is done. */
export async function advanceRun(
  machine: Machine,
  session: RunSession,
  told: Input,
  { taken = [], settled = [], isBusy = false }: Receipts = {},
): Promise<Advance> {
  const input = redactJson(told as unknown as JsonRecord, machine.redact) as unknown as Input;
  const { events, effects, state } = decide(session.workflow, session.state, input);
  const entries: NewEntry[] = [inputEntry(input, events), ...events.map(entryOf)];
  await machine.log.commit({
    run: session.lease.run,
    lease: session.lease,
    after: session.sequence,
    at: input.at,
    entries,
    effects: effects.filter(outlivesUs).map(storedEffect),
    settled,
    taken,
    status: isParked(state) ? "waiting" : state.status,
    finished: state.status !== "running" && !isBusy && !effects.some(outlivesUs),
    summary: summarise(session.workflow, state),
    wakeAt: wakeTime(state),
  });
  return { session: { ...session, state, sequence: session.sequence + entries.length }, events, effects };
}

function entryOf(event: Event): NewEntry {
  return { kind: event.kind, data: event as unknown as JsonRecord };
}

/** To stop an agent is done with the attempt itself, and to tell somebody can be read in the log. */
function outlivesUs(effect: Effect): boolean {
  return effect.kind === "start-agent" || effect.kind === "run-gate";
}

/** Why an agent was started stands in the state; here it would be written once more. */
function storedEffect(effect: Effect): StoredEffect {
  const { key, kind, reason: _reason, ...data } = { reason: null, ...effect };
  return { key, kind, data };
}
