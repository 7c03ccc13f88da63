import type { Claim, Statement } from "./claim.ts";
import { objectionToBranch, objectionToSha } from "./claimed-name.ts";
import { claimedPath } from "./claimed-path.ts";
import { mayBePattern, patternOf } from "./path-pattern.ts";
import type { Needs } from "./sightings.ts";

interface Wanted {
  readonly paths: Set<string>;
  readonly lengths: Set<string>;
  readonly hunks: Set<string>;
  readonly patterns: Set<string>;
  readonly commits: Set<string>;
  readonly branches: Set<string>;
  readonly merges: Set<string>;
  changes: boolean;
  counts: boolean;
}

/** What must be looked at to judge these claims; a hostile path or name never stands in it. */
export function needsOf(claims: readonly Claim[]): Needs {
  const wanted: Wanted = {
    paths: new Set(),
    lengths: new Set(),
    hunks: new Set(),
    patterns: new Set(),
    commits: new Set(),
    branches: new Set(),
    merges: new Set(),
    changes: false,
    counts: false,
  };
  for (const { about } of claims) want(wanted, about);
  const { changes, counts, ...sets } = wanted;
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
  };
}

function want(wanted: Wanted, about: Statement): void {
  switch (about.of) {
    case "file":
    case "place":
    case "source":
      return wantFile(wanted, about);
    case "artifact":
      return wantArtifact(wanted, about.pattern);
    case "commit":
    case "merge":
      return wantCommit(wanted, about);
    case "branch":
      return wantBranch(wanted, about.name);
    default:
      wanted.changes ||= about.of === "all-changes" || COUNTED.includes(about.of);
      wanted.counts ||= COUNTED.includes(about.of);
  }
}

const COUNTED: readonly Statement["of"][] = ["commits-added", "files-changed", "files-counted"];

/** A merge must hold what was changed. */
function wantCommit(wanted: Wanted, { of, sha }: Extract<Statement, { of: "commit" | "merge" }>): void {
  if (sha === null || objectionToSha(sha) !== null) return;
  wanted.commits.add(sha);
  if (of === "commit") return;
  wanted.merges.add(sha);
  wanted.changes = true;
}

function wantBranch(wanted: Wanted, name: string): void {
  if (objectionToBranch(name) !== null) return;
  wanted.branches.add(name);
  wanted.changes = true;
}

function wantFile(wanted: Wanted, about: Extract<Statement, { of: "file" | "place" | "source" }>): void {
  const claimed = claimedPath(about.path);
  if (!claimed.isSafe) return;
  const { path } = claimed;
  wanted.changes = true;
  wanted.paths.add(path);
  if (about.lines === null || (about.of === "file" && about.change === "deleted")) return;
  wanted.lengths.add(path);
  if (about.of === "file") wanted.hunks.add(path);
}

function wantArtifact(wanted: Wanted, pattern: string): void {
  const claimed = claimedPath(pattern);
  if (!claimed.isSafe) return;
  const path = patternOf(claimed);
  if (mayBePattern(path)) wanted.patterns.add(path);
  wanted.paths.add(claimed.path);
}
