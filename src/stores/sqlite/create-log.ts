import { accessSync, constants, linkSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { StoreError } from "../../ports/event-log.ts";
import { openDatabase } from "../../ports/sqlite.ts";
import { openConnection, readablePlace, syncFolder } from "./connection.ts";
import { LOG_SCHEMA } from "./migrations.ts";
import { asStoreError, LOCK_TIMEOUT, retryWhileLockedNow } from "./sqlite-error.ts";

let created = 0;

/**
 * Creates an empty log under another name; `note` gets its id before it has its own name. So a log that other processes
 * can see was noted. Of several processes that create it at once, all get the first one.
 */
export function createLog(path: string, note: (log: string) => void): void {
  const unfinished = `${path}.${process.pid}-${created++}.new`;
  try {
    const database = openConnection(unfinished, { lockTimeout: LOCK_TIMEOUT, schema: LOG_SCHEMA });
    try {
      note(idIn(database) ?? "");
    } finally {
      // Closing moves everything from the write-ahead log into the one file.
      database.close();
    }
    linkSync(unfinished, path);
    syncFolder(dirname(path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return;
    if (error instanceof Error && "syscall" in error)
      throw new StoreError("unavailable", `${path} cannot be created (${error.message})`, { cause: error });
    throw asStoreError(error);
  } finally {
    for (const suffix of ["", "-wal", "-shm"]) rmSync(`${unfinished}${suffix}`, { force: true });
  }
}

/**
 * The id of a log without changing what is in it; null when the file is not a log, or one from before logs had ids.
 * Other processes may write it meanwhile, so a file that may be written is opened as they do.
 */
export function readLogId(path: string): string | null {
  try {
    return retryWhileLockedNow(() => {
      const readOnly = !mayBeWritten(path);
      const database = openDatabase(readOnly ? readablePlace(path) : path, { readOnly, timeout: LOCK_TIMEOUT });
      try {
        database.exec("PRAGMA trusted_schema = OFF");
        return idIn(database);
      } finally {
        database.close();
      }
    }, LOCK_TIMEOUT);
  } catch (error) {
    const known = asStoreError(error);
    if (known instanceof StoreError && ["busy", "unavailable", "disk-full", "old-node"].includes(known.code))
      throw known;
    return null;
  }
}

function mayBeWritten(path: string): boolean {
  try {
    for (const place of [path, dirname(path)]) accessSync(place, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function idIn(database: DatabaseSync): string | null {
  const id = database.prepare("SELECT log FROM ledger WHERE one = 1").get()?.["log"];
  return typeof id === "string" && id !== "" ? id : null;
}
