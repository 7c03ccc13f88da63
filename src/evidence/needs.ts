import type { Claim, Statement } from "./claim.ts";
import { objectionToBranch, objectionToSha } from "./claimed-name.ts";
import { claimedPath } from "./claimed-path.ts";
import { isPattern } from "./path-pattern.ts";
import type { Needs } from "./sightings.ts";

interface Wanted {
  readonly paths: Set<string>;
  readonly lengths: Set<string>;
  readonly hunks: Set<string>;
  readonly patterns: Set<string>;
  readonly commits: Set<string>;
  readonly branches: Set<string>;
  changes: boolean;
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
    changes: false,
  };
  for (const { about } of claims) want(wanted, about);
  const { changes, ...sets } = wanted;
  const { paths, lengths, hunks, patterns, commits, branches } = sets;
  return {
    paths: [...paths],
    lengths: [...lengths],
    hunks: [...hunks],
    patterns: [...patterns],
    commits: [...commits],
    branches: [...branches],
    changes,
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
      return wantCommit(wanted, about.sha);
    case "branch":
      if (objectionToBranch(about.name) === null) wanted.branches.add(about.name);
      break;
    default:
      wanted.changes ||= COUNTED.includes(about.of);
  }
}

/** Statements about all changes there are. */
const COUNTED: readonly Statement["of"][] = ["all-changes", "files-changed", "files-counted"];

function wantCommit(wanted: Wanted, sha: string | null): void {
  if (sha !== null && objectionToSha(sha) === null) wanted.commits.add(sha);
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
  if (isPattern(claimed.path)) wanted.patterns.add(claimed.path);
  wanted.paths.add(claimed.path);
}
