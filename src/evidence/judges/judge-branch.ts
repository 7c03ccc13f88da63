import { objectionToBranch, objectionToSha } from "../claimed-name.ts";
import { counted, quote } from "../wording.ts";
import { type Court, type Finding, NO_PROCEDURE, ON_SIGHT, confirmed, refuted, unverifiable } from "./finding.ts";

const BRANCH = "look at the branches of the repository";
const MERGE = "look the merge up on the target branch";

export function judgeBranch(name: string, isMerged: boolean, { sightings }: Court): Finding {
  const why = objectionToBranch(name);
  if (why !== null) return refuted(ON_SIGHT, `Nobody looks for this branch: ${why}.`);
  if (!sightings.isRepository) return unverifiable(NO_PROCEDURE, "Git does not rule here.");
  const seen = sightings.branches.get(name);
  if (seen === undefined) return unverifiable(BRANCH, "Nobody looked for it.");
  const { branch } = sightings.head;
  const where = branch === null ? "on no branch" : `on branch ${quote(branch)}`;
  if (seen.isCurrent) return confirmed(BRANCH, "The workspace is on it.");
  if (seen.exists) return unverifiable(BRANCH, `It exists, but the workspace is ${where}.`);
  if (isMerged) return unverifiable(BRANCH, "It does not exist; it may have been removed after the merge.");
  return refuted(BRANCH, `There is no such branch; the workspace is ${where}.`);
}

interface Merge {
  readonly sha: string | null;
  readonly strategy: string | null;
}

export function judgeMerge({ sha, strategy }: Merge, { sightings }: Court): Finding {
  if (sha === null) return unverifiable(NO_PROCEDURE, "It names no commit that could be looked for.");
  const why = objectionToSha(sha);
  if (why !== null) return refuted(ON_SIGHT, `Nobody looks for ${quote(sha)}: ${why}.`);
  if (!sightings.isRepository) return unverifiable(NO_PROCEDURE, "Git does not rule here.");
  const seen = sightings.commits.get(sha);
  if (seen === undefined) return unverifiable(MERGE, "Nobody looked for it.");
  if (seen === null) return refuted(MERGE, "The repository has no such commit.");
  if (strategy !== null) return judgeStrategy(strategy, seen.parents);
  if (sightings.target === null) return unverifiable(MERGE, "Nobody can tell which branch is the target.");
  if (seen.isOnTarget) return confirmed(MERGE, `It is on ${sightings.target}.`);
  return refuted(MERGE, `It is not on ${sightings.target}.`);
}

/** A merge commit has two parents; what was squashed or rebased has one. Squash and rebase look the same afterwards. */
function judgeStrategy(strategy: string, parents: number): Finding {
  const wanted = PARENTS.get(strategy.trim().toLowerCase());
  const evidence = `The commit has ${counted(parents, "parent")}.`;
  if (wanted === undefined) return unverifiable(MERGE, `${evidence} What this strategy leaves behind is not known.`);
  const isTrue = wanted === "one" ? parents === 1 : parents >= 2;
  return isTrue ? confirmed(MERGE, evidence) : refuted(MERGE, evidence);
}

const PARENTS: ReadonlyMap<string, "one" | "several"> = new Map([
  ["merge", "several"],
  ["merge-commit", "several"],
  ["merge commit", "several"],
  ["squash", "one"],
  ["rebase", "one"],
  ["fast-forward", "one"],
]);
