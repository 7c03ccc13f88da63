import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";

/** For us alone. Parent by parent: where none can be made, as below /proc, Node's own way never ends. */
export function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process was faster.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}
