import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  realpathSync,
  type Stats,
} from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import type { ObservedFile, NeededObservations, ObservedChange, ObservedPattern } from "../evidence/observations.ts";
import { folderOf, limitedEffort, pathMatcher } from "../evidence/path-pattern.ts";
import type { Shadow } from "./shadow.ts";
import { nestedRepositories } from "./observe-changes.ts";

/** What is seen of a file without asking git. */
export interface PresentFile extends Omit<ObservedFile, "isIgnored"> {
  /** It is reached through a link, or in a repository of its own: our git does not see its changes. */
  readonly isHidden: boolean;
}

/** Presence, and for some the number of lines. Nothing is opened that is not a file below the directory. */
export function observeFiles(directory: string, { paths, lengths }: NeededObservations): Map<string, PresentFile> {
  const root = realpathSync.native(directory);
  const counted = new Set(lengths);
  const folders = new Folders(root);
  const seen = new Map<string, PresentFile>();
  for (const path of new Set([...paths, ...lengths])) {
    seen.set(path, lookAt(path, folders, root, counted.has(path)));
  }
  return seen;
}

function lookAt(path: string, folders: Folders, root: string, isCounted: boolean): PresentFile {
  const place = join(root, path);
  if (place === root) return { is: kindOf(statOrNull(place)), lines: null, isHidden: false };
  const { isInside, isHidden } = folders.look(dirname(place));
  const is = isInside ? kindOf(statOrNull(place)) : "outside";
  if (is === "outside" || (is === "link" && leadsOut(root, place)))
    return { is: "outside", lines: null, isHidden: false };
  const lines = is === "file" && isCounted ? countLines(root, place) : null;
  if (is !== "folder") return { is, lines, isHidden };
  const isClosed = isHidden || folders.look(place).isHidden;
  const few = isClosed ? null : fewFiles(root, place);
  return { is, lines, isHidden: isClosed, ...(few && { few }) };
}

/** Of a link that leads nowhere, its text tells where it would lead. */
function leadsOut(root: string, place: string): boolean {
  const real = realOrNull(place) ?? resolve(realOrNull(dirname(place)) ?? dirname(place), targetOf(place));
  return real !== root && !real.startsWith(root + sep);
}

function targetOf(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return ".";
  }
}

/** The files in a folder and below, as paths from the root; null when there are more than a few. */
function fewFiles(root: string, folder: string): string[] | null {
  const files: string[] = [];
  const waiting = [folder];
  for (let next = waiting.pop(), looked = 0; next !== undefined; next = waiting.pop(), looked++) {
    if (looked >= MAX_FEW) return null;
    const entries = entriesOf(next);
    if (entries === null || files.length + entries.length > MAX_FEW) return null;
    for (const entry of entries) {
      const place = join(next, entry.name);
      if (entry.isDirectory()) waiting.push(place);
      else files.push(relative(root, place));
    }
  }
  return files;
}

const MAX_FEW = 20;

function entriesOf(folder: string): Dirent[] | null {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return null;
  }
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

function kindOf(stats: Stats | null): ObservedFile["is"] {
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

/** Larger files are not read line by line. */
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

/** More patterns than these no handoff needs; the others are not looked at. */
const MAX_PATTERNS = 100;

export async function observePatterns(
  shadow: Shadow,
  patterns: readonly string[],
  changes: ReadonlyMap<string, ObservedChange>,
  untracked: readonly string[],
): Promise<Map<string, ObservedPattern>> {
  const seen = new Map<string, ObservedPattern>();
  if (patterns.length === 0) return seen;
  const output = await shadow.answer({ args: ["ls-files", "-z"] });
  const listed = new Set([...output.split("\0").filter((path) => path !== ""), ...untracked]);
  for (const [path, { change }] of changes) if (change === "deleted") listed.delete(path);
  // Node's own matcher takes forever over a pattern with many stars.
  const effort = limitedEffort(listed.size);
  for (const pattern of patterns.slice(0, MAX_PATTERNS)) {
    const folder = folderOf(pattern);
    const fits = pathMatcher(pattern, effort);
    const matching = [...listed].filter((path) => (folder === null || path.startsWith(`${folder}/`)) && fits(path));
    if (effort.left <= 0) break;
    seen.set(pattern, {
      count: matching.length,
      changed: matching.filter((path) => changes.has(path)).length,
      isEverything: matching.length > 0 && matching.length === listed.size,
    });
  }
  return seen;
}

/** Paths whose changes git does not see. Only of those that show no change it matters. */
export async function unseenAmong(
  shadow: Shadow,
  present: ReadonlyMap<string, PresentFile>,
  changes: ReadonlyMap<string, ObservedChange>,
): Promise<Set<string>> {
  // One path behind a link would have git refuse to answer for all.
  const asked = [...present].filter(([path, { is, isHidden }]) => is !== "outside" && !isHidden && !changes.has(path));
  const ignored = await ignoredAmong(
    shadow,
    asked.map(([path]) => path),
  );
  const folders = asked.flatMap(([path, { is }]) => (is === "folder" && !ignored.has(path) ? [path] : []));
  return new Set([...ignored, ...(await bareAmong(shadow, folders, changes))]);
}

async function ignoredAmong(shadow: Shadow, paths: readonly string[]): Promise<ReadonlySet<string>> {
  const ignored = await checkIgnored(shadow, paths);
  if (ignored !== null) return ignored;
  // One path in a repository within ours has git refuse for all, too. What is in there is not seen.
  const { nested } = await nestedRepositories(shadow);
  const isWithin = (path: string): boolean => nested.some((folder) => isBelow(path, folder));
  const others = await checkIgnored(
    shadow,
    paths.filter((path) => !isWithin(path)),
  );
  if (others === null) throw new Error("git does not tell which files are ignored");
  return new Set([...others, ...paths.filter(isWithin)]);
}

/** Null when git does not answer. */
async function checkIgnored(shadow: Shadow, paths: readonly string[]): Promise<Set<string> | null> {
  if (paths.length === 0) return new Set();
  const { code, output } = await shadow.git({
    args: ["check-ignore", "-z", "--stdin"],
    input: `${paths.join("\0")}\0`,
  });
  return code > MATCHES_NONE ? null : new Set(output.split("\0"));
}

const MATCHES_NONE = 1;

/** Folders in which git knows no file: they are empty, or all that is in them is ignored. */
async function bareAmong(
  shadow: Shadow,
  folders: readonly string[],
  changes: ReadonlyMap<string, ObservedChange>,
): Promise<string[]> {
  if (folders.length === 0) return [];
  const output = await shadow.answer({ args: ["ls-files", "-z"] });
  const known = new Set(["."]);
  for (const path of [...output.split("\0"), ...changes.keys()])
    for (let end = path.length; end > 0; end = path.lastIndexOf("/", end - 1)) known.add(path.slice(0, end));
  return folders.filter((folder) => !known.has(folder));
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}
