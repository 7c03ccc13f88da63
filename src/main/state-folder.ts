import { hash } from "node:crypto";
import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { AppError } from "../shared/app-error.ts";

/** Where the work and the state of a repository are. */
export interface StatePlace {
  /** The work tree, or the folder itself where there is no repository. */
  readonly root: string;
  /** The main work tree of the repository, where linked worktrees of it have the same state; else the root. */
  readonly mainRoot: string;
  readonly stateFolder: string;
  /** The state folder as BATON_STATE names it; null when it is where state is by default. */
  readonly given: string | null;
  /** Folder of worktrees and copies, which are work and not state; older versions kept the state there. */
  readonly workFolder: string;
  /** The operator's folder for logs that vanished while they were open. */
  readonly savedFolder: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The one place that decides where state is: the folder that BATON_STATE names, else `baton` in the git folder that all
 * worktrees of the repository share, else a folder for this directory in the operator's state folder.
 *
 * It reads the same files as `git rev-parse --git-common-dir` and does not start git. GIT_DIR, GIT_COMMON_DIR and
 * GIT_WORK_TREE do not count: hooks and agents set them for other repositories, and the log must not depend on who calls.
 */
export function findStatePlace(directory: string, environment: Environment): StatePlace {
  const root = findRoot(directory);
  const common = commonFolderOf(root);
  const given = environment["BATON_STATE"] ?? "";
  const operator = operatorFolder(environment);
  const stateFolder =
    given !== "" ? resolve(root, given) : common === null ? join(operator, nameOf(root)) : join(common, "baton");
  return {
    root,
    mainRoot: common !== null && basename(common) === ".git" ? dirname(common) : root,
    stateFolder,
    given: given === "" ? null : stateFolder,
    workFolder: join(root, WORK_FOLDER),
    savedFolder: join(operator, "saved"),
  };
}

const WORK_FOLDER = ".baton";

/** The nearest folder upwards with a repository in it; the folder itself when there is none. */
export function findRoot(directory: string): string {
  for (let folder = resolve(directory); ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return folder;
    if (folder === dirname(folder)) return resolve(directory);
  }
}

/** The real path of the git folder that all worktrees of a repository share; null where there is no repository. */
function commonFolderOf(root: string): string | null {
  const dotGit = join(root, ".git");
  const found = statSync(dotGit, { throwIfNoEntry: false });
  if (found === undefined) return null;
  try {
    const gitFolder = found.isDirectory() ? dotGit : linkedFolder(dotGit);
    const pointer = join(gitFolder, "commondir");
    const common = existsSync(pointer) ? resolve(gitFolder, readFileSync(pointer, "utf8").trimEnd()) : gitFolder;
    return realpathSync(common);
  } catch (error) {
    const hint = "Mend the repository (`git worktree repair`), or set BATON_STATE to a folder for the state.";
    throw new AppError("cannot-read", `The git folder of ${root} cannot be found: ${String(error)}.`, hint);
  }
}

/**
 * Tells a repository from every other one: by the place of its git folder, which its worktrees share, and by the folder
 * itself, for another repository may lie at that place later.
 */
export function repositoryMark(root: string): string {
  const folder = commonFolderOf(root) ?? realpathSync(root);
  const { ino, birthtimeNs } = statSync(folder, { bigint: true });
  return hash("sha256", `${folder}\0${ino}\0${birthtimeNs}`, "hex");
}

/** A linked worktree or a submodule has a file that names its git folder. */
function linkedFolder(file: string): string {
  const [, path] = /^gitdir: (.+?)\r?\n?$/.exec(readFileSync(file, "utf8")) ?? [];
  if (path === undefined) throw new Error(`${file} names no git folder`);
  return resolve(dirname(file), path);
}

/** A relative XDG_STATE_HOME is not valid, says its specification: it would let a repository bring state along. */
function operatorFolder(environment: Environment): string {
  const given = environment["XDG_STATE_HOME"] ?? "";
  return `${isAbsolute(given) ? given : `${environment["HOME"] ?? "/root"}/.local/state`}/baton`;
}

/** Readable, and different for every folder. */
function nameOf(root: string): string {
  const real = existsSync(root) ? realpathSync(root) : root;
  const readable = basename(real)
    .replaceAll(/[^\w.-]/g, "_")
    .slice(0, 40);
  return `${readable === "" ? "root" : readable}-${hash("sha256", real, "hex").slice(0, 16)}`;
}
