import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, realpathSync, type Stats } from "node:fs";
import { dirname, join, sep } from "node:path";
import type { FileSight, Needs } from "../evidence/sightings.ts";

/** Presence, and for some the number of lines. Nothing is opened that is not a file below the directory. */
export function lookAtFiles(directory: string, { paths, lengths }: Needs): Map<string, Omit<FileSight, "isIgnored">> {
  const root = realpathSync.native(directory);
  const counted = new Set(lengths);
  const insides = new Map<string, boolean>();
  const isBelow = (folder: string): boolean => {
    const known = insides.get(folder);
    if (known !== undefined) return known;
    const real = realOrNull(folder);
    const inside = real === null || real === root || real.startsWith(root + sep);
    insides.set(folder, inside);
    return inside;
  };
  const seen = new Map<string, Omit<FileSight, "isIgnored">>();
  for (const path of new Set([...paths, ...lengths])) {
    const place = join(directory, path);
    if (!isBelow(dirname(place))) seen.set(path, { is: "outside", lines: null });
    else {
      const is = kindOf(statOrNull(place));
      seen.set(path, { is, lines: is === "file" && counted.has(path) ? countLines(root, place) : null });
    }
  }
  return seen;
}

function kindOf(stats: Stats | null): FileSight["is"] {
  if (stats === null) return "absent";
  if (stats.isFile()) return "file";
  if (stats.isDirectory()) return "folder";
  return stats.isSymbolicLink() ? "link" : "other";
}

function statOrNull(place: string): Stats | null {
  return lstatSync(place, { throwIfNoEntry: false }) ?? null;
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
