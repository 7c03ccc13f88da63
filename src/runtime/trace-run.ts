import type { Ports } from "../ports/ports.ts";
import { type Decided, RunTrace } from "../views/run-trace.ts";
import type { Event } from "../workflow/event.ts";
import { type LogEntry, readEntries } from "./read-log.ts";
import type { RunSession } from "./run-session.ts";

/** Reports the decisions of a run as telemetry. The run neither waits for it nor fails with it. */
export interface TraceReporter {
  /** Called after the commit, with the input and the events decided on it. */
  report(session: RunSession, input: GivenInput, events: readonly Event[]): void;
}

interface GivenInput {
  readonly kind: string;
  readonly at: number;
  readonly gateRun?: unknown;
}

const NOBODY: TraceReporter = { report: () => undefined };

/** Stored decisions were reported by the process that stored them; here they only restore the state of the trace. */
export async function traceRun({ telemetry, log }: Ports, { lease, workflow }: RunSession): Promise<TraceReporter> {
  if (!telemetry.isOn) return NOBODY;
  const trace = new RunTrace(workflow);
  for (const decided of decisionsIn(await readEntries(log, lease.run))) trace.take(decided);
  return {
    report({ state }, input, events) {
      const spans = trace.take({ events, at: input.at, gateRun: gateRunOf(input) });
      telemetry.report({ run: state.run, startedAt: state.startedAt }, spans);
    },
  };
}

/** Each decision starts with an input. */
function decisionsIn(entries: readonly LogEntry[]): Decided[] {
  const decisions: (Decided & { readonly events: Event[] })[] = [];
  for (const { kind, event, input, at } of entries) {
    if (kind === "input") decisions.push({ events: [], at, gateRun: input === null ? null : gateRunOf(input) });
    else if (event !== null) decisions.at(-1)?.events.push(event);
  }
  return decisions;
}

function gateRunOf({ gateRun }: GivenInput): string | null {
  return typeof gateRun === "string" ? gateRun : null;
}
