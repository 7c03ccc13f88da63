import type { CoverageMeasure } from "./claim.ts";
import type { ChangedText } from "./gate-files.ts";
import type { ComparedGate } from "./test-cases.ts";
import type { Scripts } from "./used-tools.ts";

/** What has to be observed to judge claims. Only safe paths and names: hostile ones are refuted without a look. */
export interface NeededObservations {
  /** Files whose presence is needed. */
  readonly paths: readonly string[];
  /** Files whose number of lines is needed too. */
  readonly lengths: readonly string[];
  /** Files whose changed lines are needed too. */
  readonly hunks: readonly string[];
  readonly patterns: readonly string[];
  /** Ids of commits, whole or shortened, hexadecimal. */
  readonly commits: readonly string[];
  readonly branches: readonly string[];
  /** Whether the list of changed files is needed. */
  readonly changes: boolean;
  /** Commits that are claimed to have merged the work into the target: whether they contain it. */
  readonly merges?: readonly string[];
  /** Whether lines are counted. */
  readonly lines?: boolean;
  /** Whether all commits are counted. */
  readonly commitTotals?: boolean;
  /** When the run began; commits since then may be meant by a number of lines. */
  readonly startedAt?: number;
  /** Whether commits and files are counted: the files of each commit, and what is committed at all. */
  readonly counts?: boolean;
  /** Whether the new commits are needed, with their authors and dates. */
  readonly history?: boolean;
}

/** For the list of changed files and nothing else. */
export const ONLY_CHANGES: NeededObservations = {
  paths: [],
  lengths: [],
  hunks: [],
  patterns: [],
  commits: [],
  branches: [],
  changes: true,
};

/** What was observed in the workspace and its repository. */
export interface Observations {
  /** False outside of a git repository, where only presence can be judged. */
  readonly isRepository: boolean;
  /** What changes are counted from, in words: `commit 1a2b3c4`, `the state before the step`; null without one. */
  readonly base: string | null;
  /** The commit that changes are counted from, if it is one. */
  readonly baseCommit?: string | null;
  /** The clone is shallow: a commit that is not found may not have been fetched. */
  readonly isShallow?: boolean;
  readonly head: { readonly commit: string | null; readonly branch: string | null };
  /** Every file that differs from the base, by path; of a renamed file both names. */
  readonly changes: ReadonlyMap<string, ObservedChange>;
  /** One entry for every needed path. */
  readonly files: ReadonlyMap<string, ObservedFile>;
  /** The files that match each pattern. */
  readonly matches: ReadonlyMap<string, ObservedPattern>;
  /** By the needed id; null when the repository has no such commit, or several. */
  readonly commits: ReadonlyMap<string, ObservedCommit | null>;
  readonly branches: ReadonlyMap<string, ObservedBranch>;
  /** Commits of HEAD that the base commit does not have; null when there is no base commit. */
  readonly commitsSinceBase: number | null;
  /** Those of them that are neither merges nor on the target branch: merged commits are not part of the work. */
  readonly ownCommitsSinceBase?: number | null;
  /** The files of each of the work's own commits; only when counts are needed and there are not too many. */
  readonly ownCommitFiles?: readonly (readonly string[])[];
  /** What differs between the base commit and HEAD; only when counts are needed. */
  readonly committed?: ReadonlyMap<string, ObservedChange>;
  /** Only when lines are needed and there is a base. */
  readonly lines?: ObservedLines;
  /** Only when they are needed: commits in HEAD, on all branches, and since the target branch was left. */
  readonly commitCounts?: { readonly inHead: number; readonly inAll: number; readonly sinceTarget: number | null };
  /** The branch that work is merged into, `main` or `origin/main`; null when it is not known. */
  readonly target: string | null;
  readonly workspace: { readonly path: string; readonly isLinkedWorktree: boolean };
  /** The operator has named the base, or a run has noted it: nothing before it is of this work. */
  readonly isBaseKnown?: boolean;
  /** Only when it is needed and there is a base commit. */
  readonly history?: ObservedHistory;
}

/** What happened to the history since the base. */
export interface ObservedHistory {
  /** HEAD contains the base commit; null when it cannot be told. */
  readonly isBaseKept: boolean | null;
  /** When the base was noted, in milliseconds; null where no run noted it. */
  readonly since: number | null;
  /** When it was looked at. */
  readonly now: number;
  /** Addresses that git was configured to commit with when the base was noted; empty when it is not known. */
  readonly accounts: readonly string[];
  /** Made since the base, newest first: neither merges, nor merged in, nor known to the repository before. */
  readonly commits: readonly NewCommit[];
  /** False when there were too many to list. */
  readonly isWhole: boolean;
}

export interface NewCommit {
  readonly sha: string;
  readonly subject: string;
  /** E-mail addresses. */
  readonly author: string;
  readonly committer: string;
  /** Milliseconds. */
  readonly authoredAt: number;
  readonly committedAt: number;
  /** Null when they were not looked at. */
  readonly files: readonly string[] | null;
}

export interface LineCount {
  readonly added: number;
  readonly removed: number;
}

export interface ObservedLines {
  /** Since the base; a renamed file is one that went and one that came. */
  readonly files: ReadonlyMap<string, LineCount>;
  /** Of the branch, the run, what is not committed, and the sum of all commits. */
  readonly others: readonly LineCount[];
  /** Lines of all files; null when they were not counted. */
  readonly all: number | null;
}

export interface ObservedChange {
  readonly change: "created" | "modified" | "deleted" | "renamed";
  /** Line ranges of the new text that differ; null when they were not needed or the file is not text. */
  readonly hunks: readonly ObservedHunk[] | null;
  /** The former name of a renamed file. */
  readonly from?: string;
}

/** Lines of the new text from `first`; `count` 0 means that lines were only removed there. */
export interface ObservedHunk {
  readonly first: number;
  readonly count: number;
  /** The lines that they replace, in the numbers of the old text. */
  readonly before?: { readonly first: number; readonly count: number };
}

export interface ObservedFile {
  /** `outside` leads out of the workspace, by a link or otherwise; `other` is a device, a pipe, a socket. */
  readonly is: "absent" | "file" | "folder" | "link" | "outside" | "other";
  /** Null when it was not needed, or the file is too large to be counted. */
  readonly lines: number | null;
  /** Git does not see its changes: the file is ignored, behind a link, or in another repository. */
  readonly isIgnored: boolean;
  /** The files in a folder and below, where there are only a few. */
  readonly few?: readonly string[];
}

export interface ObservedPattern {
  readonly count: number;
  /** How many of them differ from the base. */
  readonly changed: number;
  /** The pattern matches all files of the workspace. */
  readonly isEverything: boolean;
}

export interface ObservedCommit {
  readonly sha: string;
  readonly message: string;
  readonly parents: number;
  /** HEAD contains it. */
  readonly isInHead: boolean;
  /** HEAD contains it and the base does not. */
  readonly isSinceBase: boolean;
  /** The target branch contains it. */
  readonly isOnTarget: boolean;
  /** When it was committed, in milliseconds. */
  readonly committedAt?: number;
  /** The base contains it, or is it. */
  readonly isInBase?: boolean;
  /** How it contains the changed files; only for a merge on the target. */
  readonly held?: HeldFiles;
}

/** Each changed file in a commit: equal to the workspace (`now`), to the base (`before`), or to neither. */
export type HeldFiles = ReadonlyMap<string, HeldFile>;
export type HeldFile = "now" | "before" | "other";

export interface ObservedBranch {
  readonly exists: boolean;
  readonly isCurrent: boolean;
  /** For a branch that exists and is not the current one; undefined when it was not observed. */
  readonly work?: BranchWork;
}

/** How much of the work a branch contains. */
export interface BranchWork {
  /** The number of commits since the base that it does not contain. */
  readonly missing: number;
  /** Its tip is one of the commits since the base. */
  readonly isPassed: boolean;
  /** Another worktree has it checked out; that worktree is not observed. */
  readonly isElsewhere: boolean;
  readonly held: HeldFiles;
}

/** The result of a gate that Baton ran itself. Plain JSON: it is stored. */
export interface ObservedGate {
  readonly gate: string;
  /** The checks that its exit code decides: `tests`, `lint`, `build`, ... */
  readonly proves: readonly string[];
  readonly command: readonly string[];
  readonly passed: boolean;
  readonly message: string;
  readonly figures: Figures | null;
}

/** Figures from machine-readable reports; null means: not known. Plain JSON. */
export interface Figures {
  readonly tests: TestFigures | null;
  readonly coverage: Readonly<Partial<Record<CoverageMeasure, number>>> | null;
  /** Where they come from: `reports/junit.xml (JUnit XML)`. */
  readonly sources: readonly string[];
  /** Reports that were named but could not be used, with the reason. */
  readonly problems: readonly string[];
}

export interface TestFigures {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Test files without a test, which Node counts as passed tests. They prove nothing. */
  readonly empty?: number;
}

interface ObservedStep {
  readonly startedAt: number;
  readonly phase: string | null;
  /** The handoff ends the run and the workflow allows this step to do so; its phase is then `Complete`. */
  readonly endsRun?: boolean;
  readonly runStartedAt?: number;
  /** Absent where only the step is known. */
  readonly run?: ObservedRun;
}

interface ObservedRun {
  readonly startedAt: number;
  /** Round of the run and of the task. */
  readonly iteration: number;
  readonly round: number;
  /** Steps and further attempts so far. */
  readonly steps: number;
  /** How long agents have worked, in milliseconds. */
  readonly worked: number;
}

/** Everything that claims are judged by. */
export interface Evidence {
  readonly observations: Observations;
  /** Gates that ran on exactly this state of the workspace. */
  readonly gates: readonly ObservedGate[];
  /** Commands of handoffs that were run with approval. */
  readonly commands: readonly ObservedCommand[];
  /** Null where there is no run. */
  readonly ledger: readonly ObservedLedger[] | null;
  /** What has changed since the states at which issues were reported, by their trees; those that could be looked at. */
  readonly sinceFinding?: ReadonlyMap<string, ReadonlyMap<string, ObservedChange>>;
  /** Null where there is no run. */
  readonly step: ObservedStep | null;
  readonly now: number;
  /** Port leased to the run; null when there is none. */
  readonly port: string | null;
  /** Files of the handoff itself, which no handoff has to declare. */
  readonly ownFiles: readonly string[];
  /** Gates that were run on the state before the work too, test by test. */
  readonly compared?: readonly ComparedGate[];
  /** The scripts of package.json before the work, and the changed files that may define a gate. */
  readonly definitions?: { readonly scripts: Scripts; readonly changed: readonly ChangedText[] };
  /** What was written in folders that gates use, by folder, since the work began; those that could be looked at. */
  readonly written?: ReadonlyMap<string, WrittenFiles>;
  /** Changed files in which comments may take lines out of checks. */
  readonly sources?: readonly ChangedText[];
}

export interface WrittenFiles {
  readonly count: number;
  /** Some of them, from the root. */
  readonly sample: readonly string[];
}

interface ObservedCommand {
  readonly command: string;
  readonly passed: boolean;
  readonly message: string;
}

export interface ObservedLedger {
  readonly id: string;
  readonly status: string;
  readonly location: string | null;
  readonly isBlocking: boolean;
  /** The agent only repeats that it is fixed: it reported it itself, it is closed, or another agent called it fixed. */
  readonly isRetold?: true;
  /** The files as they were when it was last reported, as a tree of git. */
  readonly tree?: string;
}

/** Outside of a git repository, with nothing observed. */
export const NOTHING_SEEN: Observations = {
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
