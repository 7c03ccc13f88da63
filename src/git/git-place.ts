import { lstat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type Git, OPERATOR_SETTINGS } from "./run-git.ts";

/** Where a workspace's repository is, and what its names stand for now. */
export interface GitPlace {
  readonly directory: string;
  readonly gitFolder: string;
  readonly commonFolder: string;
  readonly objectFormat: string;
  readonly isShallow: boolean;
  readonly head: string | null;
  readonly branch: string | null;
  /** Full name, `refs/heads/main`, and the commit it stands for. */
  readonly refs: ReadonlyMap<string, string>;
  /** Full names of the branches that some worktree is on, this one or another. */
  readonly checkedOut: ReadonlySet<string>;
  /** The branch of the remote that work is merged into, if it says so. */
  readonly remoteHead: string | null;
  readonly settings: readonly (readonly [string, string])[];
}

/** What does not change while a process looks at a repository. */
type Ground = Pick<GitPlace, "gitFolder" | "commonFolder" | "objectFormat" | "isShallow" | "settings">;

/** Null where the directory is not the root of a work tree. */
type FindPlace = (directory: string) => Promise<GitPlace | null>;

export function placeFinder(git: Git): FindPlace {
  const grounds = new Map<string, Promise<Ground | null>>();
  return async (directory) => {
    if ((await lstat(join(directory, ".git")).catch(() => null)) === null) return null;
    const known = grounds.get(directory) ?? readGround(git, directory);
    grounds.set(directory, known);
    known.then(
      (ground) => ground === null && grounds.delete(directory),
      () => grounds.delete(directory),
    );
    const [ground, names] = await Promise.all([known, readNames(git, directory)]);
    return ground === null ? null : { directory, ...ground, ...names };
  };
}

async function readGround(git: Git, directory: string): Promise<Ground | null> {
  const args = [
    "rev-parse",
    "--absolute-git-dir",
    "--git-common-dir",
    "--show-object-format",
    "--is-shallow-repository",
  ];
  const [places, settings] = await Promise.all([ask(git, directory, args), readSettings(git, directory)]);
  if (places === null) return null;
  const [gitFolder = "", commonFolder = "", objectFormat = "sha1", isShallow = "false"] = places.split("\n");
  return {
    gitFolder,
    commonFolder: resolve(directory, commonFolder),
    objectFormat,
    isShallow: isShallow === "true",
    settings,
  };
}

async function readNames(
  git: Git,
  directory: string,
): Promise<Pick<GitPlace, "head" | "branch" | "refs" | "checkedOut" | "remoteHead">> {
  const format = "--format=%(refname)%00%(objectname)%00%(symref)%00%(if)%(worktreepath)%(then)here%(end)";
  const [head, branch, refs] = await Promise.all([
    ask(git, directory, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]),
    ask(git, directory, ["symbolic-ref", "--quiet", "HEAD"]),
    ask(git, directory, ["for-each-ref", format, "refs/heads", "refs/remotes"]),
  ]);
  return { head, branch: branch?.replace(/^refs\/heads\//, "") ?? null, ...readRefs(refs ?? "") };
}

async function ask(git: Git, directory: string, args: readonly string[]): Promise<string | null> {
  const { code, output } = await git({ args, directory });
  return code === 0 ? output.trimEnd() : null;
}

function readRefs(output: string): Pick<GitPlace, "refs" | "checkedOut" | "remoteHead"> {
  const refs = new Map<string, string>();
  const checkedOut = new Set<string>();
  let remoteHead: string | null = null;
  for (const line of output.split("\n")) {
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
