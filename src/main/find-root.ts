import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** The nearest folder upwards with a repository in it; the folder itself when there is none. */
export function findRoot(directory: string): string {
  for (let folder = resolve(directory); ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return folder;
    if (folder === dirname(folder)) return resolve(directory);
  }
}
