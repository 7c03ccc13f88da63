import { createHash, randomUUID } from "node:crypto";
import { copyFile, lstat, mkdir, readdir, readFile, rename, rm, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { GitPlace } from "./git-place.ts";
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
  use: (shadow: Shadow, keepIndex: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const folder = join(root, createHash("sha256").update(place.directory).digest("hex").slice(0, 16));
  const [hasFilter] = await Promise.all([hasFilters(git, place), prepare(folder, place)]);
  const index = join(folder, `index-${randomUUID()}`);
  const isSeeded = await seedIndex(folder, place, index, !hasFilter);
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
    return await use(shadow, () => rename(index, join(folder, "index")));
  } finally {
    await rm(index, { force: true });
  }
}

async function prepare(folder: string, place: GitPlace): Promise<void> {
  // Not with all its parents: a state folder that was deleted must not come back as an empty one.
  for (const part of [dirname(folder), folder])
    await mkdir(part, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
  await mkdir(join(folder, "objects", "info"), { recursive: true, mode: 0o700 });
  await mkdir(join(folder, "refs"), { recursive: true });
  await writeWhole(folder, "objects/info/alternates", `${join(place.commonFolder, "objects")}\n`);
  await writeWhole(folder, "HEAD", "ref: refs/heads/none\n");
  await writeWhole(folder, "config", settingsOf(place));
  // This list overrules those of the workspace: a file that one of them calls binary is compared all the same.
  await mkdir(join(folder, "info"), { recursive: true });
  await writeWhole(folder, "info/attributes", "* !diff\n");
  const shallow = join(place.commonFolder, "shallow");
  const isCut = await copyFile(shallow, join(folder, "shallow")).then(
    () => true,
    () => false,
  );
  if (!isCut) await rm(join(folder, "shallow"), { force: true });
}

/** Several processes may do it at once, all with the same text. */
async function writeWhole(folder: string, name: string, text: string): Promise<void> {
  const temporary = join(folder, `new-${randomUUID()}`);
  await writeFile(temporary, text);
  await rename(temporary, join(folder, name));
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
async function seedIndex(folder: string, place: GitPlace, index: string, keepsAge: boolean): Promise<boolean> {
  if (await copyIndex(join(folder, "index"), index, keepsAge)) return false;
  await copyIndex(join(place.gitFolder, "index"), index, keepsAge);
  await copySharedIndexes(place.gitFolder, folder);
  return true;
}

/**
 * Git reads a file again that is as old as the index: it may have changed in the same moment. A copy that is younger
 * than what it is a copy of would have it believe the index instead. False when there is none.
 */
async function copyIndex(from: string, to: string, keepsAge: boolean): Promise<boolean> {
  const written = (await lstat(from).catch(() => null))?.mtimeMs;
  if (written === undefined) return false;
  await copyFile(from, to).catch(() => undefined);
  const second = Math.floor(written / 1000);
  if (keepsAge) await utimes(to, second, second).catch(() => undefined);
  return true;
}

/**
 * A file that a filter has made (LFS) differs from the stored one when it is read without that filter. Any folder may
 * name a filter; git is asked for the attributes it knows, and no file that an agent may have replaced is opened.
 */
async function hasFilters(git: Git, { directory, commonFolder }: GitPlace): Promise<boolean> {
  const pattern = ["--quiet", "--text", "--extended-regexp", "[[:space:]]filter="];
  const args = ["grep", "--cached", "--no-recurse-submodules", ...pattern, "--", ":(top,glob)**/.gitattributes"];
  if ((await git({ args, directory })).code === 0) return true;
  const own = join(commonFolder, "info/attributes");
  if ((await lstat(own).catch(() => null))?.isFile() !== true) return false;
  return /\sfilter=/.test(await readFile(own, "utf8").catch(() => ""));
}

/** A split index names another file beside it, which holds most of it. */
async function copySharedIndexes(from: string, to: string): Promise<void> {
  const names = await readdir(from).catch(() => []);
  for (const name of names.filter((each) => /^sharedindex\.[0-9a-f]+$/.test(each)))
    await copyFile(join(from, name), join(to, name)).catch(() => undefined);
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
    if ((await lstat(join(shadow.place.directory, path)).catch(() => null)) !== null) skipped.push(path);
  await unmark(shadow, "--no-assume-unchanged", assumed);
  await unmark(shadow, "--no-skip-worktree", skipped);
  return assumed.length + skipped.length > 0;
}

async function unmark(shadow: Shadow, option: string, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return;
  await shadow.answer({ args: ["update-index", option, "-z", "--stdin"], input: `${paths.join("\0")}\0` });
}
