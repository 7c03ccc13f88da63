import type { StoredEntry } from "../ports/event-log.ts";
import type { Machine } from "../ports/machine.ts";
import { type Decided, RunTrace } from "../views/run-trace.ts";
import type { Event } from "../workflow/event.ts";
import type { RunSession } from "./run-session.ts";

/** Tells what was decided in a run to whoever collects telemetry. Nothing waits for it, and nothing fails with it. */
export interface TraceTeller {
  /** After the commit: what the world told at that time, and what was decided on it. */
  tell(session: RunSession, input: GivenInput, events: readonly Event[]): void;
}

interface GivenInput {
  readonly kind: string;
  readonly at: number;
  readonly gateRun?: unknown;
}

const NOBODY: TraceTeller = { tell: () => undefined };

/** What is stored already was told by whoever stored it: here it is only remembered. */
export async function traceRun({ telemetry, log }: Machine, { lease, workflow }: RunSession): Promise<TraceTeller> {
  if (!telemetry.isOn) return NOBODY;
  const trace = new RunTrace(workflow);
  for (const decided of decisionsIn(await log.entries(lease.run))) trace.take(decided);
  return {
    tell({ state }, input, events) {
      const spans = trace.take({ events, at: input.at, gateRun: gateRunOf(input) });
      telemetry.tell({ run: state.run, startedAt: state.startedAt }, spans);
    },
  };
}

/** An input begins each of them. */
function decisionsIn(entries: readonly StoredEntry[]): Decided[] {
  const decisions: (Decided & { readonly events: Event[] })[] = [];
  for (const { kind, data, at } of entries) {
    if (kind === "input") decisions.push({ events: [], at, gateRun: gateRunOf({ kind, at, ...data }) });
    else if (data !== null) decisions.at(-1)?.events.push(data as unknown as Event);
  }
  return decisions;
}

function gateRunOf({ gateRun }: GivenInput): string | null {
  return typeof gateRun === "string" ? gateRun : null;
}
