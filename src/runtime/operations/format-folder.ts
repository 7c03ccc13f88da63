import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** One format stands in this file, several in files of this folder. */
export const FORMAT_FILE = "baton.format.yaml";
export const FORMATS_FOLDER = "baton.formats";

/**
 * The folder whose formats hold here: the nearest one upwards that has some, not beyond the repository. Null when there
 * is none. Every command that reads handoffs asks, so it only looks whether something exists.
 */
export function formatFolder(directory: string): string | null {
  for (let folder = directory; ; folder = dirname(folder)) {
    if (existsSync(join(folder, FORMAT_FILE)) || existsSync(join(folder, FORMATS_FOLDER))) return folder;
    if (existsSync(join(folder, ".git")) || dirname(folder) === folder) return null;
  }
}
