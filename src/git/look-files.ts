import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, realpathSync, type Stats } from "node:fs";
import { dirname, join, sep } from "node:path";
import type { FileSight, Needs } from "../evidence/sightings.ts";

/** What is seen of a file without asking git. */
export interface PresentFile extends Omit<FileSight, "isIgnored"> {
  /** It is reached through a link, or in a repository of its own: our git does not see its changes. */
  readonly isHidden: boolean;
}

/** Presence, and for some the number of lines. Nothing is opened that is not a file below the directory. */
export function lookAtFiles(directory: string, { paths, lengths }: Needs): Map<string, PresentFile> {
  const root = realpathSync.native(directory);
  const counted = new Set(lengths);
  const folders = new Folders(root);
  const seen = new Map<string, PresentFile>();
  for (const path of new Set([...paths, ...lengths])) {
    const place = join(root, path);
    const { isInside, isHidden } = folders.look(dirname(place));
    if (!isInside && place !== root) seen.set(path, { is: "outside", lines: null, isHidden: false });
    else {
      const is = kindOf(statOrNull(place));
      const count = is === "file" && counted.has(path) ? countLines(root, place) : null;
      const isClosed = isHidden || (is === "folder" && folders.look(place).isHidden);
      seen.set(path, { is, lines: count, isHidden: isClosed && place !== root });
    }
  }
  return seen;
}

interface Folder {
  readonly isInside: boolean;
  readonly isHidden: boolean;
}

/** Folders below the root; each is looked at once. */
class Folders {
  readonly #root: string;
  readonly #seen = new Map<string, Folder>();

  constructor(root: string) {
    this.#root = root;
    this.#seen.set(root, { isInside: true, isHidden: false });
  }

  look(folder: string): Folder {
    const known = this.#seen.get(folder) ?? this.#lookNew(folder);
    this.#seen.set(folder, known);
    return known;
  }

  #lookNew(folder: string): Folder {
    const real = realOrNull(folder) ?? folder;
    if (!real.startsWith(this.#root + sep) && real !== this.#root) return { isInside: false, isHidden: false };
    return { isInside: true, isHidden: real !== folder || this.#isHidden(folder) };
  }

  /** A link that leads nowhere has no real path that would tell. */
  #isHidden(folder: string): boolean {
    if (this.look(dirname(folder)).isHidden || kindOf(statOrNull(folder)) === "link") return true;
    return statOrNull(join(folder, ".git")) !== null;
  }
}

function kindOf(stats: Stats | null): FileSight["is"] {
  if (stats === null) return "absent";
  if (stats.isFile()) return "file";
  if (stats.isDirectory()) return "folder";
  return stats.isSymbolicLink() ? "link" : "other";
}

/** Below a file, behind a link that leads to itself, or under a name that is too long, there is nothing either. */
const NOTHING_THERE: readonly unknown[] = ["ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG"];

function statOrNull(place: string): Stats | null {
  try {
    return lstatSync(place, { throwIfNoEntry: false }) ?? null;
  } catch (error) {
    if (error instanceof Error && "code" in error && NOTHING_THERE.includes(error.code)) return null;
    throw error;
  }
}

function realOrNull(place: string): string | null {
  try {
    return realpathSync.native(place);
  } catch {
    return null;
  }
}

/** More than this nobody reads line by line. */
const LARGEST = 32 * 1024 * 1024;
const NEWLINE = 10;

/** A last line without an end counts; null when the file is too large or has become something else meanwhile. */
function countLines(root: string, place: string): number | null {
  let file: number | null = null;
  try {
    file = openSync(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stats = fstatSync(file);
    if (!stats.isFile() || stats.size > LARGEST || !isOpenedBelow(root, file, place)) return null;
    return linesIn(file);
  } catch {
    return null;
  } finally {
    if (file !== null) closeSync(file);
  }
}

const buffer = new Uint8Array(256 * 1024);

function linesIn(file: number): number {
  let lines = 0;
  let last = NEWLINE;
  for (let total = 0; total <= LARGEST;) {
    const size = readSync(file, buffer, 0, buffer.length, null);
    if (size === 0) break;
    total += size;
    const read = buffer.subarray(0, size);
    for (let at = read.indexOf(NEWLINE); at !== -1; at = read.indexOf(NEWLINE, at + 1)) lines++;
    last = read[size - 1] ?? NEWLINE;
  }
  return last === NEWLINE ? lines : lines + 1;
}

/** A link that was put on the way while we looked leads elsewhere: the opened file's own path tells. */
function isOpenedBelow(root: string, file: number, place: string): boolean {
  const real = realOrNull(`/proc/self/fd/${file}`) ?? realOrNull(place);
  return real?.startsWith(root + sep) === true;
}
