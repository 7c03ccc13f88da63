import { Buffer } from "node:buffer";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type {
  ObservedCommit,
  NeededObservations,
  Observations,
  ObservedBranch,
  BranchWork,
  ObservedChange,
  HeldFile,
} from "../evidence/observations.ts";
import type { Branches } from "./git-place.ts";
import type { Shadow } from "./shadow.ts";
import type { Base } from "../ports/repository.ts";
import { compareTrees, observeChanges } from "./observe-changes.ts";

/** Names that work is merged into by custom, in this order. */
const USUAL_TARGETS = ["main", "master", "trunk", "develop"];

interface Target {
  readonly name: string;
  readonly commits: readonly string[];
}

/** A branch stands here and, perhaps ahead of it, at the remote or the forge: what either has is on the target. */
export function targetAmong({ remoteHead, refs }: Branches): Target | null {
  const said = remoteHead?.replace(/^refs\/remotes\/origin\//, "");
  for (const name of said === undefined ? USUAL_TARGETS : [said, ...USUAL_TARGETS]) {
    const places = [`refs/heads/${name}`, `refs/remotes/origin/${name}`, `refs/remotes/forge/${name}`];
    const found = places.flatMap((ref) => refs.get(ref) ?? []);
    if (found.length > 0) return { name, commits: found };
  }
  return null;
}

async function tipsOfTarget({ place }: Shadow): Promise<readonly string[]> {
  return targetAmong(await place.branches())?.commits ?? [];
}

type SeenCommits = Pick<Observations, "commits"> & Counts;

export async function observeCommits(
  shadow: Shadow,
  base: string | null,
  needs: NeededObservations,
): Promise<SeenCommits> {
  const { head } = shadow.place;
  const since = head === null || base === null ? null : await commitsSince(shadow, head, base);
  const read = await readCommits(shadow, needs.commits);
  const shas = [...new Set([...read.values()].flatMap((commit) => (commit === null ? [] : [commit.sha])))];
  const [notInHead, notOnTarget, notInBase] = await Promise.all([
    missingFrom(shadow, shas, head === null ? [] : [head]),
    shas.length === 0 ? new Set<string>() : missingFrom(shadow, shas, await tipsOfTarget(shadow)),
    missingFrom(shadow, shas, base === null ? [] : [base]),
  ]);
  const commits = new Map<string, ObservedCommit | null>();
  for (const [asked, commit] of read)
    commits.set(
      asked,
      commit && {
        ...commit,
        isInHead: !notInHead.has(commit.sha),
        isSinceBase: since?.has(commit.sha) === true,
        isOnTarget: !notOnTarget.has(commit.sha),
        isInBase: !notInBase.has(commit.sha),
      },
    );
  return { commits, ...(await countsOf(shadow, base, since, needs.counts === true)) };
}

type Counts = Pick<Observations, "commitsSinceBase" | "ownCommitsSinceBase" | "ownCommitFiles">;

async function countsOf(
  shadow: Shadow,
  base: string | null,
  since: ReadonlySet<string> | null,
  wantsFiles: boolean,
): Promise<Counts> {
  if (since === null || base === null || (await isCutOff(shadow, since)))
    return { commitsSinceBase: null, ownCommitsSinceBase: null };
  const own = since.size <= 1 ? since : await ownCommits(shadow, base, since);
  const files = wantsFiles && own.size <= MAX_LISTED ? await filesOf(shadow, own) : null;
  return {
    commitsSinceBase: since.size,
    ownCommitsSinceBase: own.size,
    ...(files && { ownCommitFiles: [...files.values()] }),
  };
}

/** The clone is shallow: how many commits are behind its end is not known. */
async function isCutOff({ place, folder }: Shadow, since: ReadonlySet<string>): Promise<boolean> {
  if (!place.isShallow) return false;
  const ends = await readFile(join(folder, "shallow"), "utf8");
  return ends.split("\n").some((end) => since.has(end));
}

/** Above this number, commits that only brought a handoff are not counted apart. */
const MAX_LISTED = 1000;

/** The files that each commit brought, of those that brought any; null when it cannot be told. */
export async function filesOf(shadow: Shadow, commits: ReadonlySet<string>): Promise<Map<string, string[]> | null> {
  const args = ["diff-tree", "--stdin", "-r", "-z", "--root", "--name-only", "--no-renames", "--no-ext-diff"];
  const { code, output } = await shadow.git({ args, input: `${[...commits].join("\n")}\n` });
  if (code !== 0) return null;
  const files = new Map<string, string[]>();
  let last: string[] = [];
  for (const part of output.split("\0")) {
    const isCommit = /^(?:[0-9a-f]{64}|[0-9a-f]{40})$/.test(part) && commits.has(part);
    if (isCommit) files.set(part, (last = []));
    else if (part !== "") last.push(part);
  }
  return files;
}

/** Without merges, and without what came from the target branch, unless all of it is there. */
async function ownCommits(shadow: Shadow, base: string, since: ReadonlySet<string>): Promise<ReadonlySet<string>> {
  const head = shadow.place.head ?? "";
  const tips = await tipsOfTarget(shadow);
  for (const others of [tips, []]) {
    const args = ["rev-list", "--no-merges", head, ...[base, ...others].map((tip) => `^${tip}`), "--"];
    const { code, output } = await shadow.git({ args });
    const own = output.split("\n").filter((line) => line !== "");
    if (code === 0 && own.length > 0) return new Set(own);
  }
  return since;
}

const MAX_COMMITS = 100_000;

/** Null when it cannot be told. */
async function commitsSince(shadow: Shadow, head: string, base: string): Promise<Set<string> | null> {
  return head === base ? new Set() : commitsBetween(shadow, head, [base]);
}

/** Null when it cannot be told, as where history was cut off. */
async function commitsBetween(shadow: Shadow, head: string, without: readonly string[]): Promise<Set<string> | null> {
  const args = ["rev-list", `--max-count=${MAX_COMMITS}`, head, ...without.map((tip) => `^${tip}`), "--"];
  const { code, output } = await shadow.git({ args });
  return code === 0 ? new Set(output.split("\n").filter((line) => line !== "")) : null;
}

/** Of these commits, those that none of the tips has. All of them when there are no tips or it cannot be told. */
async function missingFrom(shadow: Shadow, shas: readonly string[], tips: readonly string[]): Promise<Set<string>> {
  if (shas.length === 0 || tips.length === 0) return new Set(shas);
  const input = [...shas, ...tips.map((tip) => `^${tip}`), ""].join("\n");
  const { code, output } = await shadow.git({ args: ["rev-list", "--stdin"], input });
  return code === 0 ? new Set(output.split("\n")) : new Set(shas);
}

type ReadCommit = Pick<ObservedCommit, "sha" | "message" | "parents" | "committedAt">;

/** `git cat-file --batch` takes names only: nothing of them can be an option. */
async function readCommits(shadow: Shadow, asked: readonly string[]): Promise<Map<string, ReadCommit | null>> {
  const names = [...new Set(asked)].filter((name) => /^[0-9a-f]{4,64}$/i.test(name));
  if (names.length === 0) return new Map();
  const checked = await shadow.answer({ args: ["cat-file", "--batch-check"], input: `${names.join("\n")}\n` });
  const lines = checked.split("\n");
  const ids = new Map(names.map((name, at) => [name, /^([0-9a-f]+) commit \d+$/.exec(lines[at] ?? "")?.[1] ?? null]));
  const texts = await readTexts(shadow, [...new Set([...ids.values()].filter((id) => id !== null))]);
  return new Map([...ids].map(([name, id]) => [name, id === null ? null : readCommit(id, texts.get(id) ?? "")]));
}

async function readTexts(shadow: Shadow, ids: readonly string[]): Promise<Map<string, string>> {
  const chunks: Buffer[] = [];
  if (ids.length > 0)
    await shadow.answer({
      args: ["cat-file", "--batch"],
      input: `${ids.join("\n")}\n`,
      onOutput: (chunk) => void chunks.push(chunk),
    });
  const bytes = Buffer.concat(chunks);
  const texts = new Map<string, string>();
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf(NEWLINE, at);
    const [id = "", , size = "0"] = bytes.toString("latin1", at, end).split(" ");
    const from = end + 1;
    texts.set(id, bytes.toString("utf8", from, from + Number(size)));
    at = from + Number(size) + 1;
  }
  return texts;
}

const NEWLINE = 10;

function readCommit(sha: string, text: string): ReadCommit {
  const end = text.indexOf("\n\n");
  const head = end === -1 ? text : text.slice(0, end);
  const parents = head.split("\n").filter((line) => line.startsWith("parent ")).length;
  const second = /^committer .*> (\d{1,12}) [+-]\d{4}$/m.exec(head)?.[1];
  const when = second === undefined ? {} : { committedAt: Number(second) * 1000 };
  return { sha, parents, message: end === -1 ? "" : text.slice(end + 2), ...when };
}

type Changes = ReadonlyMap<string, ObservedChange>;
type HeldMap = Map<string, HeldFile>;

/** Each takes as long as looking at all changes; no handoff names more merges or branches than these. */
const MAX_LOOKED_INTO = 8;

/** Merges that are on the target, with what they hold of the work. */
export async function observeMerges(
  shadow: Shadow,
  base: Base,
  { merges = [] }: NeededObservations,
  commits: ReadonlyMap<string, ObservedCommit | null>,
  changes: Changes,
): Promise<Map<string, ObservedCommit | null>> {
  const seen = new Map(commits);
  const known = new Map<string, HeldMap>();
  for (const name of merges.slice(0, MAX_LOOKED_INTO)) {
    const commit = commits.get(name);
    if (commit?.isOnTarget !== true) continue;
    const held = known.get(commit.sha) ?? (await heldBy(shadow, base.tree, commit.sha, changes));
    known.set(commit.sha, held);
    seen.set(name, { ...commit, held });
  }
  return seen;
}

/** Every branch that is asked for; of those that the workspace is not on, what they have of the work. */
export async function observeBranches(
  shadow: Shadow,
  base: Base | null,
  names: readonly string[],
  changes: Changes,
): Promise<Map<string, ObservedBranch>> {
  const seen = new Map<string, ObservedBranch>();
  if (names.length === 0) return seen;
  const { refs, checkedOut } = await shadow.place.branches();
  for (const [at, name] of names.entries()) {
    const tips = tipsOf(refs, name);
    const isCurrent = shadow.place.branch === name;
    const isLookedInto = !isCurrent && tips.length > 0 && at < MAX_LOOKED_INTO;
    const work = isLookedInto ? await workOn(shadow, base, tips, changes) : null;
    const isElsewhere = checkedOut.has(`refs/heads/${name}`);
    seen.set(name, {
      exists: tips.length > 0 || isCurrent,
      isCurrent,
      ...(work && { work: { ...work, isElsewhere } }),
    });
  }
  return seen;
}

function tipsOf(refs: Branches["refs"], name: string): string[] {
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
  const since = await commitsSince(shadow, head, base.commit);
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
    (await observeChanges(shadow, commit, false)).changes,
    await compareTrees(shadow, tree, commit),
  ];
  return new Map(
    [...changes.keys()].map((path) => [path, !fromNow.has(path) ? "now" : fromBefore.has(path) ? "other" : "before"]),
  );
}
