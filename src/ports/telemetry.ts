import type { TracedRun, TracedSpan } from "../views/run-trace.ts";

/**
 * Reports runs to the operator's collector.
 *
 * 1. It never throws, and only `settle` waits for it, for a few seconds at most.
 * 2. The ids of a span are derived from its run and its name: every process that drives the run computes the same ids.
 * 3. Only the operator configures the collector; nothing in a repository can change it.
 */
export interface Telemetry {
  /** False when there is no collector, so nothing needs to be gathered. */
  readonly isOn: boolean;
  /** Where clients send their own spans and metrics; null when they send none. */
  readonly collector: Collector | null;
  /** Environment variables with which a program joins the trace of a run, as a child of this span. */
  contextOf(run: TracedRun, part: string): Readonly<Record<string, string>>;
  /** Reports spans of stored decisions, each once. */
  report(run: TracedRun, spans: readonly TracedSpan[]): void;
  /** Resolves when all reports were delivered or given up; returns a line about a failed delivery, or null. */
  settle(): Promise<string | null>;
  /** Closes all connections. */
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
  report: () => undefined,
  settle: () => Promise.resolve(null),
  close: () => undefined,
};
