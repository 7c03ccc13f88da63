import { lstatSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Git, OPERATOR_SETTINGS } from "./run-git.ts";

/** Where a workspace's repository is, and where its HEAD stands now. */
export interface GitPlace {
  readonly directory: string;
  readonly gitFolder: string;
  readonly commonFolder: string;
  readonly objectFormat: string;
  readonly isShallow: boolean;
  readonly head: string | null;
  readonly branch: string | null;
  readonly settings: readonly (readonly [string, string])[];
  /** Asked of git when they are first needed: most looks need none. */
  branches(): Promise<Branches>;
}

/** What the names of branches stand for. */
export interface Branches {
  /** Full name, `refs/heads/main`, and the commit it stands for. */
  readonly refs: ReadonlyMap<string, string>;
  /** Full names of the branches that some worktree is on, this one or another. */
  readonly checkedOut: ReadonlySet<string>;
  /** The branch of the remote that work is merged into, if it says so. */
  readonly remoteHead: string | null;
}

/** What does not change while a process looks at a repository. */
type Ground = Pick<GitPlace, "gitFolder" | "commonFolder" | "objectFormat" | "isShallow" | "settings">;
type Head = Pick<GitPlace, "head" | "branch">;

/** Null where the directory is not the root of a work tree. */
type FindPlace = (directory: string) => Promise<GitPlace | null>;

/** The directory that is looked at next is asked about at once; the first look at it takes that answer. */
export function placeFinder(git: Git, lookedAtNext: string | null): FindPlace {
  const grounds = new Map<string, Promise<Ground | null>>();
  const readFirst = (directory: string): Promise<readonly [Ground | null, Head]> => {
    const reading = readPlace(git, directory);
    const forget = (): boolean => grounds.delete(directory);
    const ground = reading.then(([found]) => found);
    grounds.set(directory, ground);
    ground.then((found) => found === null && forget(), forget);
    return reading;
  };
  let ahead = lookedAtNext !== null && isThere(join(lookedAtNext, ".git")) ? readFirst(lookedAtNext) : null;
  // Who looks is told.
  ahead?.catch(() => undefined);
  const takeAhead = (directory: string): typeof ahead => {
    if (directory !== lookedAtNext) return null;
    const taken = ahead;
    ahead = null;
    return taken;
  };
  return async (directory) => {
    if (!isThere(join(directory, ".git"))) return null;
    const known = grounds.get(directory);
    const [ground, head] = await (takeAhead(directory) ??
      (known === undefined ? readFirst(directory) : Promise.all([known, readHead(git, directory)])));
    let branches: Promise<Branches> | null = null;
    return ground && { directory, ...ground, ...head, branches: () => (branches ??= readBranches(git, directory)) };
  };
}

/** A link counts, wherever it leads. */
export function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

const GROUND = ["--absolute-git-dir", "--git-common-dir", "--show-object-format", "--is-shallow-repository"];
const HEAD = ["HEAD^{commit}", "--symbolic-full-name", "HEAD"];

/** In one process where HEAD has a commit and one meaning. */
async function readPlace(git: Git, directory: string): Promise<readonly [Ground | null, Head]> {
  const [lines, settings] = await Promise.all([
    askLines(git, directory, ["rev-parse", ...GROUND, ...HEAD], GROUND.length + 2),
    readSettings(git, directory),
  ]);
  if (lines !== null) return [groundOf(lines, directory, settings), headOf(lines.slice(GROUND.length))];
  const [places, head] = await Promise.all([
    askLines(git, directory, ["rev-parse", ...GROUND], GROUND.length),
    readHeadApart(git, directory),
  ]);
  return [places && groundOf(places, directory, settings), head];
}

function groundOf(lines: readonly string[], directory: string, settings: GitPlace["settings"]): Ground {
  const [gitFolder = "", commonFolder = "", objectFormat = "sha1", isShallow = "false"] = lines;
  return {
    gitFolder,
    commonFolder: resolve(directory, commonFolder),
    objectFormat,
    isShallow: isShallow === "true",
    settings,
  };
}

async function readHead(git: Git, directory: string): Promise<Head> {
  const lines = await askLines(git, directory, ["rev-parse", ...HEAD], 2);
  return lines === null ? readHeadApart(git, directory) : headOf(lines);
}

/** The full name of a HEAD that is on no branch is its own. */
function headOf([head = "", name = ""]: readonly string[]): Head {
  return { head, branch: name === "HEAD" ? null : branchOf(name) };
}

/** Before the first commit, and where a branch or a tag is called HEAD, git does not answer both at once. */
async function readHeadApart(git: Git, directory: string): Promise<Head> {
  const [head, name] = await Promise.all([
    ask(git, directory, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]),
    ask(git, directory, ["symbolic-ref", "--quiet", "HEAD"]),
  ]);
  return { head, branch: name === null ? null : branchOf(name) };
}

function branchOf(name: string): string {
  return name.replace(/^refs\/heads\//, "");
}

async function ask(git: Git, directory: string, args: readonly string[]): Promise<string | null> {
  const { code, output } = await git({ args, directory });
  return code === 0 ? output.trimEnd() : null;
}

/** Null unless git answers with this many lines. */
async function askLines(
  git: Git,
  directory: string,
  args: readonly string[],
  count: number,
): Promise<readonly string[] | null> {
  const lines = (await ask(git, directory, args))?.split("\n");
  return lines?.length === count ? lines : null;
}

async function readBranches(git: Git, directory: string): Promise<Branches> {
  const format = "--format=%(refname)%00%(objectname)%00%(symref)%00%(if)%(worktreepath)%(then)here%(end)";
  const output = await ask(git, directory, ["for-each-ref", format, "refs/heads", "refs/remotes"]);
  const refs = new Map<string, string>();
  const checkedOut = new Set<string>();
  let remoteHead: string | null = null;
  for (const line of (output ?? "").split("\n")) {
    const [name = "", commit = "", symbolic = "", worktree = ""] = line.split("\0");
    if (name === "") continue;
    refs.set(name, commit);
    if (worktree !== "") checkedOut.add(name);
    if (name === "refs/remotes/origin/HEAD" && symbolic !== "") remoteHead = symbolic;
  }
  return { refs, checkedOut, remoteHead };
}

/** How files are compared: these settings start no program. */
const COMPARING = /^core\.(autocrlf|eol|filemode|ignorecase|symlinks|precomposeunicode)$/;

/** Of what is ignored only the operator's own list counts: the repository's could be made to hide a change. */
async function readSettings(git: Git, directory: string): Promise<GitPlace["settings"]> {
  const args = ["config", "-z", "--show-scope", "--get-regexp", "^core\\."];
  const { output } = await git({ args, directory, environment: OPERATOR_SETTINGS });
  const parts = output.split("\0");
  const settings: [string, string][] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [name = "", value = ""] = (parts[at + 1] ?? "").split("\n");
    const isOperators = parts[at] === "global" || parts[at] === "system";
    if (COMPARING.test(name) || (name === "core.excludesfile" && isOperators)) settings.push([name, value]);
  }
  return settings;
}
