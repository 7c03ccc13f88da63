import type { Lease, NewEntry, StoredEffect } from "../ports/event-log.ts";
import type { Ports } from "../ports/ports.ts";
import { AppError } from "../shared/app-error.ts";
import { redactJson } from "../shared/redact.ts";
import { decide } from "../workflow/decide.ts";
import type { Workflow } from "../workflow/definition.ts";
import type { Effect } from "../workflow/effect.ts";
import type { Event } from "../workflow/event.ts";
import { EMPTY_RUN, evolve } from "../workflow/evolve.ts";
import type { Input } from "../workflow/input.ts";
import { countRemarks, remarksOf } from "../workflow/remarks.ts";
import type { RunState } from "../workflow/state.ts";
import { codec } from "../workflow/stored/codec.ts";
import type { OwedEffect } from "../workflow/stored/owed-effect.ts";
import { type LogEntry, isEmptied, readEntries, readPinnedWorkflow } from "./read-log.ts";
import type { JsonRecord } from "../shared/json-value.ts";

/** A run whose lease this process holds: its state in memory, and the only way to change it. */
export interface RunSession {
  readonly lease: Lease;
  readonly workflow: Workflow;
  readonly state: RunState;
  readonly sequence: number;
}

export async function openSession(ports: Pick<Ports, "log">, lease: Lease): Promise<RunSession> {
  const row = await ports.log.run(lease.run);
  if (row === null)
    throw new AppError("no-such-run", `There is no run ${lease.run}.`, "`baton status` lists the runs.");
  const workflow = await readPinnedWorkflow(ports.log, row);
  const entries = await readEntries(ports.log, lease.run);
  if (entries.some(isEmptied))
    throw new AppError(
      "no-such-run",
      `The content of run ${lease.run} was pruned.`,
      "Only its hashes are left; start a new run.",
    );
  return { lease, workflow, state: foldEntries(entries), sequence: row.sequence };
}

/** The state after all events of a log. Inputs do not change the state by themselves. */
export function foldEntries(entries: readonly LogEntry[]): RunState {
  let state = EMPTY_RUN;
  for (const { event } of entries) if (event !== null) state = evolve(state, event);
  return state;
}

interface Advance {
  readonly session: RunSession;
  readonly events: readonly Event[];
  readonly effects: readonly Effect[];
}

export interface Receipts {
  /** Inbox messages that contain this input. */
  readonly taken?: readonly string[];
  /** Effects whose result this input is. */
  readonly settled?: readonly string[];
  /** True while agents of the run are being stopped: it stays unfinished until then. */
  readonly isBusy?: boolean;
}

/** Decides and commits. A decision is stored before its effects are executed. */
export async function advanceRun(
  ports: Pick<Ports, "log" | "redact">,
  session: RunSession,
  given: Input,
  { taken = [], settled = [], isBusy = false }: Receipts = {},
): Promise<Advance> {
  const input = redactJson(given, ports.redact);
  const { events, effects, state } = decide(session.workflow, session.state, input);
  const entries: NewEntry[] = [
    { kind: "input", data: codec.encodeInput(input, events) },
    ...events.map((event) => ({ kind: event.kind, data: codec.encodeEvent(event) })),
  ];
  const owed = effects.flatMap(owedEffect);
  await ports.log.commit({
    run: session.lease.run,
    lease: session.lease,
    after: session.sequence,
    at: input.at,
    entries,
    effects: owed.map(storedEffect),
    settled,
    taken,
    status: rowStatus(state),
    finished: state.status !== "running" && !isBusy && owed.length === 0,
    summary: summariseRun(session.workflow, state),
    wakeAt: wakeTime(state),
  });
  return { session: { ...session, state, sequence: session.sequence + entries.length }, events, effects };
}

/**
 * The effects to store. Stopping an agent ends with its attempt, and notifications are read from the log, so neither is
 * stored. The reason for starting an agent is in the state and is left out.
 */
function owedEffect(effect: Effect): OwedEffect[] {
  switch (effect.kind) {
    case "start-agent": {
      const { reason: _reason, ...owed } = effect;
      return [owed];
    }
    case "run-gate":
      return [effect];
    case "stop-agent":
    case "notify":
      return [];
  }
}

function storedEffect(effect: OwedEffect): StoredEffect {
  return { key: effect.key, kind: effect.kind, data: codec.encodeEffect(effect) };
}

/** The fields for a list of runs, which are read without the log. */
function summariseRun(workflow: Workflow, state: RunState): JsonRecord {
  const tasks = Object.values(state.tasks);
  return {
    workflow: workflow.name,
    iteration: state.iteration,
    steps: state.steps,
    tasks: tasks.length,
    done: tasks.filter((task) => task.status === "done").length,
    agents: tasks.flatMap(({ step }) => (step === null ? [] : [step.agent])),
    asks: Object.values(state.asks).map(({ id, title }) => ({ id, title })),
    open_issues: Object.values(state.ledger).filter((issue) => issue.status === "open").length,
    reason: state.reason,
    remarks: state.status === "running" ? {} : countRemarks(remarksOf(workflow, state)),
    ...(state.observed !== undefined && {
      observed: { ...state.observed },
      failed: tasks.filter((task) => task.status === "failed").map(({ name }) => name),
    }),
  };
}

function rowStatus(state: RunState): string {
  if (isParked(state)) return "waiting";
  // Its client drives it, if anything does.
  return state.status === "running" && state.observed !== undefined ? "watched" : state.status;
}

/** True when only a person can continue the run. */
export function isParked(state: RunState): boolean {
  if (state.status !== "running" || Object.keys(state.asks).length === 0) return false;
  return !Object.values(state.tasks).some(({ step }) => step !== null && step.phase !== "asking");
}

/** The time of the next timer; null when the run only waits for inputs. */
function wakeTime(state: RunState): number | null {
  const due = Object.values(state.timers).map((timer) => timer.dueAt);
  return state.status !== "running" || due.length === 0 ? null : Math.min(...due);
}
