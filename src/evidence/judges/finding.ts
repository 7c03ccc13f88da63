import type { Judgement } from "../claim.ts";
import type { Effort } from "../path-pattern.ts";
import type { Scene } from "../sightings.ts";
import type { ChangeIndex } from "./change-index.ts";
import type { LedgerIndex } from "./ledger-index.ts";

/** The part of a judgement that its judge finds. */
export type Finding = Pick<Judgement, "verdict" | "procedure" | "evidence">;

/** The scene with its changes and issues put in order once for all claims. */
export interface Court extends Scene {
  readonly index: ChangeIndex;
  /** Null where there is no run. */
  readonly issues: LedgerIndex | null;
  /** For comparing patterns, of all claims together. */
  readonly effort: Effort;
}

export function confirmed(procedure: string, evidence: string): Finding {
  return { verdict: "confirmed", procedure, evidence };
}

export function refuted(procedure: string, evidence: string): Finding {
  return { verdict: "refuted", procedure, evidence };
}

export function unverifiable(procedure: string, evidence: string): Finding {
  return { verdict: "unverifiable", procedure, evidence };
}

/** It was judged by the look of its words, and nobody looked anywhere. */
export const ON_SIGHT = "not looked at";
export const NO_PROCEDURE = "no procedure";
export const PRESENCE = "look at the file in the workspace";

export const SHALLOW = "The clone is shallow: it may be among what was not fetched.";
export const TOO_SHORT = "So few digits may be the beginning of several commit ids; 7 and more are looked for.";

export const TOO_MUCH = "Its patterns are too much to be compared with all changed files.";

export function diffProcedure({ sightings }: Scene): string {
  return `git diff against ${sightings.base ?? "nothing"}`;
}
