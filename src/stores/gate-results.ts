import type { GateResult, GateResults } from "../ports/ports.ts";

/** A result may contain the end of an output, and a server runs for months, so old results are dropped. */
const MAX_KEPT = 500;

/** Kept in the memory of this process: a result in the workspace could have been written by an agent. */
export function gateResults(max = MAX_KEPT): GateResults {
  const results = new Map<string, GateResult>();
  return {
    find: (key) => Promise.resolve(results.get(key) ?? null),
    keep(key, result) {
      results.delete(key);
      results.set(key, result);
      for (const oldest of results.keys()) if (results.size > max) results.delete(oldest);
      return Promise.resolve();
    },
  };
}
