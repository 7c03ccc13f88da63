import type { ChangeSight } from "../evidence/sightings.ts";
import { DiffReader } from "./parse-diff.ts";
import { type Shadow, showHiddenFiles } from "./shadow.ts";

export interface SeenChanges {
  readonly changes: Map<string, ChangeSight>;
  /** Files that are new and that nobody has added yet; they are among the changes too. */
  readonly untracked: readonly string[];
}

/** What differs between a tree and the workspace as it is now, new files included. */
export async function lookAtChanges(shadow: Shadow, tree: string, withHunks: boolean): Promise<SeenChanges> {
  const [first, untracked, hadHidden] = await Promise.all([
    diff(shadow, tree, withHunks),
    listUntracked(shadow),
    showHiddenFiles(shadow),
  ]);
  const seen = hadHidden ? await diff(shadow, tree, withHunks) : first;
  if (seen.hasLost() && untracked.length > 0 && untracked.length <= MOST_RENAMED) {
    // A file may have been moved: git sees that only once both names are known to it.
    await shadow.answer({
      args: ["add", "--intent-to-add", "--", ...untracked.filter(isFile).map((path) => `:(top,literal)${path}`)],
    });
    const changes = (await diff(shadow, tree, withHunks)).changes();
    addCreated(
      changes,
      untracked.filter((path) => !isFile(path)),
    );
    return { changes, untracked };
  }
  const changes = seen.changes();
  addCreated(changes, untracked);
  return { changes, untracked };
}

function addCreated(changes: Map<string, ChangeSight>, paths: readonly string[]): void {
  for (const path of paths) changes.set(path, { change: "created", hunks: null });
}

/** A repository within ours is listed as a folder, and what is in it is its own. */
function isFile(path: string): boolean {
  return !path.endsWith("/");
}

/** Repositories within ours, known to git or not. Nothing of ours ever goes into one. */
export async function nestedRepositories(shadow: Shadow): Promise<string[]> {
  const [staged, untracked] = await Promise.all([
    shadow.answer({ args: ["ls-files", "--stage", "-z"] }),
    listUntracked(shadow),
  ]);
  const links = staged
    .split("\0")
    .flatMap((entry) => (entry.startsWith("160000 ") ? [entry.slice(entry.indexOf("\t") + 1)] : []));
  return [...links, ...untracked.filter((path) => !isFile(path))];
}

const MOST_RENAMED = 1000;

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
export async function compareTrees(shadow: Shadow, from: string, to: string): Promise<Map<string, ChangeSight>> {
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
  const { changes } = await lookAtChanges(shadow, commit, false);
  return new Map([...changes].flatMap(([path, { from }]) => (from === undefined ? [] : [[from, path]])));
}
