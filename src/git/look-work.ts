import type { BranchSight, BranchWork, ChangeSight, CommitSight, HeldFile, Needs } from "../evidence/sightings.ts";
import type { Base } from "../ports/repository.ts";
import type { GitPlace } from "./git-place.ts";
import { compareTrees, lookAtChanges } from "./look-changes.ts";
import { commitsBetween } from "./look-commits.ts";
import type { Shadow } from "./shadow.ts";

type Changes = ReadonlyMap<string, ChangeSight>;
type HeldMap = Map<string, HeldFile>;

/** Each takes as long as looking at all changes; no handoff names more merges or branches than these. */
const MOST_LOOKED_INTO = 8;

/** Merges that are on the target, with what they hold of the work. */
export async function lookIntoMerges(
  shadow: Shadow,
  base: Base,
  { merges = [] }: Needs,
  commits: ReadonlyMap<string, CommitSight | null>,
  changes: Changes,
): Promise<Map<string, CommitSight | null>> {
  const seen = new Map(commits);
  const known = new Map<string, HeldMap>();
  for (const name of merges.slice(0, MOST_LOOKED_INTO)) {
    const commit = commits.get(name);
    if (commit?.isOnTarget !== true) continue;
    const held = known.get(commit.sha) ?? (await heldBy(shadow, base.tree, commit.sha, changes));
    known.set(commit.sha, held);
    seen.set(name, { ...commit, held });
  }
  return seen;
}

/** Every branch that is asked for; of those that the workspace is not on, what they have of the work. */
export async function lookAtBranches(
  shadow: Shadow,
  base: Base | null,
  names: readonly string[],
  changes: Changes,
): Promise<Map<string, BranchSight>> {
  const seen = new Map<string, BranchSight>();
  for (const [at, name] of names.entries()) {
    const tips = tipsOf(shadow.place, name);
    const isCurrent = shadow.place.branch === name;
    const isLookedInto = !isCurrent && tips.length > 0 && at < MOST_LOOKED_INTO;
    const work = isLookedInto ? await workOn(shadow, base, tips, changes) : null;
    const isElsewhere = shadow.place.checkedOut.has(`refs/heads/${name}`);
    seen.set(name, {
      exists: tips.length > 0 || isCurrent,
      isCurrent,
      ...(work && { work: { ...work, isElsewhere } }),
    });
  }
  return seen;
}

function tipsOf({ refs }: GitPlace, name: string): string[] {
  return [...new Set([`refs/heads/${name}`, `refs/remotes/origin/${name}`].flatMap((ref) => refs.get(ref) ?? []))];
}

/** Here and at the remote: what either has is on the branch. Null where there is nothing to compare with. */
async function workOn(
  shadow: Shadow,
  base: Base | null,
  tips: readonly string[],
  changes: Changes,
): Promise<Omit<BranchWork, "isElsewhere"> | null> {
  const { head } = shadow.place;
  if (base === null || base.commit === null || head === null) return null;
  const missing = await commitsBetween(shadow, head, [base.commit, ...tips]);
  const since = await commitsBetween(shadow, head, [base.commit]);
  if (missing === null || since === null) return null;
  const held: HeldMap = new Map();
  for (const tip of tips)
    for (const [path, how] of await heldBy(shadow, base.tree, tip, changes))
      held.set(path, nearer(how, held.get(path)));
  return { missing: missing.size, isPassed: tips.some((tip) => since.has(tip)), held };
}

function nearer(left: HeldFile, right: HeldFile = "before"): HeldFile {
  if (left === "now" || right === "now") return "now";
  return left === "other" || right === "other" ? "other" : "before";
}

/** How a commit has each of the changed files. */
async function heldBy(shadow: Shadow, tree: string, commit: string, changes: Changes): Promise<HeldMap> {
  if (changes.size === 0) return new Map();
  const [fromNow, fromBefore] = [
    (await lookAtChanges(shadow, commit, false)).changes,
    await compareTrees(shadow, tree, commit),
  ];
  return new Map(
    [...changes.keys()].map((path) => [path, !fromNow.has(path) ? "now" : fromBefore.has(path) ? "other" : "before"]),
  );
}
