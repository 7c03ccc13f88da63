import { hash, randomUUID } from "node:crypto";
import {
  type Stats,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { type GitPlace, isThere } from "./git-place.ts";
import { type Git, type GitAnswer, type GitCall, answerOf } from "./run-git.ts";

/**
 * A git folder of our own beside the repository's: it reads the repository's objects and writes only its own,
 * and has settings that we wrote. Filters, drivers, hooks and helpers that the repository's settings name do not
 * exist for it, and neither do its flags that hide a file.
 */
export interface Shadow {
  readonly place: GitPlace;
  readonly folder: string;
  /** Calls git on the workspace with an index of its own. */
  git(call: Omit<GitCall, "directory">): Promise<GitAnswer>;
  answer(call: Omit<GitCall, "directory">): Promise<string>;
  /** The index is the repository's own, in which files may be marked as not to be looked at. */
  readonly isSeeded: boolean;
}

/** Gives it to `use` with a copy of the index; what `use` made of the index is kept when it says so. */
export async function withShadow<T>(
  git: Git,
  root: string,
  place: GitPlace,
  use: (shadow: Shadow, keepIndex: () => void) => Promise<T>,
): Promise<T> {
  const folder = join(root, hash("sha256", place.directory, "hex").slice(0, 16));
  const filters = hasFilters(git, place);
  prepare(folder, place);
  const index = join(folder, `index-${randomUUID()}`);
  const isSeeded = seedIndex(folder, place, index, !(await filters));
  const environment = { GIT_DIR: folder, GIT_WORK_TREE: place.directory, GIT_INDEX_FILE: index };
  const located = (call: Omit<GitCall, "directory">): GitCall => ({
    ...call,
    directory: place.directory,
    environment: { ...environment, ...call.environment },
  });
  const shadow: Shadow = {
    place,
    folder,
    isSeeded,
    git: (call) => git(located(call)),
    answer: (call) => answerOf(git, located(call)),
  };
  try {
    return await use(shadow, () => renameSync(index, join(folder, "index")));
  } finally {
    rmSync(index, { force: true });
  }
}

function prepare(folder: string, place: GitPlace): void {
  // Not with all its parents: a state folder that was deleted must not come back as an empty one.
  for (const part of [dirname(folder), folder]) if (!isThere(part)) makeOne(part);
  for (const part of ["objects/info", "refs", "info"]) mkdirSync(join(folder, part), { recursive: true, mode: 0o700 });
  keepText(folder, "objects/info/alternates", `${join(place.commonFolder, "objects")}\n`);
  keepText(folder, "HEAD", "ref: refs/heads/none\n");
  keepText(folder, "config", settingsOf(place));
  // This list overrules those of the workspace: a file that one of them calls binary is compared all the same.
  keepText(folder, "info/attributes", "* !diff\n");
  const shallow = readOrNull(join(place.commonFolder, "shallow"));
  if (shallow === null) rmSync(join(folder, "shallow"), { force: true });
  else keepText(folder, "shallow", shallow);
}

function makeOne(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process made it first.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/** A file with this text. Several processes may do it at once, all with the same text. */
function keepText(folder: string, name: string, text: string): void {
  if (readOrNull(join(folder, name)) === text) return;
  const temporary = join(folder, `new-${randomUUID()}`);
  writeFileSync(temporary, text);
  renameSync(temporary, join(folder, name));
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}

function settingsOf({ objectFormat, settings }: GitPlace): string {
  const lines = [
    "[core]",
    `repositoryformatversion = ${objectFormat === "sha1" ? 0 : 1}`,
    "bare = false",
    "fsmonitor = false",
    "untrackedCache = false",
    "splitIndex = false",
    "hooksPath = /dev/null",
    "attributesFile = /dev/null",
    "quotePath = false",
    // Objects here are short-lived and can be made again.
    "looseCompression = 0",
    "fsync = none",
    ...settings.map(([name, value]) => `${name.replace("core.", "")} = ${quoted(value)}`),
    ...(objectFormat === "sha1" ? [] : ["[extensions]", `objectFormat = ${objectFormat}`]),
  ];
  return `${lines.join("\n")}\n`;
}

function quoted(value: string): string {
  return `"${value
    .replaceAll("\\", "\\\\")
    .replaceAll('"', '\\"')
    .replaceAll(/[\0\n]/g, "")}"`;
}

/** Our own index knows what every file was like when it was last looked at; the first time the repository's does. */
function seedIndex(folder: string, place: GitPlace, index: string, keepsAge: boolean): boolean {
  if (copyIndex(join(folder, "index"), index, keepsAge)) return false;
  copyIndex(join(place.gitFolder, "index"), index, keepsAge);
  copySharedIndexes(place.gitFolder, folder);
  return true;
}

/**
 * Git reads a file again that is as old as the index: it may have changed in the same moment. A copy that is younger
 * than what it is a copy of would have it believe the index instead. False when there is none.
 */
function copyIndex(from: string, to: string, keepsAge: boolean): boolean {
  const written = lstatOrNull(from)?.mtimeMs;
  if (written === undefined) return false;
  copyOver(from, to);
  const second = Math.floor(written / 1000);
  if (keepsAge && isThere(to)) utimesSync(to, second, second);
  return true;
}

function lstatOrNull(path: string): Stats | null {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}

/**
 * A file that a filter has made (LFS) differs from the stored one when it is read without that filter. Any folder may
 * name a filter; git is asked for the attributes it knows, and no file that an agent may have replaced is opened.
 */
async function hasFilters(git: Git, { directory, gitFolder, commonFolder }: GitPlace): Promise<boolean> {
  const pattern = ["--quiet", "--text", "--extended-regexp", "[[:space:]]filter="];
  const args = ["grep", "--cached", "--no-recurse-submodules", ...pattern, "--", ":(top,glob)**/.gitattributes"];
  if (mayListAttributes(gitFolder) && (await git({ args, directory })).code === 0) return true;
  const own = join(commonFolder, "info/attributes");
  return lstatOrNull(own)?.isFile() === true && /\sfilter=/.test(readOrNull(own) ?? "");
}

/**
 * Most repositories have no list of attributes, and git need not be asked. An index of version 2 or 3 has each path as it
 * is, unless most of it is in another file (`link`) or whole folders stand for what is in them (`sdir`).
 */
export function mayListAttributes(gitFolder: string): boolean {
  try {
    const index = readFileSync(join(gitFolder, "index"));
    const isPlain = index.readUInt32BE(4) <= 3 && !index.includes("\0link") && !index.includes("sdir");
    return !isPlain || index.includes(".gitattributes");
  } catch {
    return true;
  }
}

/** A split index names another file beside it, which holds most of it. */
function copySharedIndexes(from: string, to: string): void {
  const names = isThere(from) ? readdirSync(from) : [];
  for (const name of names.filter((each) => /^sharedindex\.[0-9a-f]+$/.test(each)))
    copyOver(join(from, name), join(to, name));
}

/** Where it cannot be copied, git says what it lacks, or begins with nothing. */
function copyOver(from: string, to: string): void {
  try {
    copyFileSync(from, to);
  } catch {
    // As above.
  }
}

/**
 * Files marked `assume-unchanged` or `skip-worktree` look unchanged whatever was done to them: the marks are taken
 * off. True when there were any.
 */
export async function showHiddenFiles(shadow: Shadow): Promise<boolean> {
  if (!shadow.isSeeded) return false;
  const listed = await shadow.answer({ args: ["ls-files", "-v", "-z"] });
  if (!/(?:^|\0)[a-zS] /.test(listed)) return false;
  const marked = listed.split("\0").filter((entry) => /^[a-zS] /.test(entry));
  const assumed = marked.filter((entry) => /^[a-z] /.test(entry)).map((entry) => entry.slice(2));
  const skipped: string[] = [];
  for (const path of marked.filter((entry) => /^s /i.test(entry)).map((entry) => entry.slice(2)))
    if (isThere(join(shadow.place.directory, path))) skipped.push(path);
  await unmark(shadow, "--no-assume-unchanged", assumed);
  await unmark(shadow, "--no-skip-worktree", skipped);
  return assumed.length + skipped.length > 0;
}

async function unmark(shadow: Shadow, option: string, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return;
  await shadow.answer({ args: ["update-index", option, "-z", "--stdin"], input: `${paths.join("\0")}\0` });
}
