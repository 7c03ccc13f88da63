import { type Infer, data } from "../protocol/shape.ts";
import type { JsonPath } from "../shared/json-value.ts";

/** A statement of a handoff that can be checked. */
export interface Claim extends ClaimPlace {
  readonly kind: ClaimKind;
  /** The statement as a sentence, for people and for the agent that wrote it. */
  readonly says: string;
  readonly about: Statement;
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
  place: { judgedBy: "other", isRepeated: false },
  ledger: { judgedBy: "other", isRepeated: false },
  count: { judgedBy: "other", isRepeated: false },
  test: { judgedBy: "gate", isRepeated: false },
  coverage: { judgedBy: "gate", isRepeated: false },
  check: { judgedBy: "gate", isRepeated: false },
  command: { judgedBy: "gate", isRepeated: false },
  source: { judgedBy: "other", isRepeated: false },
  skill: { judgedBy: "other", isRepeated: false },
  phase: { judgedBy: "other", isRepeated: false },
  time: { judgedBy: "other", isRepeated: false },
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
    }
  | { readonly of: "commit"; readonly sha: string; readonly message: string | null }
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
  /** `isPast` when the place may have existed only before the work. */
  | { readonly of: "place"; readonly path: string; readonly lines: LineRange | null; readonly isPast: boolean }
  | { readonly of: "resolved"; readonly id: string }
  | { readonly of: "fix"; readonly location: string }
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
  | { readonly of: "time"; readonly at: string };

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
});
/** The result for one claim. Plain JSON: it is stored. */
export type Judgement = Infer<typeof judgementShape>;
