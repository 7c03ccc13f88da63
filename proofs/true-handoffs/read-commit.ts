import { execFileSync } from "node:child_process";

/** One file that a commit changed, as git tells it. */
export interface Change {
  readonly how: "added" | "modified" | "deleted" | "renamed";
  readonly path: string;
  /** Where a renamed file was before. */
  readonly from: string | null;
  readonly insertions: number;
  readonly deletions: number;
  readonly isBinary: boolean;
}

/** What is true of a commit, counted from its first parent. */
export interface Commit {
  readonly sha: string;
  readonly parent: string;
  readonly changes: readonly Change[];
  /** Every commit since the parent, the oldest first. */
  readonly commits: readonly { readonly sha: string; readonly subject: string }[];
  /** Why it was chosen. */
  readonly traits: readonly string[];
}

export function git(folder: string, ...args: readonly string[]): string {
  return execFileSync("git", ["-C", folder, ...args], {
    encoding: "utf8",
    maxBuffer: 1 << 28,
    stdio: ["ignore", "pipe", "ignore"],
  });
}

const MAX_FILES = 400;

/** Commits of a repository: one for each trait that it has, then others, as the seed has it. */
export function chooseCommits(folder: string, many: number, seed: number): Commit[] {
  const shas = git(folder, "rev-list", "--max-count=4000", "HEAD").trim().split("\n");
  const chosen: Commit[] = [];
  const seen = new Set<string>();
  let state = seed;
  const next = (): number => (state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0) / 2 ** 32;
  for (let tries = 0; chosen.length < many && tries < 40 * many; tries += 1) {
    const commit = readCommit(folder, shas[Math.floor(next() * shas.length)] ?? "");
    if (commit === null || chosen.some(({ sha }) => sha === commit.sha)) continue;
    const isNew = commit.traits.some((trait) => !seen.has(trait));
    // The first tries look for what was not there yet.
    if (!isNew && tries < 10 * many) continue;
    for (const trait of commit.traits) seen.add(trait);
    chosen.push(commit);
  }
  return chosen;
}

/** Null for a commit without a parent or without a change, and for one that is too large to be told. */
function readCommit(folder: string, sha: string): Commit | null {
  const [, parent, ...others] = git(folder, "rev-list", "--parents", "--max-count=1", sha).trim().split(" ");
  if (parent === undefined) return null;
  const changes = readChanges(folder, parent, sha);
  if (changes.length === 0 || changes.length > MAX_FILES) return null;
  const lines = git(folder, "log", "--reverse", "--format=%H %s", `${parent}..${sha}`).trim().split("\n");
  const commits = lines.map((line) => ({ sha: line.slice(0, 40), subject: line.slice(41) }));
  return { sha, parent, changes, commits, traits: traitsOf(changes, others.length > 0) };
}

function traitsOf(changes: readonly Change[], isMerge: boolean): string[] {
  const has = (test: (change: Change) => boolean, trait: string): string[] => (changes.some(test) ? [trait] : []);
  return [
    ...(isMerge ? ["merge"] : []),
    ...(changes.length > 30 ? ["many files"] : []),
    ...has(({ how }) => how === "renamed", "renamed"),
    ...has(({ how }) => how === "deleted", "deleted"),
    ...has(({ how }) => how === "added", "added"),
    ...has(({ isBinary }) => isBinary, "binary"),
    ...has(({ path }) => /[^\w./-]/.test(path), "unusual name"),
    ...has(({ insertions }) => insertions > 1_000, "long"),
    ...has(({ insertions, deletions, isBinary }) => insertions + deletions === 0 && !isBinary, "mode or name only"),
    "any",
  ];
}

const HOW: Readonly<Record<string, Change["how"]>> = {
  A: "added",
  M: "modified",
  T: "modified",
  D: "deleted",
  R: "renamed",
};

/** Nothing where a submodule was changed: what lies in one is not looked at. */
function readChanges(folder: string, parent: string, sha: string): Change[] {
  const text = git(folder, "diff", "--raw", "-z", "--no-abbrev", "-M", parent, sha);
  if (/:\d+ 160000 |:160000 \d+ /.test(text)) return [];
  const counts = readCounts(folder, parent, sha);
  const words = text.split("\0").values();
  const changes: Change[] = [];
  for (const word of words) {
    if (word === "") continue;
    const how = HOW[word.split(" ")[4]?.charAt(0) ?? ""] ?? "modified";
    const from = how === "renamed" ? take(words) : null;
    const path = take(words);
    changes.push({ how, path, from, ...(counts.get(path) ?? { insertions: 0, deletions: 0, isBinary: false }) });
  }
  return changes;
}

function take(words: Iterator<string>): string {
  return String(words.next().value);
}

type Counts = Pick<Change, "insertions" | "deletions" | "isBinary">;

function readCounts(folder: string, parent: string, sha: string): Map<string, Counts> {
  const words = git(folder, "diff", "--numstat", "-z", "-M", parent, sha).split("\0");
  const counts = new Map<string, Counts>();
  for (let at = 0; at + 1 < words.length; at += 1) {
    const [insertions = "", deletions = "", path = ""] = words[at]?.split("\t") ?? [];
    const of = { insertions: Number(insertions) || 0, deletions: Number(deletions) || 0, isBinary: insertions === "-" };
    counts.set(path === "" ? (words[at + 2] ?? "") : path, of);
    if (path === "") at += 2;
  }
  return counts;
}

/** First and last changed line of the text now; null where nothing was added to it. */
export function changedLines(folder: string, { parent, sha }: Commit, { path, from }: Change): [number, number] | null {
  const paths = from === null ? [path] : [from, path];
  const text = git(
    folder,
    "diff",
    "-U0",
    "-M",
    "--no-ext-diff",
    parent,
    sha,
    "--",
    ...paths.map((one) => `:(literal)${one}`),
  );
  const hunks = [...text.matchAll(/^@@ -\S+ \+(\d+)(?:,(\d+))? @@/gm)]
    .map(([, first = "", many = "1"]) => [Number(first), Number(first) + Number(many) - 1] as const)
    .filter(([first, last]) => last >= first);
  return hunks.length === 0
    ? null
    : [Math.min(...hunks.map(([first]) => first)), Math.max(...hunks.map(([, last]) => last))];
}
