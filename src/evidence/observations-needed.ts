import type { Claim, Statement } from "./claim.ts";
import { objectionToBranch, objectionToSha } from "./claimed-name.ts";
import { claimedPath } from "./claimed-path.ts";
import { topFolderOf } from "./claims/knowledge-claims.ts";
import { mayBePattern, patternOf } from "./path-pattern.ts";
import type { NeededObservations } from "./observations.ts";
import { readPlace } from "./wording.ts";

interface Needed {
  readonly paths: Set<string>;
  readonly lengths: Set<string>;
  readonly hunks: Set<string>;
  readonly patterns: Set<string>;
  readonly commits: Set<string>;
  readonly branches: Set<string>;
  readonly merges: Set<string>;
  changes: boolean;
  counts: boolean;
  history: boolean;
  lines: boolean;
  commitTotals: boolean;
}

/** What has to be observed to judge these claims. It never contains a hostile path or name. */
export function observationsNeeded(claims: readonly Claim[]): NeededObservations {
  const needed: Needed = {
    paths: new Set(),
    lengths: new Set(),
    hunks: new Set(),
    patterns: new Set(),
    commits: new Set(),
    branches: new Set(),
    merges: new Set(),
    changes: false,
    counts: false,
    history: false,
    lines: false,
    commitTotals: false,
  };
  for (const { about } of claims) need(needed, about);
  const { changes, counts, history, lines, commitTotals, ...sets } = needed;
  const { paths, lengths, hunks, patterns, commits, branches, merges } = sets;
  return {
    paths: [...paths],
    lengths: [...lengths],
    hunks: [...hunks],
    patterns: [...patterns],
    commits: [...commits],
    branches: [...branches],
    changes,
    merges: [...merges],
    counts,
    history,
    ...(lines && { lines }),
    ...(commitTotals && { commitTotals }),
  };
}

type Needs = {
  readonly [Of in Statement["of"]]: ((needed: Needed, about: Extract<Statement, { of: Of }>) => void) | null;
};

/** Null for statements that need nothing from the workspace. */
const NEEDS: Needs = {
  file: needFile,
  place: needFile,
  source: needFile,
  artifact: needArtifact,
  commit: needCommit,
  merge: needCommit,
  branch: needBranch,
  "all-changes": needChanges,
  unlisted: needUnlisted,
  "left-alone": needUnlisted,
  "history-kept": needHistory,
  "commit-authors": needHistory,
  "commit-dates": needHistory,
  "all-commits": needHistory,
  "own-commits": null,
  "written-after": null,
  "commits-added": needCounts,
  "commits-counted": needCommitTotals,
  lines: needLines,
  rounds: null,
  duration: null,
  "files-changed": needCounts,
  "files-counted": needCounts,
  "tests-added": null,
  workspace: null,
  resolved: needChanges,
  fix: needFix,
  count: null,
  tests: null,
  coverage: null,
  check: null,
  command: null,
  words: null,
  skill: null,
  phase: null,
  time: null,
  "gate-files": needChanges,
  "test-files": needChanges,
  lockfile: needChanges,
  "tests-kept": null,
  "gate-folders": null,
  exclusions: needChanges,
};

function need(needed: Needed, about: Statement): void {
  const add = NEEDS[about.of] as ((needed: Needed, about: Statement) => void) | null;
  add?.(needed, about);
}

function needChanges(needed: Needed): void {
  needed.changes = true;
}

function needUnlisted(needed: Needed, { shas }: Extract<Statement, { of: "unlisted" | "left-alone" }>): void {
  needed.changes = true;
  if (shas.length > 0) needed.history = true;
}

function needHistory(needed: Needed): void {
  needed.history = true;
}

function needCommitTotals(needed: Needed): void {
  needCounts(needed);
  needed.commitTotals = true;
}

function needLines(needed: Needed): void {
  needed.lines = true;
}

function needCounts(needed: Needed): void {
  needed.changes = true;
  needed.counts = true;
}

/** A merge is compared with the changes that it should contain. */
function needCommit(needed: Needed, { of, sha }: Extract<Statement, { of: "commit" | "merge" }>): void {
  if (sha === null || objectionToSha(sha) !== null) return;
  needed.commits.add(sha);
  if (of === "commit") return;
  needed.merges.add(sha);
  needed.changes = true;
}

function needBranch(needed: Needed, { name }: Extract<Statement, { of: "branch" }>): void {
  if (objectionToBranch(name) !== null) return;
  needed.branches.add(name);
  needed.changes = true;
}

function needFile(needed: Needed, about: Extract<Statement, { of: "file" | "place" | "source" }>): void {
  const claimed = claimedPath(about.path);
  if (!claimed.isSafe) return;
  const { path } = claimed;
  if (about.of === "place" && about.isNamed) needed.paths.add(topFolderOf(path));
  needed.changes = true;
  needed.paths.add(path);
  if (about.lines === null || (about.of === "file" && about.change === "deleted")) return;
  needed.lengths.add(path);
  needed.hunks.add(path);
}

function needFix(needed: Needed, { location }: Extract<Statement, { of: "fix" }>): void {
  const claimed = claimedPath(readPlace(location).path);
  if (!claimed.isSafe) return;
  needed.changes = true;
  needed.paths.add(claimed.path);
  needed.hunks.add(claimed.path);
}

function needArtifact(needed: Needed, { pattern }: Extract<Statement, { of: "artifact" }>): void {
  const claimed = claimedPath(pattern);
  if (!claimed.isSafe) return;
  const path = patternOf(claimed);
  if (mayBePattern(path)) needed.patterns.add(path);
  needed.paths.add(claimed.path);
}
