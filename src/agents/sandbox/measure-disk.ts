import { type Dirent, lstatSync, readdirSync, readFileSync, type Stats, statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { ProcessGallery } from "./measure-processes.ts";

/** The clock of a file system lags a little; what was written shortly before, such as a fresh checkout, is not the gate's. */
const COARSE = 10;
/** An empty file takes room too, and of files there is no endless number. */
const SMALLEST = 1024;
const FILES_A_TURN = 1000;
/** From this size on, the size that a file had before the gate began is remembered. */
const LARGE = 2 ** 20;

/** What is free on the disk that a folder is on: bytes, and for each file that can still be made those of an empty one. */
export function freeBytes(folder: string): number {
  const { bsize, bavail, ffree } = statfsSync(folder);
  return bsize * bavail + SMALLEST * ffree;
}

export interface Writer {
  readonly directory: string;
  /** Folders in it that are not the gate's. */
  readonly except: readonly string[];
  /** When it began, as a time of files. */
  readonly since: number;
}

/** Bytes on the disk of large files that were seen while they were as before the gate began, by device and inode. */
export type OldSizes = Map<string, number>;

/**
 * Which files count. With evidence, all files whose change time is new: only the kernel sets it. Without, files that
 * were made or written, so that changed permissions of large old files do not count.
 */
type Suspicion = "evidence" | "none";

/**
 * Bytes on the disk of the files that are the gate's since it began. Counted no longer than until it is enough. Of a
 * file in `oldSizes` only the growth counts; files that are still as before are added to it.
 */
export async function countDiskBytes(
  writer: Writer,
  gallery: ProcessGallery | null,
  suspicion: Suspicion,
  enough: number,
  oldSizes: OldSizes,
): Promise<number> {
  const sum = new WrittenSum(writer.since - COARSE, suspicion, oldSizes);
  const isWhole = await addFolder(writer, sum, enough);
  if (gallery === null) return sum.bytes;
  if (sum.bytes < enough) addDeleted(gallery, sum);
  // Where the files cannot be counted, what its processes say to have written counts.
  return isWhole ? sum.bytes : Math.max(sum.bytes, bytesWrittenBy(gallery));
}

class WrittenSum {
  bytes = 0;
  readonly #since: number;
  readonly #suspicion: Suspicion;
  readonly #oldSizes: OldSizes;
  readonly #linked = new Set<string>();

  constructor(since: number, suspicion: Suspicion, oldSizes: OldSizes) {
    this.#since = since;
    this.#suspicion = suspicion;
    this.#oldSizes = oldSizes;
  }

  /** A file with many names counts once. */
  add(stats: Stats): void {
    const { ctimeMs, mtimeMs, birthtimeMs } = stats;
    const size = stats.blocks * 512;
    const key = `${stats.dev}:${stats.ino}`;
    if (ctimeMs < this.#since) {
      if (size >= LARGE && stats.isFile()) this.#oldSizes.set(key, size);
      return;
    }
    if (this.#suspicion === "none" && Math.max(mtimeMs, birthtimeMs) < this.#since) return;
    if (stats.nlink !== 1 && !stats.isDirectory()) {
      if (this.#linked.has(key)) return;
      this.#linked.add(key);
    }
    this.bytes += Math.max(size - (this.#oldSizes.get(key) ?? 0), SMALLEST);
  }
}

/** False when something in it cannot be looked at, such as a path that is too long to be named. */
async function addFolder(writer: Writer, sum: WrittenSum, enough: number): Promise<boolean> {
  const folders = [writer.directory];
  let isWhole = true;
  let files = 0;
  for (let folder = folders.pop(); folder !== undefined && sum.bytes < enough; folder = folders.pop()) {
    const entries = entriesOf(folder);
    if (entries === null) isWhole = false;
    for (const entry of entries ?? []) {
      const path = join(folder, entry.name);
      if (writer.except.includes(path)) continue;
      files += 1;
      if (files % FILES_A_TURN === 0) await nextTurn();
      if (!addEntry(path, sum)) isWhole = false;
      if (entry.isDirectory()) folders.push(path);
    }
  }
  return isWhole;
}

/** One that is gone by now is no reason for doubt. */
function addEntry(path: string, sum: WrittenSum): boolean {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats !== undefined) sum.add(stats);
    return true;
  } catch {
    return false;
  }
}

function entriesOf(folder: string): Dirent[] | null {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ENOENT" ? [] : null;
  }
}

/** Files without a name that are still held open. */
function addDeleted({ place, pids }: ProcessGallery, sum: WrittenSum): void {
  for (const pid of pids()) {
    const folder = `${place}/${pid}/fd`;
    for (const entry of entriesOf(folder) ?? []) {
      const stats = statQuietly(join(folder, entry.name));
      if (stats?.isFile() === true && stats.nlink === 0) sum.add(stats);
    }
  }
}

/** What its processes say to have written; one that has ended is counted by the one that waited for it. */
export function bytesWrittenBy({ place, pids }: ProcessGallery): number {
  let sum = 0;
  for (const pid of pids()) {
    try {
      const io = readFileSync(`${place}/${pid}/io`, "latin1");
      sum += Number(/^write_bytes: (\d+)$/m.exec(io)?.[1] ?? 0);
    } catch {
      continue;
    }
  }
  return sum;
}

function statQuietly(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}
