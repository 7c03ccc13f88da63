import type { CoverageMeasure } from "./claim.ts";

/** What must be looked at to judge claims. Only safe paths and names stand here: hostile ones were refuted already. */
export interface Needs {
  /** Files whose presence is asked for. */
  readonly paths: readonly string[];
  /** Of these the number of lines too. */
  readonly lengths: readonly string[];
  /** Of these the lines that changed too. */
  readonly hunks: readonly string[];
  readonly patterns: readonly string[];
  /** Ids of commits, whole or shortened, hexadecimal. */
  readonly commits: readonly string[];
  readonly branches: readonly string[];
  /** Whether the list of changed files is asked for. */
  readonly changes: boolean;
  /** Of the commits, those that are said to have brought the work to the target: whether they hold it. */
  readonly merges?: readonly string[];
  /** Whether commits and files are counted: what each commit brought, and what is committed at all. */
  readonly counts?: boolean;
}

/** What was seen in the workspace and its repository. */
export interface Sightings {
  /** False where git does not rule: then only presence can be judged. */
  readonly isRepository: boolean;
  /** What changes are counted from, in words: `commit 1a2b3c4`, `the state before the step`; null without one. */
  readonly base: string | null;
  /** The commit that changes are counted from, if it is one. */
  readonly baseCommit?: string | null;
  /** History was cut off: what is not found may be among what was not fetched. */
  readonly isShallow?: boolean;
  readonly head: { readonly commit: string | null; readonly branch: string | null };
  /** Every file that differs from the base, by path; of a renamed file both names. */
  readonly changes: ReadonlyMap<string, ChangeSight>;
  /** An answer to every needed path. */
  readonly files: ReadonlyMap<string, FileSight>;
  /** By pattern, files that match it. */
  readonly matches: ReadonlyMap<string, PatternSight>;
  /** By id as it was asked for; null when the repository has no such commit, or several. */
  readonly commits: ReadonlyMap<string, CommitSight | null>;
  readonly branches: ReadonlyMap<string, BranchSight>;
  /** Commits of HEAD that the base commit does not have; null when there is no base commit. */
  readonly commitsSinceBase: number | null;
  /** Of these, those that are neither merges nor on the target branch: what was merged in is not the work's own. */
  readonly ownCommitsSinceBase?: number | null;
  /** The files of each of the work's own commits; only when counts are asked for and there are not too many. */
  readonly ownCommitFiles?: readonly (readonly string[])[];
  /** What differs between the base commit and HEAD; only when counts are asked for. */
  readonly committed?: ReadonlyMap<string, ChangeSight>;
  /** The branch that work is merged into, `main` or `origin/main`; null when nobody can tell. */
  readonly target: string | null;
  readonly workspace: { readonly path: string; readonly isLinkedWorktree: boolean };
}

export interface ChangeSight {
  readonly change: "created" | "modified" | "deleted" | "renamed";
  /** Line ranges of the new text that differ; null when they were not asked for or the file is not text. */
  readonly hunks: readonly HunkSight[] | null;
  /** Of a renamed file its name before. */
  readonly from?: string;
}

/** Lines of the new text from `first`; `count` 0 means that lines were only taken away there. */
export interface HunkSight {
  readonly first: number;
  readonly count: number;
  /** The lines that they replace, in the numbers of the old text. */
  readonly before?: { readonly first: number; readonly count: number };
}

export interface FileSight {
  /** `outside` leads out of the workspace, by a link or otherwise; `other` is a device, a pipe, a socket. */
  readonly is: "absent" | "file" | "folder" | "link" | "outside" | "other";
  /** Null when it was not asked for, or is too large to be counted. */
  readonly lines: number | null;
  /** Git does not see its changes: it ignores it, a link leads there, or another repository rules there. */
  readonly isIgnored: boolean;
}

export interface PatternSight {
  readonly count: number;
  /** Of these, how many differ from the base. */
  readonly changed: number;
  /** All files of the workspace match it. */
  readonly isEverything: boolean;
}

export interface CommitSight {
  readonly sha: string;
  readonly message: string;
  readonly parents: number;
  /** HEAD has it. */
  readonly isInHead: boolean;
  /** HEAD has it and the base has not. */
  readonly isSinceBase: boolean;
  /** The target branch has it. */
  readonly isOnTarget: boolean;
  /** The base has it, or is it. */
  readonly isInBase?: boolean;
  /** How it has the changed files; only of a merge on the target. */
  readonly held?: HeldFiles;
}

/** Each changed file in some commit: as it is in the workspace, as it was in the base, or in another way. */
export type HeldFiles = ReadonlyMap<string, HeldFile>;
export type HeldFile = "now" | "before" | "other";

export interface BranchSight {
  readonly exists: boolean;
  readonly isCurrent: boolean;
  /** Of a branch that exists and is not the current one; undefined when nobody looked. */
  readonly work?: BranchWork;
}

/** What a branch has of the work. */
export interface BranchWork {
  /** Of the commits since the base, those that it has not. */
  readonly missing: number;
  /** Its tip is one of the commits since the base. */
  readonly isPassed: boolean;
  /** Another worktree is on it, and nobody looks there. */
  readonly isElsewhere: boolean;
  readonly held: HeldFiles;
}

/** What a gate that we ran ourselves has shown. Plain JSON: it is stored. */
export interface GateSighting {
  readonly gate: string;
  /** The checks that its exit code is the answer to: `tests`, `lint`, `build`, ... */
  readonly proves: readonly string[];
  readonly command: readonly string[];
  readonly passed: boolean;
  readonly message: string;
  readonly figures: Figures | null;
}

/** Out of machine-readable reports; null is not known. Plain JSON. */
export interface Figures {
  readonly tests: TestFigures | null;
  readonly coverage: Readonly<Partial<Record<CoverageMeasure, number>>> | null;
  /** Where they come from: `reports/junit.xml (JUnit XML)`. */
  readonly sources: readonly string[];
  /** Reports that were named and could not be used, with the reason. */
  readonly problems: readonly string[];
}

export interface TestFigures {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export interface StepSight {
  readonly startedAt: number;
  readonly phase: string | null;
  /** The handoff ends the run, and the workflow lets this step do so: its phase is `Complete` then. */
  readonly endsRun?: boolean;
}

/** What else is known where a claim is judged. */
export interface Scene {
  readonly sightings: Sightings;
  /** Gates that ran on this very state of the workspace. */
  readonly gates: readonly GateSighting[];
  /** Commands that handoffs brought and that were run with approval. */
  readonly commands: readonly CommandSighting[];
  /** Null where there is no run. */
  readonly ledger: readonly LedgerSight[] | null;
  /** Null where there is no run. */
  readonly step: StepSight | null;
  readonly now: number;
  /** Port leased to the run; null where there is none. */
  readonly port: string | null;
  /** Files that handing over itself makes: what the handoff was read from. Nobody has to declare them. */
  readonly ownFiles: readonly string[];
}

export interface CommandSighting {
  readonly command: string;
  readonly passed: boolean;
  readonly message: string;
}

export interface LedgerSight {
  readonly id: string;
  readonly status: string;
  readonly location: string | null;
  readonly isBlocking: boolean;
}

/** Where git does not rule and nobody has looked. */
export const NOTHING_SEEN: Sightings = {
  isRepository: false,
  base: null,
  head: { commit: null, branch: null },
  changes: new Map(),
  files: new Map(),
  matches: new Map(),
  commits: new Map(),
  branches: new Map(),
  commitsSinceBase: null,
  target: null,
  workspace: { path: "", isLinkedWorktree: false },
};
