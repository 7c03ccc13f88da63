import type { GateResult, GateResults } from "../ports/gate-results.ts";

/** Each may hold the end of an output, and a server runs for months; nobody comes back to files of long ago. */
const MOST_KEPT = 500;

/** Kept by this process and nowhere else: what lay in the workspace's own folder, an agent could have put there. */
export function gateResults(most = MOST_KEPT): GateResults {
  const results = new Map<string, GateResult>();
  return {
    find: (key) => Promise.resolve(results.get(key) ?? null),
    keep(key, result) {
      results.delete(key);
      results.set(key, result);
      for (const oldest of results.keys()) if (results.size > most) results.delete(oldest);
      return Promise.resolve();
    },
  };
}
