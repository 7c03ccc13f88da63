import { isUtf8 } from "node:buffer";
import { createHash, randomUUID } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { type FileHandle, lstat, mkdir, open, readFile, realpath, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, normalize, sep } from "node:path";
import { answerOf, gitWith } from "../git/run-git.ts";
import type { FileMarks, NewFile, ReadText, Workspace } from "../ports/workspace.ts";
import { workspaceTurns } from "./workspace-turns.ts";
import { withFolder, holdLock, fingerprintFolder, removeFolder, writtenInFolder } from "./workspace-folders.ts";

export interface WorkspacePlaces {
  /** The work tree in which this process was started. */
  readonly root: string;
  /** The main work tree of the repository; the root itself unless that is a linked worktree. */
  readonly mainRoot: string;
  /** Folder of the state: attempts, and where each run works. */
  readonly stateFolder: string;
  /**
   * Folder of worktrees and of copies for gates. It lies in the work tree, so that dependencies of the repository are
   * found there and tools do not pass it over as they do with all that lies in a git folder.
   */
  readonly workFolder: string;
}

/** Agents work in the repository itself, or in a worktree of it. */
export function folderWorkspace(places: WorkspacePlaces): Workspace {
  const { stateFolder, workFolder } = places;
  const worktrees = new Map<string, Promise<string>>();
  return {
    async prepare(id, kind) {
      if (kind === "in-place") return prepareInPlace(places, id);
      // Agents of parallel tasks ask at once.
      const made = worktrees.get(id) ?? prepareWorktree(places, id);
      worktrees.set(id, made);
      made.catch(() => worktrees.delete(id));
      return refuseGone(await made, id);
    },
    async release(id) {
      worktrees.delete(id);
      await releaseWorktree(places, id);
    },
    async worktree(id) {
      const folder = await notedFolder(places, id, "worktree");
      return folder !== null && (await stats(folder)) !== null ? folder : null;
    },
    async scratch(id, attempt) {
      return makeBelow(stateFolder, "attempts", id, attempt);
    },
    copyFolder: (id, name) => join(workFolder, "copies", id, name),
    async fresh(id, name) {
      await rm(join(workFolder, "copies", id, name), { recursive: true, force: true });
      await makeWorkFolder(workFolder);
      return makeBelow(workFolder, "copies", id, name);
    },
    has: async (directory, path) =>
      isInside(path) &&
      (await stats(join(directory, path)))?.isDirectory() === true &&
      (await leadsInside(directory, join(directory, path))),
    fingerprint: (directory, path) => fingerprintFolder(join(directory, path)),
    writtenSince: (directory, path, since) => writtenInFolder(join(directory, path), since),
    remove: removeFolder,
    discard,
    ...workspaceTurns((id) => prepareInPlace(places, id), stateFolder),
    look,
    read,
    readNew,
    rewrite,
  };
}

/**
 * Folder by folder: a state or a work tree that was deleted must not come back as an empty one. A link could lead
 * anywhere, and a repository can bring one.
 */
async function makeBelow(base: string, ...names: readonly string[]): Promise<string> {
  let folder = base;
  for (const name of names) {
    folder = join(folder, name);
    await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
    const found = await lstat(folder);
    if (found.isSymbolicLink()) throw new Error(`${folder} is a link: remove it, then try again`);
    if (found.uid !== (process.getuid?.() ?? found.uid))
      throw new Error(`${folder} belongs to another user: move it away, then try again`);
  }
  return folder;
}

/** Git does not see it. */
async function makeWorkFolder(folder: string): Promise<void> {
  await makeBelow(dirname(folder), basename(folder));
  await writeFile(join(folder, ".gitignore"), "*\n", { flag: "wx" }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
}

async function discard(directory: string, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const place = join(directory, path);
    if (isInside(path) && (await leadsInside(directory, dirname(place))))
      await rm(place, { recursive: true, force: true });
  }
}

type FolderKind = Parameters<Workspace["prepare"]>[1];

/**
 * Where a run works is noted in the state, which all worktrees of the repository share: a process that was started in
 * another one must not continue the run there. The main work tree is noted as such, because it moves with its state.
 */
async function notedFolder(
  { stateFolder, mainRoot }: WorkspacePlaces,
  id: string,
  kind: FolderKind,
): Promise<string | null> {
  const text = await readFile(notePath(stateFolder, id, kind), "utf8").catch(() => null);
  const [, path] = /^([^\0\n]+)\n$/.exec(text ?? "") ?? [];
  return path === MAIN ? mainRoot : (path ?? null);
}

const MAIN = "main work tree";

function notePath(stateFolder: string, id: string, kind: FolderKind): string {
  return join(stateFolder, "workspaces", `${id}.${kind}`);
}

async function noteFolder(path: string, note: string): Promise<void> {
  await makeBelow(dirname(dirname(path)), basename(dirname(path)));
  const temporary = `${path}.${randomUUID()}.tmp`;
  await writeFile(temporary, `${note}\n`, { flag: "wx", mode: 0o600 });
  await rename(temporary, path);
}

async function prepareInPlace(places: WorkspacePlaces, id: string): Promise<string> {
  const { root, mainRoot, stateFolder } = places;
  const noted = await notedFolder(places, id, "in-place");
  if (noted !== null && (await stats(noted)) === null)
    throw new Error(`the folder ${noted}, in which the run works, is gone`);
  if (noted === null) await noteFolder(notePath(stateFolder, id, "in-place"), root === mainRoot ? MAIN : root);
  return noted ?? root;
}

async function read(directory: string, path: string, limit: number): Promise<ReadText | null> {
  const found = await readInside(directory, path, limit);
  if (found === null) return null;
  return { text: found.stats.size > limit ? null : found.bytes.toString("utf8") };
}

/**
 * Git as the operator's own checkout: with their settings and environment, however long it takes. A partial clone
 * fetches the files that it lacks.
 */
async function checkoutGit(directory: string, ...args: readonly string[]): Promise<string> {
  const git = gitWith({ environment: process.env, operatorSettings: true, timeout: null });
  const environment = { GIT_NO_LAZY_FETCH: undefined, GIT_ALLOW_PROTOCOL: process.env["GIT_ALLOW_PROTOCOL"] };
  return (await answerOf(git, { directory, args, environment })).trim();
}

/** It is noted when it is complete: a checkout that was cut off is made again. */
async function prepareWorktree(places: WorkspacePlaces, id: string): Promise<string> {
  const { stateFolder } = places;
  const noted = await notedFolder(places, id, "worktree");
  if (noted !== null) {
    await refuseGone(noted, id);
    await removeLocks(noted);
    return noted;
  }
  const root = await prepareInPlace(places, id);
  const workFolder = root === places.root ? places.workFolder : join(root, basename(places.workFolder));
  const folder = join(workFolder, "worktrees", id);
  await makeWorkFolder(workFolder);
  await makeBelow(workFolder, "worktrees");
  await rm(folder, { recursive: true, force: true });
  await checkoutGit(root, "worktree", "prune");
  const branch = `baton/${id}`;
  const isThere = (await checkoutGit(root, "branch", "--list", "--", branch)) !== "";
  // A branch that is there may hold commits of agents: it is never set back.
  const how = isThere ? ["--", folder, branch] : ["-b", branch, "--", folder];
  await checkoutGit(root, "worktree", "add", "--quiet", "--force", ...how);
  await noteFolder(notePath(stateFolder, id, "worktree"), folder);
  return folder;
}

/** Git says by a file in it that it is a worktree. */
async function refuseGone(folder: string, id: string): Promise<string> {
  if ((await stats(join(folder, ".git"))) === null) throw new Error(worktreeIsGone(folder, id));
  return folder;
}

/** A new worktree would lack uncommitted work, so the operator has to decide. */
function worktreeIsGone(folder: string, id: string): string {
  const back = `git worktree prune && git worktree add '${folder}' baton/${id}`;
  return `the worktree of the run is gone, and with it what was not committed; \`${back}\` brings back the rest`;
}

/** No agent works here when this process starts: locks that are still there were left by a killed process. */
async function removeLocks(folder: string): Promise<void> {
  const gitFolder = /^gitdir: (.+)$/m.exec(await readFile(join(folder, ".git"), "utf8").catch(() => ""))?.[1];
  if (gitFolder === undefined) return;
  for (const name of ["index.lock", "HEAD.lock"]) await rm(join(gitFolder, name), { force: true });
}

/**
 * A worktree that stands on no branch was left so by an agent that cleared up. Git itself refuses to remove one with
 * changes in it, and the branch of the run goes only when other branches have all of its commits.
 */
async function releaseWorktree(places: WorkspacePlaces, id: string): Promise<void> {
  const { root, stateFolder } = places;
  const folder = await notedFolder(places, id, "worktree");
  if (folder === null || (await stats(folder)) === null) return;
  const branch = await checkoutGit(folder, "rev-parse", "--abbrev-ref", "HEAD");
  if (branch !== "HEAD") return;
  await checkoutGit(root, "worktree", "remove", "--", folder);
  await rm(notePath(stateFolder, id, "worktree"), { force: true });
  const own = `refs/heads/baton/${id}`;
  const others = ["--not", `--exclude=${own}`, "--all"];
  if ((await checkoutGit(root, "rev-list", "--count", own, ...others)) === "0")
    await checkoutGit(root, "branch", "--quiet", "-D", "--", `baton/${id}`);
}

async function look(directory: string, paths: readonly string[]): Promise<FileMarks> {
  const marks: Record<string, string> = {};
  for (const path of paths) marks[path] = markOf(await readInside(directory, path, LARGEST));
  return marks;
}

/** An older file with the same content does not count: it must have been written again. */
async function readNew(
  directory: string,
  paths: readonly string[],
  before: FileMarks,
  limit: number,
): Promise<NewFile | null> {
  for (const path of paths) {
    const found = await readInside(directory, path, LARGEST);
    if (found !== null && markOf(found) !== before[path])
      return { path, text: found.bytes.subarray(0, limit + 1).toString("utf8") };
  }
  return null;
}

/**
 * Written beside the file, then renamed over it: a half-written file is never visible. If another program has written
 * the file meanwhile, the change is made again on the new text.
 */
async function rewrite(directory: string, path: string, change: Change, locked = false): Promise<void> {
  if (!isInside(path) || !(await leadsInside(directory, join(directory, dirname(path))))) return;
  const parts = normalize(path).split(sep);
  const isThere = (await stats(join(directory, path))) !== null;
  if (!locked || !isThere) return rewriteFile(directory, path, parts, change);
  await withFolder(directory, parts.slice(0, -1), (folder) =>
    holdLock(join(folder, `${basename(path)}.lock`), () => rewriteFile(directory, path, parts, change)),
  );
}

type Change = (text: string | null) => string | null;

async function rewriteFile(directory: string, path: string, parts: readonly string[], change: Change): Promise<void> {
  for (let tries = 0; tries < MAX_REWRITES; tries++) {
    const found = await readWhole(directory, path);
    if (found === null && (await stats(join(directory, path))) !== null) return;
    const text = change(found?.bytes.toString("utf8") ?? null);
    if (text === null) return;
    const isDone = await withFolder(directory, parts.slice(0, -1), (folder) =>
      replaceFile(
        folder,
        basename(path),
        { text, mode: found?.stats.mode ?? 0o666 },
        async () => markOf(found) === markOf(await readWhole(directory, path)),
      ),
    );
    if (isDone !== false) return;
  }
  throw new Error(`${path} is written again and again by another program.`);
}

const MAX_REWRITES = 10;

/** On the disk before it has its name: a crash leaves the old text or the new one. False when it may not be replaced. */
async function replaceFile(
  folder: string,
  name: string,
  { text, mode }: { readonly text: string; readonly mode: number },
  mayReplace: () => Promise<boolean>,
): Promise<boolean> {
  const temporary = join(folder, `.${name}.${randomUUID()}.tmp`);
  try {
    await writeFile(temporary, text, { flag: "wx", mode: mode & 0o777, flush: true });
    if (!(await mayReplace())) return false;
    await rename(temporary, join(folder, name));
    return true;
  } finally {
    await rm(temporary, { force: true });
  }
}

/** What is not here as a whole cannot be written back. */
async function readWhole(directory: string, path: string): Promise<FoundFile | null> {
  const found = await readInside(directory, path, MAX_REWRITTEN);
  if (found === null) return null;
  if (found.stats.size > MAX_REWRITTEN) throw new Error(`${path} is larger than ${MAX_REWRITTEN} bytes.`);
  if (!isUtf8(found.bytes)) throw new Error(`${path} is not UTF-8 text.`);
  return found;
}

const MAX_REWRITTEN = 16_777_216;

/** Whether what exists of a folder's path stays in the workspace; a link that leads outside does not. */
async function leadsInside(directory: string, folder: string): Promise<boolean> {
  const root = await realpath(directory);
  for (let part = folder; ; part = dirname(part)) {
    const real = await realpath(part).catch(() => null);
    if (real !== null) return `${real}${sep}`.startsWith(root + sep);
    // A dangling link may lead outside as soon as its target is made.
    if ((await stats(part)) !== null || part === dirname(part)) return false;
  }
}

const LARGEST = 2_097_152;

interface FoundFile {
  readonly bytes: Buffer;
  readonly stats: Stats;
}

function markOf(file: FoundFile | null): string {
  if (file === null) return "absent";
  const { ino, mtimeMs, ctimeMs } = file.stats;
  return [ino, mtimeMs, ctimeMs, createHash("sha256").update(file.bytes).digest("hex")].join(" ");
}

/** Opened without following a last link, then the opened file's real path is compared: no race leads outside. */
async function readInside(directory: string, path: string, limit: number): Promise<FoundFile | null> {
  if (!isInside(path)) return null;
  let file: FileHandle | null = null;
  try {
    file = await open(join(directory, path), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const found = await file.stat();
    if (!found.isFile() || !(await isBelow(directory, file, path))) return null;
    const buffer = Buffer.alloc(Math.min(found.size, limit));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
    return { bytes: buffer.subarray(0, bytesRead), stats: found };
  } catch {
    return null;
  } finally {
    await file?.close();
  }
}

/** Relative, and nothing in it that leads elsewhere. */
export function isInside(path: string): boolean {
  if (path === "" || isAbsolute(path) || /[\0\\]|^[-~]|^[A-Za-z]:/.test(path)) return false;
  const parts = normalize(path).split(sep);
  return !parts.includes("..") && !parts.includes(".git");
}

async function isBelow(directory: string, file: FileHandle, path: string): Promise<boolean> {
  const root = await realpath(directory);
  const real = await realpath(`/proc/self/fd/${file.fd}`).catch(() => realpath(join(directory, path)));
  return real.startsWith(root + sep);
}

async function stats(path: string): Promise<Stats | null> {
  try {
    return await lstat(path);
  } catch {
    return null;
  }
}
