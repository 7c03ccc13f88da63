import { closeSync, fsyncSync, openSync } from "node:fs";

/** What was made or renamed in a folder is there after a power loss only when the folder itself was synced. */
export function syncFolder(path: string): void {
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
