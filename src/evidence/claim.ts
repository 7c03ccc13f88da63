import { type Infer, data } from "../protocol/shape.ts";
import type { JsonPath } from "../shared/json-value.ts";

/** A statement of a handoff that can be checked. */
export interface Claim extends ClaimPlace {
  readonly kind: ClaimKind;
  /** The statement as a sentence, for people and for the agent that wrote it. */
  readonly says: string;
  readonly about: Statement;
  /** The handoff does not say it (`impliedClaims`, `gateClaims`), so it is no untruth of its author. */
  readonly isImplied?: true;
}

/** The place of a claim in the canonical handoff. */
export interface ClaimPlace {
  /** For people: `work.modified.0`. */
  readonly where: string;
  /** The path of the value: `["work", "modified", 0, "path"]`. */
  readonly path: JsonPath;
}

/** `where` names the record; the claim is the record itself, or its value at `value`. */
export function standsAt(record: JsonPath, ...value: JsonPath): ClaimPlace {
  return { where: record.join("."), path: [...record, ...value] };
}

/** The keys of a claim policy. */
export const CLAIM_KINDS = [
  "file",
  "artifact",
  "undeclared",
  "commit",
  "branch",
  "workspace",
  "merge",
  "history",
  "place",
  "ledger",
  "fix",
  "count",
  "figure",
  "test",
  "coverage",
  "check",
  "command",
  "source",
  "skill",
  "phase",
  "time",
  "gate-files",
  "test-files",
  "lockfile",
  "tests-kept",
  "gate-folders",
  "exclusions",
] as const;
export type ClaimKind = (typeof CLAIM_KINDS)[number];

interface ClaimTraits {
  /** What decides: the changes since the base, a gate that was run, or something else. */
  readonly judgedBy: "changes" | "gate" | "other";
  /** True when an agent whose work was sent back makes the claim again in its next handoff. */
  readonly isRepeated: boolean;
}

export const CLAIM_TRAITS: Readonly<Record<ClaimKind, ClaimTraits>> = {
  file: { judgedBy: "changes", isRepeated: true },
  artifact: { judgedBy: "changes", isRepeated: true },
  undeclared: { judgedBy: "changes", isRepeated: false },
  commit: { judgedBy: "changes", isRepeated: true },
  branch: { judgedBy: "changes", isRepeated: false },
  workspace: { judgedBy: "other", isRepeated: false },
  merge: { judgedBy: "changes", isRepeated: false },
  history: { judgedBy: "changes", isRepeated: false },
  place: { judgedBy: "other", isRepeated: false },
  ledger: { judgedBy: "other", isRepeated: false },
  fix: { judgedBy: "changes", isRepeated: false },
  count: { judgedBy: "other", isRepeated: false },
  figure: { judgedBy: "changes", isRepeated: true },
  test: { judgedBy: "gate", isRepeated: false },
  coverage: { judgedBy: "gate", isRepeated: false },
  check: { judgedBy: "gate", isRepeated: false },
  command: { judgedBy: "gate", isRepeated: false },
  source: { judgedBy: "other", isRepeated: false },
  skill: { judgedBy: "other", isRepeated: false },
  phase: { judgedBy: "other", isRepeated: false },
  time: { judgedBy: "other", isRepeated: false },
  "gate-files": { judgedBy: "changes", isRepeated: false },
  "test-files": { judgedBy: "changes", isRepeated: false },
  lockfile: { judgedBy: "changes", isRepeated: false },
  "tests-kept": { judgedBy: "gate", isRepeated: false },
  "gate-folders": { judgedBy: "changes", isRepeated: false },
  exclusions: { judgedBy: "changes", isRepeated: false },
};

/** The content of a claim. There is one judge for each `of` (`judge-claims.ts`). */
export type Statement =
  | { readonly of: "file"; readonly path: string; readonly change: FileChange; readonly lines: LineRange | null }
  | { readonly of: "artifact"; readonly pattern: string }
  /**
   * No other file than these was changed, or was created; patterns and folders may be among them. The claimed feature
   * `folders` count only where they contain the handoff itself.
   */
  | {
      readonly of: "all-changes";
      readonly change: "created" | "any";
      readonly declared: readonly string[];
      readonly folders?: readonly string[];
      /** Those that are said to be new. */
      readonly created?: readonly string[];
    }
  /** The handoff has no list that would name these changes: it claims work, or none. `existing`: not those of new files. */
  | {
      readonly of: "unlisted" | "left-alone";
      readonly change: "existing" | "any";
      readonly declared: readonly string[];
      readonly folders?: readonly string[];
      /** Commits that the handoff lists, which name their files. */
      readonly shas: readonly string[];
    }
  | { readonly of: "commit"; readonly sha: string; readonly message: string | null }
  /** No other commit was made, or all of these are of this work. */
  | { readonly of: "all-commits" | "own-commits"; readonly shas: readonly string[] }
  | { readonly of: "history-kept" | "commit-authors" | "commit-dates" }
  | { readonly of: "written-after"; readonly at: string; readonly shas: readonly string[] }
  | { readonly of: "lines"; readonly measure: "added" | "removed" | "changed" | "written"; readonly count: number }
  /** Without saying which ones; those of a merged branch may be gone. */
  | { readonly of: "commits-counted"; readonly count: number; readonly isMerged: boolean }
  /** Without `isOfRun` they may be iterations within the agent's own work. */
  | { readonly of: "rounds"; readonly count: number; readonly isOfRun: boolean }
  /** In milliseconds, in every way in which it may be meant, and the unit to which it is rounded. */
  | {
      readonly of: "duration";
      readonly readings: readonly number[];
      readonly unit: number;
      readonly isCycle: boolean;
    }
  | { readonly of: "commits-added" | "files-changed" | "tests-added"; readonly count: number }
  | { readonly of: "files-counted"; readonly change: "created" | "modified" | "deleted"; readonly count: number }
  /** A merged branch may have been deleted. */
  | { readonly of: "branch"; readonly name: string; readonly isMerged: boolean }
  | {
      readonly of: "workspace";
      readonly path: string | null;
      readonly type: string | null;
      readonly port: string | null;
    }
  | { readonly of: "merge"; readonly sha: string | null; readonly strategy: string | null }
  /**
   * `isPast` when the place may have existed only before the work, `isNamed` when the text may be the name of something
   * else.
   */
  | {
      readonly of: "place";
      readonly path: string;
      readonly lines: LineRange | null;
      readonly isPast: boolean;
      readonly isNamed?: true;
    }
  /** The handoff may list the issue itself, with `isListed`. */
  | { readonly of: "resolved"; readonly id: string; readonly isListed: boolean }
  /** With `issue`: it is listed as fixed, with this id or without one, and the place may be that of the issue only. */
  | { readonly of: "fix"; readonly location: string; readonly issue?: { readonly id: string | null } }
  /** Without `isWhole` the list may be incomplete. */
  | {
      readonly of: "count";
      readonly name: string;
      readonly stated: number;
      readonly listed: number;
      readonly isWhole: boolean;
    }
  | { readonly of: "tests"; readonly stated: TestClaim }
  /** The measure is null when the handoff does not say what was covered, lines or statements. */
  | { readonly of: "coverage"; readonly measure: CoverageMeasure | null; readonly percent: number }
  | { readonly of: "check"; readonly check: string; readonly passed: boolean }
  /** Work that is sent back may name a command that fails. */
  | { readonly of: "command"; readonly command: string; readonly expectsFailure: boolean }
  /** Prose that no procedure can check. */
  | { readonly of: "words" }
  | { readonly of: "source"; readonly path: string; readonly lines: LineRange | null }
  | { readonly of: "skill"; readonly name: string }
  | { readonly of: "phase"; readonly name: string }
  | { readonly of: "time"; readonly at: string }
  /** No file that defines a gate with one of these commands was changed. */
  | {
      readonly of: "gate-files";
      readonly commands: readonly (readonly string[])[];
      readonly reports: readonly string[];
    }
  | { readonly of: "test-files" | "lockfile" }
  /** No test that the gate runs was removed, skipped or weakened. */
  | { readonly of: "tests-kept"; readonly gate: string }
  /** Nothing was written in these folders, which gates use and git ignores. */
  | { readonly of: "gate-folders"; readonly folders: readonly string[] }
  /** No comment takes lines out of these checks that did not do so before. */
  | { readonly of: "exclusions"; readonly checks: readonly ExcludedCheck[] };

export type ExcludedCheck = "coverage" | "lint";

/** `changed` stands for any of the others. */
export type FileChange = "created" | "modified" | "deleted" | "changed";

/** First and last line, from 1. */
export interface LineRange {
  readonly first: number;
  readonly last: number;
}

/** Null means: not stated. */
export interface TestClaim {
  readonly passed: number | null;
  readonly failed: number | null;
  readonly total: number | null;
  /** Stated without a number: all passed, or not. */
  readonly allPassed: boolean | null;
}

export type CoverageMeasure = "lines" | "branches" | "functions" | "statements";

export const VERDICTS = ["confirmed", "refuted", "unverifiable"] as const;
export type Verdict = (typeof VERDICTS)[number];

export const judgementShape = data.record({
  kind: data.oneOf(CLAIM_KINDS),
  where: data.text(),
  says: data.text(),
  verdict: data.oneOf(VERDICTS),
  /** How it was judged: `git diff against the state before the step`. */
  procedure: data.text(),
  /** What was observed, in a sentence; the author of a refuted claim is sent this. */
  evidence: data.text(),
  /** The claim is that a check passes, and no gate that proves the check has run. */
  lacksGate: data.optional(data.literal(true)),
  /** Files changed that the handoff does not name, although that is no untruth. */
  isUnnamed: data.optional(data.literal(true)),
  /** Nothing that is known fits it, but it may be meant in another way. */
  isDoubtful: data.optional(data.literal(true)),
  /** As in the claim. */
  isImplied: data.optional(data.literal(true)),
});
/** The result for one claim. Plain JSON: it is stored. */
export type Judgement = Infer<typeof judgementShape>;
