import type { ObservedGate, Evidence, Observations } from "../../src/evidence/observations.ts";

/** For tests: a workspace in which nothing was seen yet, and what a test puts into it. */
export function sampleEvidence(
  seen: Partial<Observations> = {},
  more: Partial<Omit<Evidence, "observations">> = {},
): Evidence {
  return {
    observations: {
      isRepository: true,
      base: "the state before the step",
      head: { commit: "a".repeat(40), branch: "feature/issue-71-gift-cards" },
      changes: new Map(),
      files: new Map(),
      matches: new Map(),
      commits: new Map(),
      branches: new Map(),
      commitsSinceBase: 0,
      target: "main",
      workspace: { path: "/work/shop-issue-71", isLinkedWorktree: true },
      ...seen,
    },
    gates: [],
    commands: [],
    ledger: null,
    step: null,
    now: 1_800_000_000_000,
    port: null,
    ownFiles: [],
    ...more,
  };
}

export function sampleGate(more: Partial<ObservedGate>): ObservedGate {
  return {
    gate: "test",
    proves: ["tests"],
    command: ["npm", "test"],
    passed: true,
    message: "",
    figures: null,
    ...more,
  };
}
