/** Something a handoff says that could be untrue. */
export interface Claim {
  readonly kind: ClaimKind;
  /** Where the canonical handoff says it: `work.modified.0`. */
  readonly where: string;
  /** In a sentence, for people and for the agent that wrote it. */
  readonly says: string;
  readonly about: Statement;
}

/** A policy is given by these words. */
export const CLAIM_KINDS = [
  "file",
  "artifact",
  "undeclared",
  "commit",
  "branch",
  "workspace",
  "merge",
  "place",
  "ledger",
  "count",
  "test",
  "coverage",
  "check",
  "command",
  "source",
  "skill",
  "phase",
  "time",
] as const;
export type ClaimKind = (typeof CLAIM_KINDS)[number];

/** What exactly is said; the judge of its kind asks the sightings about it. */
export type Statement =
  | { readonly of: "file"; readonly path: string; readonly change: FileChange; readonly lines: Lines | null }
  | { readonly of: "artifact"; readonly pattern: string }
  /**
   * That no other file was changed, or no other was created, than these; patterns and folders may be among them. The
   * `folders` are said to be the feature's, and are believed where the handoff lies in them.
   */
  | {
      readonly of: "all-changes";
      readonly change: "created" | "any";
      readonly declared: readonly string[];
      readonly folders?: readonly string[];
    }
  | { readonly of: "commit"; readonly sha: string; readonly message: string | null }
  | { readonly of: "commits-added" | "files-changed" | "tests-added"; readonly count: number }
  | { readonly of: "files-counted"; readonly change: "created" | "modified" | "deleted"; readonly count: number }
  /** What was merged may be gone. */
  | { readonly of: "branch"; readonly name: string; readonly isMerged: boolean }
  | {
      readonly of: "workspace";
      readonly path: string | null;
      readonly type: string | null;
      readonly port: string | null;
    }
  | { readonly of: "merge"; readonly sha: string | null; readonly strategy: string | null }
  /** `isPast` when it may have been so only before the work. */
  | { readonly of: "place"; readonly path: string; readonly lines: Lines | null; readonly isPast: boolean }
  | { readonly of: "resolved"; readonly id: string }
  | { readonly of: "fix"; readonly location: string }
  /** Without `isWhole` there may be more than the list has. */
  | {
      readonly of: "count";
      readonly name: string;
      readonly stated: number;
      readonly listed: number;
      readonly isWhole: boolean;
    }
  | { readonly of: "tests"; readonly stated: TestClaim }
  /** Measure null: it does not say of what, lines or statements. */
  | { readonly of: "coverage"; readonly measure: CoverageMeasure | null; readonly percent: number }
  | { readonly of: "check"; readonly check: string; readonly passed: boolean }
  /** Work that goes back may bring a command that fails. */
  | { readonly of: "command"; readonly command: string; readonly expectsFailure: boolean }
  /** Words that no procedure can judge. */
  | { readonly of: "words" }
  | { readonly of: "source"; readonly path: string; readonly lines: Lines | null }
  | { readonly of: "skill"; readonly name: string }
  | { readonly of: "phase"; readonly name: string }
  | { readonly of: "time"; readonly at: string };

/** `changed` is any of them. */
export type FileChange = "created" | "modified" | "deleted" | "changed";

/** First and last line, from 1. */
export interface Lines {
  readonly first: number;
  readonly last: number;
}

/** Null is not said. */
export interface TestClaim {
  readonly passed: number | null;
  readonly failed: number | null;
  readonly total: number | null;
  /** Said without a number: all passed, or not. */
  readonly allPassed: boolean | null;
}

export type CoverageMeasure = "lines" | "branches" | "functions" | "statements";

export type Verdict = "confirmed" | "refuted" | "unverifiable";

/** A claim as it was judged. Plain JSON: it is stored. */
export interface Judgement {
  readonly kind: ClaimKind;
  readonly where: string;
  readonly says: string;
  readonly verdict: Verdict;
  /** How it was judged: `git diff against the state before the step`. */
  readonly procedure: string;
  /** What was seen, in a sentence; with `refuted` it is the evidence that goes back to the author. */
  readonly evidence: string;
}
