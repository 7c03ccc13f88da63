import type { ObservedChange, ObservedHunk } from "../evidence/observations.ts";
import { type GitPlace, isThere } from "./git-place.ts";
import { mayListAttributes, type Shadow, showHiddenFiles } from "./shadow.ts";
import type { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";

interface SeenChanges {
  readonly changes: Map<string, ObservedChange>;
  /** New files that were not added yet; they are among the changes too. */
  readonly untracked: readonly string[];
}

/** What differs between a tree and the workspace as it is now, new files included. */
export async function observeChanges(shadow: Shadow, tree: string, withHunks: boolean): Promise<SeenChanges> {
  const [first, untracked, hadHidden] = await Promise.all([
    diff(shadow, tree, withHunks),
    listUntracked(shadow),
    showHiddenFiles(shadow),
  ]);
  const seen = hadHidden ? await diff(shadow, tree, withHunks) : first;
  const mayDiffer = mayConvert(shadow.place) || untracked.some((path) => /(?:^|\/)\.gitattributes$/.test(path));
  if (seen.hasLost() && untracked.length > 0 && untracked.length <= MAX_RENAMED) {
    // A file may have been moved: git sees that only once both names are known to it.
    await nameToGit(shadow, untracked.filter(isFile));
    const changes = changesOf(shadow, await diff(shadow, tree, withHunks), mayDiffer);
    addCreated(
      changes,
      untracked.filter((path) => !isFile(path)),
    );
    return { changes, untracked };
  }
  const changes = changesOf(shadow, seen, mayDiffer);
  addCreated(changes, untracked);
  return { changes, untracked };
}

/**
 * Git compares files as it would store them. With line endings that it would write otherwise, or a filter, a file can
 * be byte for byte the one that was committed and still count as changed, from its checkout on.
 */
function changesOf(shadow: Shadow, seen: DiffReader, mayDiffer: boolean): Map<string, ObservedChange> {
  const changes = seen.changes();
  if (mayDiffer)
    for (const [path, object] of seen.rewritten) if (hasBytesOf(shadow, path, object)) changes.delete(path);
  return changes;
}

/** Whether git may store a file otherwise than it stands in the workspace. */
export function mayConvert({ directory, gitFolder, settings }: GitPlace): boolean {
  const converts = settings.some(([name, value]) => name === "core.autocrlf" && !/^(?:false|no|off|0|)$/i.test(value));
  return converts || isThere(join(directory, ".gitattributes")) || mayListAttributes(gitFolder);
}

/** Larger files stay changed. */
const MAX_COMPARED = 32 * 1024 * 1024;

function hasBytesOf({ place }: Shadow, path: string, object: string): boolean {
  let file: number | null = null;
  try {
    file = openSync(join(place.directory, path), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stats = fstatSync(file);
    if (!stats.isFile() || stats.size > MAX_COMPARED) return false;
    const bytes = readFileSync(file);
    return createHash(place.objectFormat).update(`blob ${bytes.length}\0`).update(bytes).digest("hex") === object;
  } catch {
    return false;
  } finally {
    if (file !== null) closeSync(file);
  }
}

/** By names alone: a file that is gone by now does no harm, and what is in the others is read when they are compared. */
async function nameToGit(shadow: Shadow, paths: readonly string[]): Promise<void> {
  const empty = createHash(shadow.place.objectFormat).update("blob 0\0").digest("hex");
  const input = paths.map((path) => `100644 ${empty}\t${path}\0`).join("");
  await shadow.answer({ args: ["update-index", "-z", "--index-info"], input });
}

function addCreated(changes: Map<string, ObservedChange>, paths: readonly string[]): void {
  for (const path of paths) changes.set(path, { change: "created", hunks: null });
}

/** A repository within ours is listed as a folder, and what is in it is its own. */
function isFile(path: string): boolean {
  return !path.endsWith("/");
}

/** Repositories within ours, known to git or not, into which nothing of ours ever goes; and new files outside of them. */
export async function nestedRepositories(
  shadow: Shadow,
): Promise<{ readonly nested: readonly string[]; readonly untracked: readonly string[] }> {
  const [staged, untracked] = await Promise.all([
    shadow.answer({ args: ["ls-files", "--stage", "-z"] }),
    listUntracked(shadow),
  ]);
  const links = staged
    .split("\0")
    .flatMap((entry) => (entry.startsWith("160000 ") ? [entry.slice(entry.indexOf("\t") + 1)] : []));
  return { nested: [...links, ...untracked.filter((path) => !isFile(path))], untracked: untracked.filter(isFile) };
}

const MAX_RENAMED = 1000;

async function diff(shadow: Shadow, tree: string, withHunks: boolean): Promise<DiffReader> {
  const reader = new DiffReader(withHunks);
  const patch = withHunks ? ["--patch", "--unified=0"] : [];
  await shadow.answer({
    args: ["diff", "--raw", "-z", ...patch, ...PLAIN, tree, "--"],
    onOutput: (chunk) => reader.add(chunk),
  });
  return reader;
}

/** What differs between two trees; the workspace is not looked at. */
export async function compareTrees(shadow: Shadow, from: string, to: string): Promise<Map<string, ObservedChange>> {
  const reader = new DiffReader(false);
  await shadow.answer({
    args: ["diff", "--raw", "-z", ...PLAIN, from, to, "--"],
    onOutput: (chunk) => reader.add(chunk),
  });
  return reader.changes();
}

const PLAIN = [
  "--no-abbrev",
  "--find-renames",
  "--no-ext-diff",
  "--no-textconv",
  "--no-color",
  // To look into a repository within ours, git would ask it, with all the programs that its own settings name.
  "--ignore-submodules=dirty",
  "--submodule=short",
];

async function listUntracked(shadow: Shadow): Promise<string[]> {
  const output = await shadow.answer({ args: ["ls-files", "--others", "--exclude-standard", "-z"] });
  return output.split("\0").filter((path) => path !== "");
}

/** Only of names that are those of commits; one that is gone tells nothing. */
export async function renamesSince(shadow: Shadow, commit: string): Promise<Map<string, string>> {
  if (!/^[0-9a-f]{40,64}$/.test(commit)) return new Map();
  const { code } = await shadow.git({ args: ["cat-file", "-e", `${commit}^{commit}`] });
  if (code !== 0) return new Map();
  const { changes } = await observeChanges(shadow, commit, false);
  return new Map([...changes].flatMap(([path, { from }]) => (from === undefined ? [] : [[from, path]])));
}

interface FoundChange {
  readonly change: ObservedChange["change"];
  readonly from?: string;
  hunks: ObservedHunk[] | null;
}

/**
 * Reads `git diff --raw -z`, followed by a patch when one was asked for. The patch has its files in the order of
 * the list, so no name is read out of it; of its lines only the heads of hunks are looked at.
 */
class DiffReader {
  readonly #changes = new Map<string, FoundChange>();
  /** Files with other content in the workspace, and the object that each was. */
  readonly rewritten = new Map<string, string>();
  readonly #withHunks: boolean;
  /** In the order of the patch. */
  readonly #patched: FoundChange[] = [];
  #isInPatch = false;
  #file = -1;
  #rest: Uint8Array = new Uint8Array();
  #fields: string[] = [];
  #isMidLine = false;
  readonly #decoder = new TextDecoder();

  constructor(withHunks: boolean) {
    this.#withHunks = withHunks;
  }

  add(chunk: Buffer): void {
    const bytes = this.#rest.length === 0 ? chunk : joined(this.#rest, chunk);
    let at = 0;
    while (at < bytes.length) {
      // An entry of the list begins with a colon; an empty one stands between the list and the patch.
      if (this.#fields.length === 0 && !this.#isInPatch && bytes[at] !== COLON) {
        this.#isInPatch = true;
        if (bytes[at] === 0) at++;
      }
      const end = bytes.indexOf(this.#isInPatch ? NEWLINE : 0, at);
      if (end === -1) break;
      this.#take(bytes, at, end);
      at = end + 1;
    }
    this.#keepRest(bytes.subarray(at));
  }

  /** A file is gone and git knows no new name of it. */
  hasLost(): boolean {
    return this.#patched.some(({ change }) => change === "deleted");
  }

  changes(): Map<string, ObservedChange> {
    return this.#changes;
  }

  #take(bytes: Uint8Array, from: number, to: number): void {
    if (!this.#isInPatch) {
      this.#fields.push(this.#decoder.decode(bytes.subarray(from, to)));
      this.#finishEntry();
      return;
    }
    if (!this.#isMidLine) this.#readLine(bytes, from, to);
    this.#isMidLine = false;
  }

  #keepRest(rest: Uint8Array): void {
    // The head of a long line says all there is to know of it.
    if (this.#isInPatch && rest.length > MAX_HEAD) {
      if (!this.#isMidLine) this.#readLine(rest, 0, MAX_HEAD);
      this.#isMidLine = true;
      this.#rest = new Uint8Array();
    } else this.#rest = Uint8Array.from(rest);
  }

  #finishEntry(): void {
    const [head = "", first = "", second] = this.#fields;
    const status = head.slice(head.lastIndexOf(" ") + 1);
    const isPair = status.startsWith("R") || status.startsWith("C");
    if (this.#fields.length < (isPair ? 3 : 2)) return;
    this.#fields = [];
    const from = status.startsWith("R") && { from: first };
    const found: FoundChange = { change: changeOf(status), hunks: this.#withHunks ? [] : null, ...from };
    this.#expectPatch(found, status);
    const [, object] = REWRITTEN.exec(head) ?? [];
    if (object !== undefined) this.rewritten.set(first, object);
    this.#changes.set(second ?? first, found);
    if (status.startsWith("R")) this.#changes.set(first, { change: "deleted", hunks: null });
  }

  /** A file that became a link, or the other way round, is patched twice; one in conflict not at all. */
  #expectPatch(found: FoundChange, status: string): void {
    if (status.startsWith("T")) this.#patched.push(found);
    if (!status.startsWith("U")) this.#patched.push(found);
  }

  #readLine(bytes: Uint8Array, from: number, to: number): void {
    if (bytes[from] === LETTER_D && startsWith(bytes, from, to, "diff --git ")) this.#file++;
    else if (bytes[from] === AT && startsWith(bytes, from, to, "@@ -")) this.#readHunk(bytes.subarray(from, to));
    else if (bytes[from] === LETTER_B && startsWith(bytes, from, to, "Binary files ")) this.#dropHunks();
  }

  #readHunk(line: Uint8Array): void {
    const match = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(this.#decoder.decode(line.subarray(0, MAX_HEAD)));
    const hunks = this.#patched[this.#file]?.hunks;
    if (match === null || hunks === null || hunks === undefined || hunks.length >= MAX_HUNKS) return;
    const [, before, beforeCount, first, count] = match;
    hunks.push({
      first: Number(first),
      count: Number(count ?? 1),
      before: { first: Number(before), count: Number(beforeCount ?? 1) },
    });
  }

  #dropHunks(): void {
    const found = this.#patched[this.#file];
    if (found !== undefined) found.hunks = null;
  }
}

/** A plain file whose new content git has not stored. */
const REWRITTEN = /^:(?:100644 100644|100755 100755) ([0-9a-f]+) 0+ M$/;
const NEWLINE = 10;
const COLON = 58;
const AT = 64;
const LETTER_B = 66;
const LETTER_D = 100;
const MAX_HEAD = 200;
const MAX_HUNKS = 100_000;

function changeOf(status: string): ObservedChange["change"] {
  if (status.startsWith("A") || status.startsWith("C")) return "created";
  if (status.startsWith("D")) return "deleted";
  return status.startsWith("R") ? "renamed" : "modified";
}

function startsWith(bytes: Uint8Array, from: number, to: number, word: string): boolean {
  if (to - from < word.length) return false;
  for (let at = 0; at < word.length; at++) if (bytes[from + at] !== word.charCodeAt(at)) return false;
  return true;
}

function joined(left: Uint8Array, right: Uint8Array): Uint8Array {
  const both = new Uint8Array(left.length + right.length);
  both.set(left);
  both.set(right, left.length);
  return both;
}
