import { isShortSha, objectionToBranch, objectionToSha } from "../claimed-name.ts";
import type { BranchWork, CommitSight, HeldFile, HeldFiles } from "../sightings.ts";
import { counted, quote } from "../wording.ts";
import {
  type Court,
  type Finding,
  NO_PROCEDURE,
  ON_SIGHT,
  SHALLOW,
  TOO_SHORT,
  confirmed,
  refuted,
  unverifiable,
} from "./finding.ts";

const BRANCH = "look at the branches of the repository";
const MERGE = "look the merge up on the target branch";

export function judgeBranch(name: string, isMerged: boolean, court: Court): Finding {
  const { sightings } = court;
  const why = objectionToBranch(name);
  if (why !== null) return refuted(ON_SIGHT, `Nobody looks for this branch: ${why}.`);
  if (!sightings.isRepository) return unverifiable(NO_PROCEDURE, "Git does not rule here.");
  const seen = sightings.branches.get(name);
  if (seen === undefined) return unverifiable(BRANCH, "Nobody looked for it.");
  if (seen.isCurrent) return confirmed(BRANCH, "The workspace is on it.");
  if (seen.exists) return judgeOtherBranch(isMerged, seen.work, court);
  if (isMerged) return unverifiable(BRANCH, "It does not exist; it may have been removed after the merge.");
  if (sightings.isShallow === true) return unverifiable(BRANCH, `It is not here. ${SHALLOW}`);
  return refuted(BRANCH, `There is no such branch; the workspace is ${whereabouts(court)}.`);
}

function whereabouts({ sightings }: Court): string {
  const { branch } = sightings.head;
  return branch === null ? "on no branch" : `on branch ${quote(branch)}`;
}

/** The workspace is not on it: the work may be there all the same, by its commits or by what its files hold. */
function judgeOtherBranch(isMerged: boolean, work: BranchWork | undefined, court: Court): Finding {
  const { commitsSinceBase: since, isShallow, head } = court.sightings;
  const where = `It exists, but the workspace is ${whereabouts(court)}`;
  if (work === undefined || since === null || isMerged) return unverifiable(BRANCH, `${where}.`);
  const isThere = since > 0 && (work.missing === 0 || work.isPassed);
  if (head.branch === null && isThere)
    return confirmed(BRANCH, "The workspace is on no branch, and its work is on this one.");
  const evidence = lackOf(work, since, court);
  return evidence === null || isShallow === true
    ? unverifiable(BRANCH, `${where}.`)
    : refuted(BRANCH, `${where}, ${evidence}.`);
}

/** Why none of the work can be there; null when some of it may be. */
function lackOf(work: BranchWork, since: number, court: Court): string | null {
  const files = heldOf(work.held, court);
  if (files.includes("now")) return null;
  if (since === 0) return lackOfUncommitted(work, files, court);
  const { target, head, base } = court.sightings;
  const isOnTarget = head.branch === null || head.branch === target;
  // What was squashed and merged with conflicts left its commits and its texts behind on the branch.
  const mayBeThere = isOnTarget && (files.includes("other") || work.isElsewhere);
  if (work.missing < since || mayBeThere) return null;
  return `and it has none of the ${counted(since, "commit")} since ${base ?? "then"}`;
}

function lackOfUncommitted({ isElsewhere }: BranchWork, files: readonly HeldFile[], court: Court): string | null {
  const isKnown = files.length > 0 && !files.includes("other") && !isElsewhere;
  return isKnown && court.sightings.head.branch !== null ? "where the work is, not committed" : null;
}

/** Without what handing over itself makes, and without repositories within this one: what is in them is their own. */
function heldOf(held: HeldFiles, { ownFiles }: Court): HeldFile[] {
  const own = new Set(ownFiles);
  return [...held].flatMap(([path, how]) => (own.has(path) || path.endsWith("/") ? [] : [how]));
}

interface Merge {
  readonly sha: string | null;
  readonly strategy: string | null;
}

export function judgeMerge({ sha, strategy }: Merge, court: Court): Finding {
  const { sightings } = court;
  if (sha === null) return unverifiable(NO_PROCEDURE, "It names no commit that could be looked for.");
  if (isShortSha(sha)) return unverifiable(ON_SIGHT, TOO_SHORT);
  const why = objectionToSha(sha);
  if (why !== null) return refuted(ON_SIGHT, `Nobody looks for ${quote(sha)}: ${why}.`);
  if (!sightings.isRepository) return unverifiable(NO_PROCEDURE, "Git does not rule here.");
  const seen = sightings.commits.get(sha);
  if (seen === undefined) return unverifiable(MERGE, "Nobody looked for it.");
  if (seen === null) return notFound("The repository has no such commit.", court);
  if (strategy !== null) return judgeStrategy(strategy, seen.parents, court);
  if (sightings.target === null) return unverifiable(MERGE, "Nobody can tell which branch is the target.");
  if (!seen.isOnTarget) return notFound(`It is not on ${sightings.target}.`, court);
  return judgeHeld(seen, sightings.target, court);
}

function notFound(evidence: string, { sightings }: Court): Finding {
  return sightings.isShallow === true ? unverifiable(MERGE, `${evidence} ${SHALLOW}`) : refuted(MERGE, evidence);
}

/**
 * A commit on the target is the merge when it holds the work: every file that changed. Others may have changed the
 * same files, so only one in which all of them are as they were before holds none of it.
 */
function judgeHeld(seen: CommitSight, target: string, court: Court): Finding {
  const files = heldOf(seen.held ?? new Map(), court);
  if (files.length === 0) return confirmed(MERGE, `It is on ${target}.`);
  const held = files.filter((how) => how === "now").length;
  const all = counted(files.length, "changed file");
  if (seen.isInBase === true) return lacking(`It is on ${target}, but older than the work.`, court);
  if (held === files.length) return confirmed(MERGE, `It is on ${target} and has the ${all} as they are now.`);
  const isLacking = !seen.isSinceBase && files.every((how) => how === "before");
  if (isLacking) return lacking(`It is on ${target}, but has none of the work: the ${all} are there as before.`, court);
  return unverifiable(MERGE, `It is on ${target} and has ${held} of the ${all} as they are now.`);
}

/** In a run an earlier step may have been merged, and this one has changed other files. */
function lacking(evidence: string, { step }: Court): Finding {
  return step === null
    ? refuted(MERGE, evidence)
    : unverifiable(MERGE, `${evidence} The work of an earlier step may be meant.`);
}

/** A merge commit has two parents; what was squashed or rebased has one. Squash and rebase look the same afterwards. */
function judgeStrategy(strategy: string, parents: number, { sightings }: Court): Finding {
  const wanted = PARENTS.get(strategy.trim().toLowerCase());
  const evidence = `The commit has ${counted(parents, "parent")}.`;
  if (wanted === undefined) return unverifiable(MERGE, `${evidence} What this strategy leaves behind is not known.`);
  const isTrue = wanted === "one" ? parents === 1 : parents >= 2;
  if (isTrue) return confirmed(MERGE, evidence);
  // The first commit of all has none, whatever brought it.
  return parents === 0 && sightings.isShallow === true
    ? unverifiable(MERGE, `${evidence} ${SHALLOW}`)
    : refuted(MERGE, evidence);
}

const PARENTS: ReadonlyMap<string, "one" | "several"> = new Map([
  ["merge", "several"],
  ["merge-commit", "several"],
  ["merge commit", "several"],
  ["squash", "one"],
  ["rebase", "one"],
  ["fast-forward", "one"],
]);
