import type { Base } from "../ports/repository.ts";
import { AppError } from "../shared/app-error.ts";
import type { GitPlace } from "./git-place.ts";
import { mayConvert, observeChanges } from "./observe-changes.ts";
import { targetAmong } from "./observe-commits.ts";
import type { Git } from "./run-git.ts";
import type { Shadow } from "./shadow.ts";

/** What is known of the handoffs. */
interface Handed {
  readonly ownFiles: readonly string[];
  /** Ids of commits, whole or shortened, that they name as theirs. */
  readonly commits: readonly string[];
}

/** What claims are compared with when no run noted it: what the operator says, or the point where the work began. */
export async function chooseBase(
  git: Git,
  shadow: Shadow,
  revision: string | null,
  { ownFiles, commits }: Handed,
): Promise<Base> {
  const { place } = shadow;
  const { directory, head } = place;
  const ask = async (...args: string[]): Promise<string | null> => {
    const { code, output } = await git({ args, directory });
    return code === 0 ? output.trim() : null;
  };
  if (revision !== null) return { ...(await asSaid(ask, place, revision)), isKnown: true };
  if (head === null) return { tree: emptyTree(place), commit: null, name: "the empty repository" };
  const oldest = await beforeNamed(shadow, ask, head, commits);
  if (oldest !== null) return oldest;
  const fork = await findFork(ask, place, head);
  if (fork !== null) return fork;
  const hasWork = async (since: string): Promise<boolean> => {
    if (!mayConvert(place) && (await differsPlainly(shadow, since, ownFiles))) return true;
    const { changes } = await observeChanges(shadow, since, false);
    return [...changes.keys()].some((path) => !ownFiles.includes(path));
  };
  if (await hasWork(head)) return named(head, "the last commit, because there are changes that are not committed");
  return beforeLastWork(ask, place, head, hasWork);
}

/** Git stops at the first difference, and usually there is one: to look at everything takes several times as long. */
async function differsPlainly(shadow: Shadow, since: string, ownFiles: readonly string[]): Promise<boolean> {
  const others = [":(top)", ...ownFiles.map((path) => `:(top,exclude,literal)${path}`)];
  const args = [
    "diff",
    "--quiet",
    "--no-ext-diff",
    "--no-textconv",
    "--no-renames",
    "--ignore-submodules=dirty",
    since,
    "--",
    ...others,
  ];
  return (await shadow.git({ args })).code === 1;
}

/** A branch that went on since is meant where the work left it: what others did there is not the work's. */
async function asSaid(ask: Ask, place: GitPlace, revision: string): Promise<Base> {
  const commit = await resolve(ask, revision);
  if (place.head === null) return named(commit, `${revision}, as you said`);
  const fork = await ask("merge-base", "--end-of-options", place.head, commit);
  if (fork === commit) return named(commit, `${revision}, as you said`);
  if (fork !== null) return named(fork, `where the work left ${revision}, which you named`);
  if (place.isShallow) throw tooShallow(`where the work left ${revision} is not known`);
  return named(commit, `${revision}, as you said, which has no commit in common with the work`);
}

/**
 * Before the oldest commit that the handoffs name and HEAD has; null where there is none. Everything since counts, also
 * what no handoff names.
 */
async function beforeNamed(shadow: Shadow, ask: Ask, head: string, commits: readonly string[]): Promise<Base | null> {
  const { place } = shadow;
  const names = [...new Set(commits)].filter((name) => /^[0-9a-f]{7,64}$/i.test(name)).slice(0, MAX_NAMED);
  if (names.length === 0) return null;
  const input = `${names.map((name) => `${name}^{commit}`).join("\n")}\n`;
  const found = await shadow.answer({ args: ["cat-file", "--batch-check"], input });
  const ids = found.split("\n").flatMap((line) => /^([0-9a-f]+) commit /.exec(line)?.[1] ?? []);
  const others = await shadow.git({ args: ["rev-list", "--stdin"], input: [...ids, `^${head}`, ""].join("\n") });
  const isElsewhere = new Set(others.output.split("\n"));
  const own = ids.filter((id) => !isElsewhere.has(id));
  if (others.code !== 0 || own.length === 0) return null;
  const line = (await ask("rev-list", "--first-parent", `--max-count=${MAX_PASSED}`, head, "--"))?.split("\n") ?? [];
  const base = await newestWithout(shadow, line, own);
  if (base !== null) return named(base, "before the oldest commit that is named");
  if (line.length >= MAX_PASSED) return null;
  return beforeAll(place);
}

/**
 * The newest commit of the line that contains none of these; null where there is none. Of a merge this is what the work
 * was merged into, which has gone on since the work began. Whatever an older commit contains, a newer one does.
 */
async function newestWithout(
  shadow: Shadow,
  line: readonly string[],
  commits: readonly string[],
): Promise<string | null> {
  const hasNone = async (commit: string): Promise<boolean> => {
    const input = [...commits, `^${commit}`, ""].join("\n");
    const missing = new Set((await shadow.answer({ args: ["rev-list", "--stdin"], input })).split("\n"));
    return commits.every((id) => missing.has(id));
  };
  // Named commits are usually near the end of the line.
  let [first, after] = [0, Math.min(line.length, 1)];
  while (after < line.length && !(await hasNone(line[after] ?? ""))) [first, after] = [after + 1, after * 2 + 1];
  after = Math.min(after, line.length);
  while (first < after) {
    const middle = (first + after) >> 1;
    if (await hasNone(line[middle] ?? "")) after = middle;
    else first = middle + 1;
  }
  return line[first] ?? null;
}

const MAX_PASSED = 5_000;
const MAX_NAMED = 1000;

/** Where a branch left the one it will be merged into, or what was pushed of it; null where it has nothing of its own. */
async function findFork(ask: Ask, place: GitPlace, head: string): Promise<Base | null> {
  const branches = await place.branches();
  const target = targetAmong(branches);
  if (target === null) return place.isShallow ? beforeMerge(ask, place) : null;
  const isTarget = place.branch === target.name;
  const remote = branches.refs.get(`refs/remotes/origin/${target.name}`);
  const tips = isTarget ? (remote === undefined ? [] : [remote]) : target.commits;
  if (tips.length === 0) return null;
  const fork = await ask("merge-base", "--end-of-options", head, ...tips);
  if (fork === null && place.isShallow) return beforeMerge(ask, place);
  if (fork === null || fork === head) return null;
  return named(fork, `where the branch left ${isTarget ? "origin/" : ""}${target.name}`);
}

/**
 * History was cut off before the point where the branch began: its last commit may be one of many. A forge's trial
 * merge alone tells, because its first parent is the branch that the work goes to.
 */
async function beforeMerge(ask: Ask, { branch }: GitPlace): Promise<Base> {
  const parents = await ask("rev-list", "--max-count=1", "--parents", "HEAD", "--");
  const [, first, ...others] = parents?.split(" ") ?? [];
  if (branch === null && first !== undefined && others.length > 0)
    return named(first, "what the merge that is checked out was made onto");
  throw tooShallow("where the work began is not known");
}

function tooShallow(what: string): AppError {
  const hint =
    "Fetch more of it (git fetch --unshallow; in GitHub's checkout action: fetch-depth: 0), or name a commit by --base.";
  return new AppError("cannot-read", `The clone is shallow, so ${what}.`, hint);
}

/** Everything is committed. What only brought the handoff is passed over: the work came before it. */
async function beforeLastWork(
  ask: Ask,
  place: GitPlace,
  head: string,
  hasWork: (since: string) => Promise<boolean>,
): Promise<Base> {
  let commit = head;
  for (let back = 1; back <= MAX_PASSED_OVER; back++) {
    const parent = await ask("rev-parse", "--verify", "--quiet", "--end-of-options", `${commit}^1`);
    if (parent === null) return beforeAll(place);
    commit = parent;
    if (await hasWork(commit)) break;
  }
  return named(commit, "before the last commit with work in it, because everything is committed");
}

const MAX_PASSED_OVER = 10;

/** In a shallow clone, what was there before is not known. */
function beforeAll(place: GitPlace): Base {
  if (!place.isShallow) return { tree: emptyTree(place), commit: null, name: "before the first commit" };
  throw tooShallow("what was there before the work is not known");
}

type Ask = (...args: string[]) => Promise<string | null>;

async function resolve(ask: Ask, revision: string): Promise<string> {
  const commit = await ask("rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`);
  if (commit !== null) return commit;
  const hint = "Name a commit, a branch or a tag of this repository; `git log` shows them.";
  throw new AppError("wrong-usage", `There is no commit ${revision} in this repository.`, hint);
}

function named(commit: string, why: string): Base {
  return { tree: commit, commit, name: `commit ${commit.slice(0, 8)} (${why})` };
}

/** Every repository has it without its being stored. */
export function emptyTree({ objectFormat }: GitPlace): string {
  return objectFormat === "sha256"
    ? "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
    : "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
}
