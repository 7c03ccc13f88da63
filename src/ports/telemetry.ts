import type { TracedRun, TracedSpan } from "../views/run-trace.ts";

/**
 * Tells the operator's collector what runs did.
 *
 * 1. It never throws, and nobody waits for it but in `settle`, which takes a few seconds at most.
 * 2. The ids of a part follow from its run and its name: every process that drives the run gives the same ones.
 * 3. Where it goes is the operator's to say; nothing in a repository can change it.
 */
export interface Telemetry {
  /** False: nobody listens, so nothing needs to be gathered. */
  readonly isOn: boolean;
  /** Where clients send spans and figures of their own; null when they are not to. */
  readonly collector: Collector | null;
  /** Variables by which a program joins the trace of a run, below this part of it. */
  contextOf(run: TracedRun, part: string): Readonly<Record<string, string>>;
  /** Only what was stored is told, and once. */
  tell(run: TracedRun, spans: readonly TracedSpan[]): void;
  /** Resolves when all that was told has arrived or was given up; tells in a line why something has not arrived. */
  settle(): Promise<string | null>;
  /** Lets go of all connections. */
  close(): void;
}

/** Addresses for OTLP over HTTP, without credentials. */
export interface Collector {
  readonly traces: string | null;
  readonly metrics: string | null;
}

export const NO_TELEMETRY: Telemetry = {
  isOn: false,
  collector: null,
  contextOf: () => ({}),
  tell: () => undefined,
  settle: () => Promise.resolve(null),
  close: () => undefined,
};
