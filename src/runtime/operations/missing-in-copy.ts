import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Needs } from "../../evidence/sightings.ts";
import type { Inspection } from "../inspection.ts";

/**
 * What git ignores near the root of the workspace and so does not come into a clean copy, for whoever wonders why a
 * gate fails there: modules of a package in a monorepo, what was built, a file with settings.
 */
export async function missingInCopy({ machine, root }: Inspection, brought: readonly string[]): Promise<string[]> {
  const missing: string[] = [];
  let folders = [""];
  for (let depth = 0; depth < DEEPEST && folders.length > 0; depth++) {
    const entries = folders.flatMap((folder) => entriesOf(root, folder)).slice(0, MOST_ENTRIES);
    const { files } = await machine.repository.look(root, null, { ...NOTHING, paths: entries.map(({ path }) => path) });
    const isIgnored = (path: string): boolean => files.get(path)?.isIgnored === true;
    missing.push(...entries.filter(({ path }) => isIgnored(path) && !brought.includes(path)).map(({ shown }) => shown));
    folders = entries.filter(({ path, isFolder }) => isFolder && !isIgnored(path)).map(({ path }) => path);
  }
  return missing;
}

const DEEPEST = 3;
const MOST_ENTRIES = 2000;

const NOTHING: Needs = { paths: [], lengths: [], hunks: [], patterns: [], commits: [], branches: [], changes: false };

interface Entry {
  /** From the root. */
  readonly path: string;
  /** A folder with a slash. */
  readonly shown: string;
  readonly isFolder: boolean;
}

function entriesOf(root: string, folder: string): Entry[] {
  return list(join(root, folder))
    .filter(({ name }) => name !== ".git")
    .map((entry) => {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      const isFolder = entry.isDirectory();
      return { path, isFolder, shown: isFolder ? `${path}/` : path };
    });
}

/** A folder that cannot be read, or is gone meanwhile, has nothing to tell. */
function list(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
