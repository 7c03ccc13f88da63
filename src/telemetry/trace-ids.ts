import { createHash } from "node:crypto";
import type { TracedRun } from "../views/run-trace.ts";

/**
 * Ids by hash and not by chance: a process that goes on with a run after another one was killed knows the ids
 * that were given to agents before. The start time keeps runs apart whose short names meet on two machines.
 */
export function traceIdOf({ run, startedAt }: TracedRun): string {
  return digest(["trace", run, startedAt]).slice(0, 32);
}

export function spanIdOf({ run, startedAt }: TracedRun, part: string): string {
  return digest(["span", run, startedAt, part]).slice(0, 16);
}

/** W3C trace context in the variables that programs read it from. */
export function traceContext(traced: TracedRun, part: string): Readonly<Record<string, string>> {
  const parent = { TRACEPARENT: `00-${traceIdOf(traced)}-${spanIdOf(traced, part)}-01` };
  return /^[\w.-]{1,200}$/.test(traced.run) ? { ...parent, TRACESTATE: `baton=${traced.run}` } : parent;
}

function digest(parts: readonly (string | number)[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}
