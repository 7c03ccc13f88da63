import { constants, lstatSync } from "node:fs";
import { type FileHandle, mkdir, open, realpath, rmdir, stat, chmod, readdir, rm } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { createHash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { WrittenFiles } from "../evidence/observations.ts";

/** Whether a folder that is held open can be named by that; else its path has to do, and somebody quick may swap it. */
const CAN_NAME_OPEN = process.platform === "linux";

/**
 * Calls `work` with a name of a folder in a workspace that leads there whatever happens to its path meanwhile. What is
 * missing of the folder is made. Null when the path leads outside; a link that stays inside is followed.
 */
export async function withFolder<T>(
  directory: string,
  parts: readonly string[],
  work: (name: string) => Promise<T>,
): Promise<T | null> {
  const root = await realpath(directory);
  let held = await openFolder(root, constants.O_DIRECTORY);
  let path = root;
  try {
    for (const part of parts) {
      path = join(path, part);
      const next = await step(join(nameOf(held, join(path, "..")), part));
      await held.close();
      held = next;
      if (!(await isIn(root, nameOf(held, path)))) return null;
    }
    return await work(nameOf(held, path));
  } finally {
    await held.close();
  }
}

/** A folder that was just made cannot be a link, unless somebody has put one in its place. */
async function step(name: string): Promise<FileHandle> {
  try {
    return await openFolder(name, constants.O_DIRECTORY);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    await mkdir(name);
    return await openFolder(name, constants.O_DIRECTORY | constants.O_NOFOLLOW);
  }
}

async function openFolder(name: string, flags: number): Promise<FileHandle> {
  return await open(name, constants.O_RDONLY | flags);
}

function nameOf(held: FileHandle, path: string): string {
  return CAN_NAME_OPEN ? `/proc/self/fd/${held.fd}` : path;
}

async function isIn(root: string, name: string): Promise<boolean> {
  const real = await realpath(name);
  return real === root || real.startsWith(root + sep);
}

/**
 * Holds a lock during `work`: a folder that only one process can make, as the commands of Task Master do beside their
 * file. A lock that was not touched for a while was left behind by a crashed process.
 */
export async function holdLock<T>(name: string, work: () => Promise<T>): Promise<T> {
  for (let waited = 0; !(await take(name)); waited += PAUSE) {
    if (waited >= MAX_WAIT) throw new Error(`another process holds the lock ${name.split("/").at(-1) ?? name}.`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
  try {
    return await work();
  } finally {
    await rmdir(name).catch(() => undefined);
  }
}

const PAUSE = 50;
const MAX_WAIT = 1_000;
const STALE = 10_000;

async function take(name: string): Promise<boolean> {
  try {
    await mkdir(name);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    if (await isStale(name)) await rmdir(name).catch(() => undefined);
    return false;
  }
}

async function isStale(name: string): Promise<boolean> {
  const found = await stat(name).catch(() => null);
  return found !== null && Date.now() - found.mtimeMs > STALE;
}

/** Names, sizes and times of all that is in it; contents are not read. */
export async function fingerprintFolder(folder: string): Promise<string> {
  const hash = createHash("sha256");
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const names = entries.map(({ parentPath, name }) => join(parentPath, name)).sort();
  for (const [at, name] of names.entries()) {
    const stats = lstatSync(name, { throwIfNoEntry: false });
    hash.update(`${name}\0${stats?.size ?? 0}\0${stats?.mtimeMs ?? 0}\0${stats?.ctimeMs ?? 0}\0`);
    // Each look takes microseconds, thousands of promises would take far longer; others get their turn in between.
    if (at % BATCH === 0) await nextTurn();
  }
  return hash.digest("hex");
}

const BATCH = 1000;

/** What tools write while they only read packages. */
const CACHES = /(?:^|[\\/])(?:\.cache|\.vite|\.vite-temp|\.vitest|\.tmp|__pycache__)(?:[\\/]|$)/;
const MAX_SAMPLE = 3;

/**
 * By the time at which the system last changed each entry, which no program can set back. An entry of a folder that was
 * renamed is found by its folder. Null where there is no such folder.
 */
export async function writtenInFolder(folder: string, since: number): Promise<WrittenFiles | null> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => null);
  if (entries === null) return null;
  const names = entries.map(({ parentPath, name }) => relative(folder, join(parentPath, name))).sort();
  const written: string[] = [];
  for (const [at, name] of names.entries()) {
    if (at % BATCH === 0) await nextTurn();
    if (CACHES.test(name)) continue;
    const stats = lstatSync(join(folder, name), { throwIfNoEntry: false });
    if (stats !== undefined && stats.ctimeMs > since) written.push(name);
  }
  // Of a file and its folder, the file says more.
  const files = written.filter((name, at) => written[at + 1]?.startsWith(`${name}${sep}`) !== true);
  return { count: files.length, sample: files.slice(0, MAX_SAMPLE) };
}

/** Also one in which folders were made read-only, as some tools do with what they keep. */
export async function removeFolder(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true });
  } catch {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
    await chmod(folder, 0o700).catch(() => undefined);
    for (const { parentPath, name } of entries.filter((entry) => entry.isDirectory()))
      await chmod(join(parentPath, name), 0o700).catch(() => undefined);
    await rm(folder, { recursive: true, force: true });
  }
}
