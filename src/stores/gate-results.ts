import type { GateResult, GateResults } from "../ports/gate-results.ts";

/** Kept by this process and nowhere else: what lay in the workspace's own folder, an agent could have put there. */
export function gateResults(): GateResults {
  const results = new Map<string, GateResult>();
  return {
    find: (key) => Promise.resolve(results.get(key) ?? null),
    keep(key, result) {
      results.set(key, result);
      return Promise.resolve();
    },
  };
}
