import { mkdirSync, readFileSync, realpathSync, renameSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { randomUUID, hash } from "node:crypto";
import {
  type ObservedChange,
  type ObservedFile,
  type NeededObservations,
  type Observations,
  NOTHING_SEEN,
} from "../evidence/observations.ts";
import { type Base, type Repository, type Snapshot, snapshotShape } from "../ports/repository.ts";
import { chooseBase } from "./choose-base.ts";
import { isThere, placeFinder } from "./git-place.ts";
import { compareTrees, observeChanges, nestedRepositories, renamesSince } from "./observe-changes.ts";
import { countCommits, observeLines } from "./observe-lines.ts";
import { observeCommits, targetAmong, observeBranches, observeMerges } from "./observe-commits.ts";
import { observeHistory, readAccounts } from "./observe-history.ts";
import { type PresentFile, observeFiles, observePatterns, unseenAmong } from "./observe-files.ts";
import { type Git, gitWith } from "./run-git.ts";
import { readTexts } from "./read-texts.ts";
import { type Shadow, showHiddenFiles, withShadow } from "./shadow.ts";
import { hasShape } from "../protocol/find-mismatch.ts";

interface GitRepositoryOptions {
  /** A folder of our own for what we note; nothing is written elsewhere. */
  readonly folder: string;
  /** PATH and HOME. */
  readonly environment: Readonly<Record<string, string>>;
  /** Git is asked at once where this directory stands, because it is looked at next. */
  readonly lookedAtNext?: string;
  /** Aborted when nobody looks any more. */
  readonly signal?: AbortSignal;
}

export function gitRepository({ folder, environment, lookedAtNext, signal }: GitRepositoryOptions): Repository {
  const git = gitWith({ environment, ...(signal && { signal }) });
  const findPlace = placeFinder(git, lookedAtNext === undefined ? null : realpathSync(lookedAtNext));
  const marked = new Map<string, Snapshot>();
  const inShadow = async <T>(
    directory: string,
    use: (shadow: Shadow, keepIndex: () => void) => Promise<T>,
  ): Promise<T | null> => {
    const place = await findPlace(realpathSync(directory));
    return place === null ? null : whileFilesVanish(() => withShadow(git, folder, place, use));
  };
  return {
    snapshot: (directory) => inShadow(directory, takeSnapshot),
    mark: (directory, key) =>
      inShadow(directory, async (shadow, keepIndex) => {
        // The file is for the process that comes after a crash: an agent could have written it.
        const known = marked.get(key) ?? (await readMark(shadow, key));
        const mark = known ?? writeMark(shadow, key, await noteState(git, shadow, keepIndex));
        marked.set(key, mark);
        return mark;
      }),
    chooseBase: (directory, revision, ownFiles = [], commits = []) =>
      inShadow(directory, (shadow) => chooseBase(git, shadow, revision, { ownFiles, commits })),
    look: async (directory, base, needs) =>
      (await inShadow(directory, (shadow) => lookAround(shadow, base, needs))) ?? lookWithoutGit(directory, needs),
    isRepository: async (directory) =>
      isThere(join(directory, ".git")) && (await git({ args: ["rev-parse", "--git-dir"], directory })).code === 0,
    head: async (directory) => (await findPlace(realpathSync(directory)))?.head ?? null,
    renamesSince: async (directory, commit) =>
      (await inShadow(directory, (shadow) => renamesSince(shadow, commit))) ?? new Map(),
    texts: async (directory, tree, paths, limit) =>
      (await inShadow(directory, (shadow) => readTexts(shadow, tree, paths, limit))) ?? [],
    checkOut: async (directory, tree, target) => {
      await inShadow(directory, (shadow) => checkOut(shadow, tree, target));
    },
    moveBases: async (directory, keys, from, to) => {
      const moved = await inShadow(directory, async (shadow) => {
        const entries = await differingEntries(shadow, from.tree, to.tree);
        for (const key of keys) {
          const base = marked.get(key) ?? (await readMark(shadow, key));
          if (base === null) continue;
          const tree = await replaceEntries(shadow, base.tree, entries);
          const head = from.commit === to.commit && from.branch === to.branch ? base : to;
          const later = { ...base, tree, commit: head.commit, branch: head.branch };
          marked.set(key, writeMark(shadow, key, later));
        }
        return entries.map(({ path }) => path);
      });
      return moved ?? [];
    },
  };
}

/** Others may be at work in the folder: a file that git has seen can be gone before git reads it. */
async function whileFilesVanish<T>(look: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await look();
    } catch (error) {
      if (tries === MAX_LOOKS || !(error instanceof Error) || !VANISHED.test(error.message)) throw error;
    }
  }
}

const MAX_LOOKS = 10;
const VANISHED =
  /(?:unable to stat |error: l?stat\(|error: open\(|error: readlink\().*: (?:No such file or directory|Not a directory)/;

async function takeSnapshot(shadow: Shadow, keepIndex: () => void): Promise<Snapshot> {
  await showHiddenFiles(shadow);
  const { nested, untracked } = await nestedRepositories(shadow);
  const excluded = nested.map((path) => `:(top,exclude,literal)${path.replace(/\/$/, "")}`);
  await shadow.answer({ args: ["add", "--update", "--", ":(top)", ...excluded] });
  // Not by `add --all`, which fails when a file that it has listed is gone a moment later.
  const input = untracked.map((path) => `${path}\0`).join("");
  const args = ["update-index", "--add", "--remove", "--replace", "-z", "--stdin"];
  if (untracked.length > 0) await shadow.answer({ args, input });
  const tree = (await shadow.answer({ args: ["write-tree"] })).trim();
  keepIndex();
  return { tree, commit: shadow.place.head, branch: shadow.place.branch };
}

/** The time is taken before the agent starts, so that no commit of its own is older. */
async function noteState(git: Git, shadow: Shadow, keepIndex: () => void): Promise<Snapshot> {
  const [snapshot, accounts, { refs }] = await Promise.all([
    takeSnapshot(shadow, keepIndex),
    readAccounts(git, shadow.place),
    shadow.place.branches(),
  ]);
  const tips = [...new Set(refs.values())].slice(0, MAX_TIPS);
  return { ...snapshot, noted: { at: Date.now(), tips, accounts } };
}

const MAX_TIPS = 10_000;

async function lookAround(shadow: Shadow, base: Base | null, needs: NeededObservations): Promise<Observations> {
  const { place } = shadow;
  const looking = Promise.all([
    base === null || !wantsChanges(needs) ? NO_CHANGES : observeChanges(shadow, base.tree, needs.hunks.length > 0),
    observeCommits(shadow, base?.commit ?? null, needs),
    observeHistory(shadow, base, needs),
  ]);
  // While git is at work.
  const present = observeFiles(place.directory, needs);
  const [{ changes, untracked }, commits, history] = await looking;
  const unseen = await unseenAmong(shadow, present, changes);
  const matches = await observePatterns(shadow, needs.patterns, changes, untracked);
  return {
    isRepository: true,
    ...namesOf(base),
    isShallow: place.isShallow,
    head: { commit: place.head, branch: place.branch },
    changes,
    files: new Map([...present].map(([path, sight]) => [path, fileSight(sight, unseen.has(path))])),
    matches,
    ...commits,
    ...(await lookAtCommitted(shadow, base, needs)),
    ...(await countCommits(shadow, needs)),
    ...(base && { commits: await observeMerges(shadow, base, needs, commits.commits, changes) }),
    ...(history && { history }),
    branches: await observeBranches(shadow, base, needs.branches, changes),
    target: (needs.merges ?? []).length === 0 ? null : (targetAmong(await place.branches())?.name ?? null),
    workspace: { path: place.directory, isLinkedWorktree: place.gitFolder !== place.commonFolder },
    // At the end, because new files are added to the index.
    ...(await lookAtLines(shadow, base, needs)),
  };
}

function wantsChanges({ changes, paths, patterns }: NeededObservations): boolean {
  return changes || paths.length > 0 || patterns.length > 0;
}

async function lookAtLines(
  shadow: Shadow,
  base: Base | null,
  needs: NeededObservations,
): Promise<Pick<Observations, "lines">> {
  if (base === null || needs.lines !== true) return {};
  const { tree } = await takeSnapshot(shadow, () => undefined);
  return { lines: await observeLines(shadow, base, tree, needs) };
}

const NO_CHANGES = { changes: new Map<string, ObservedChange>(), untracked: [] };

function namesOf(base: Base | null): Pick<Observations, "base" | "baseCommit" | "isBaseKnown"> {
  if (base === null) return { base: null, baseCommit: null };
  return { base: base.name, baseCommit: base.commit, isBaseKnown: base.isKnown === true };
}

/** Some count what they committed, some all that they changed. */
async function lookAtCommitted(
  shadow: Shadow,
  base: Base | null,
  { counts }: NeededObservations,
): Promise<Pick<Observations, "committed">> {
  const { head } = shadow.place;
  if (counts !== true || head === null || base === null || base.commit === null || base.commit === head) return {};
  return { committed: await compareTrees(shadow, base.commit, head) };
}

function fileSight({ isHidden, ...sight }: PresentFile, isIgnored: boolean): ObservedFile {
  return { ...sight, isIgnored: isIgnored || isHidden };
}

function lookWithoutGit(directory: string, needs: NeededObservations): Observations {
  const path = realpathSync(directory);
  const present = observeFiles(path, needs);
  return {
    ...NOTHING_SEEN,
    files: new Map([...present].map(([name, { is, lines }]) => [name, { is, lines, isIgnored: false }])),
    workspace: { path, isLinkedWorktree: false },
  };
}

interface TreeEntry {
  readonly mode: string;
  readonly object: string;
  readonly path: string;
}

/** Files that differ between two trees, as the second one has them; those that it lacks have the mode 0. */
async function differingEntries(shadow: Shadow, from: string, to: string): Promise<TreeEntry[]> {
  const args = ["diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", from, to];
  const parts = (await shadow.answer({ args })).split("\0");
  const entries: TreeEntry[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [, mode = "0", , object = ""] = (parts[at] ?? "").split(" ");
    entries.push({ mode: Number(mode) === 0 ? "0" : mode, object, path: parts[at + 1] ?? "" });
  }
  return entries;
}

async function replaceEntries(shadow: Shadow, tree: string, entries: readonly TreeEntry[]): Promise<string> {
  const index = join(shadow.folder, `moved-${randomUUID()}`);
  const environment = { GIT_INDEX_FILE: index };
  const input = entries.map(({ mode, object, path }) => `${mode} ${object}\t${path}\0`).join("");
  try {
    await shadow.answer({ args: ["read-tree", tree], environment });
    await shadow.answer({ args: ["update-index", "-z", "--index-info"], environment, input });
    return (await shadow.answer({ args: ["write-tree"], environment })).trim();
  } finally {
    rmSync(index, { force: true });
  }
}

/** Written by git itself, which follows no link on its way; the folder must be empty. */
async function checkOut(shadow: Shadow, tree: string, target: string): Promise<void> {
  mkdirSync(target, { recursive: true });
  const index = join(shadow.folder, `checkout-${randomUUID()}`);
  const environment = { GIT_INDEX_FILE: index };
  try {
    await shadow.answer({ args: ["read-tree", tree], environment });
    await shadow.answer({ args: ["checkout-index", "--all", "--force", `--prefix=${target}/`], environment });
  } catch (error) {
    throw (await lacksRoom(shadow, tree, target)) ? diskFull(error) : error;
  } finally {
    rmSync(index, { force: true });
  }
}

/** Git does not say why it could not write a file. What it wrote so far is removed, to see what room there was. */
async function lacksRoom(shadow: Shadow, tree: string, target: string): Promise<boolean> {
  try {
    rmSync(target, { recursive: true, force: true });
    mkdirSync(target, { recursive: true });
    const entries = (await shadow.answer({ args: ["ls-tree", "-r", "-l", "-z", tree] })).split("\0");
    const { bavail, bsize, ffree, files } = statfsSync(target);
    const sizes = entries.map((entry) => Number(/^\S+ \S+ \S+ +(\d+)/.exec(entry)?.[1] ?? 0));
    const blocks = sizes.reduce((sum, size) => sum + Math.ceil(size / bsize), 0);
    // Folders take room too; a file system without a fixed number of files tells 0 of them.
    return blocks >= bavail - MARGIN || (files > 0 && sizes.length >= ffree - MARGIN);
  } catch {
    return false;
  }
}

const MARGIN = 16;

function diskFull(cause: unknown): Error {
  const message = `ENOSPC: no space left on device for a copy of the workspace`;
  return Object.assign(new Error(message, { cause }), { code: "ENOSPC" });
}

/** States that were noted under a key. One whose files have been lost counts as never noted. */
async function readMark(shadow: Shadow, key: string): Promise<Snapshot | null> {
  try {
    const found: unknown = JSON.parse(readFileSync(fileOf(shadow, key), "utf8"));
    if (!hasShape(snapshotShape, found)) return null;
    const { code } = await shadow.git({ args: ["cat-file", "-e", `${found.tree}^{tree}`] });
    return code === 0 ? found : null;
  } catch {
    return null;
  }
}

function writeMark(shadow: Shadow, key: string, snapshot: Snapshot): Snapshot {
  const file = fileOf(shadow, key);
  const temporary = `${file}.${randomUUID()}`;
  mkdirSync(join(shadow.folder, "marks"), { recursive: true });
  writeFileSync(temporary, JSON.stringify(snapshot));
  renameSync(temporary, file);
  return snapshot;
}

function fileOf(shadow: Shadow, key: string): string {
  return join(shadow.folder, "marks", hash("sha256", key, "hex").slice(0, 32));
}
