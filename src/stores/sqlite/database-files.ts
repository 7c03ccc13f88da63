import { chmodSync, existsSync, statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { StoreError } from "../../ports/event-log.ts";
import { syncFile, syncFolder } from "../durable-file.ts";
import { dirname } from "node:path";

const SUFFIXES = ["", "-wal", "-shm"] as const;

/**
 * The files of an open database. When one of them is removed or replaced, SQLite goes on with the open ones and reports
 * success, but everything is gone when the process ends. The files are compared by device and inode, without opening
 * them: closing a file would release the locks of this process.
 */
export class DatabaseFiles {
  readonly #path: string;
  readonly #marks = new Map<string, string>();

  constructor(path: string) {
    this.#path = path;
    this.areInPlace();
  }

  /** SQLite creates the two files beside the database when it needs them, and keeps them while it is open. */
  areInPlace(): boolean {
    return SUFFIXES.every((suffix) => {
      const present = markOf(`${this.#path}${suffix}`);
      const before = this.#marks.get(suffix);
      if (before === undefined && present !== null) this.#marks.set(suffix, present);
      return before === undefined || before === present;
    });
  }
}

function markOf(path: string): string | null {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? null : `${stats.dev} ${stats.ino}`;
}

/**
 * Writes what a connection can still read into a new file, also when the files of its database are gone. It must not be
 * in a transaction.
 */
export function saveDatabase(database: DatabaseSync, target: string): void {
  if (existsSync(target)) throw new StoreError("exists", `${target} exists already: nothing is overwritten`);
  database.prepare("VACUUM INTO ?").run(target);
  chmodSync(target, 0o600);
  syncFile(target);
  syncFolder(dirname(target));
}
