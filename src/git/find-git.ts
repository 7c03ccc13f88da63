import { accessSync, constants, existsSync, realpathSync, statSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join, sep } from "node:path";

/** The program that all calls start, and the PATH that it gets itself. */
interface FoundGit {
  /** Null when there is none. */
  readonly program: string | null;
  readonly path: string;
}

const found = new Map<string, FoundGit>();

/**
 * Git, outside of the folders that agents can write: a program called `git` in the repository, or in a `node_modules/.bin`
 * that npm has put on the PATH, would tell us what its author likes. It is looked for once for each PATH and repository.
 */
export function findGit(path: string, directory: string): FoundGit {
  const roots = [...new Set([process.cwd(), directory].flatMap((place) => workTreeOf(place) ?? []))];
  const key = [path, ...roots].join("\0");
  const known = found.get(key) ?? lookFor(path, roots);
  found.set(key, known);
  return known;
}

function lookFor(path: string, roots: readonly string[]): FoundGit {
  const folders = path.split(delimiter).filter((folder) => isAbsolute(folder) && !isWithin(folder, roots));
  const program = folders
    .map((folder) => join(folder, NAME))
    .find((place) => isProgram(place) && !isWithin(place, roots));
  return { program: program ?? null, path: folders.join(delimiter) };
}

const NAME = process.platform === "win32" ? "git.exe" : "git";

/** Links are followed: a folder on the PATH may lead into the repository. */
function isWithin(place: string, roots: readonly string[]): boolean {
  const real = realOrSame(place);
  return (
    /[\\/]node_modules[\\/]\.bin(?:[\\/]|$)/.test(real) ||
    /[\\/]node_modules[\\/]\.bin(?:[\\/]|$)/.test(place) ||
    roots.some((root) => real === root || real.startsWith(root + sep))
  );
}

function realOrSame(place: string): string {
  try {
    return realpathSync(place);
  } catch {
    return place;
  }
}

function isProgram(place: string): boolean {
  try {
    accessSync(place, constants.X_OK);
    return statSync(place).isFile();
  } catch {
    return false;
  }
}

/** The nearest folder above with a repository in it. */
function workTreeOf(place: string): string | null {
  for (let folder = realOrSame(place); ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return folder;
    if (folder === dirname(folder)) return null;
  }
}
