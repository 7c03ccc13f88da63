import { closeSync, existsSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { StoreError } from "../../ports/event-log.ts";
import { copyDatabase, openDatabase } from "../../ports/sqlite.ts";
import { syncFile, syncFolder } from "../durable-file.ts";
import { asStoreError } from "./sqlite-error.ts";

/** More pages than any database has: the copy is made in one step, so that no writer can make it restart. */
const ALL_PAGES = 2 ** 31 - 1;

/**
 * Uses its own connection and another thread, so that the log can be used meanwhile. The file gets its name only when
 * the whole copy is on the disk.
 */
export async function backUp(source: string, target: string): Promise<void> {
  const path = resolve(target);
  refuseExisting(path);
  const unfinished = `${path}.${process.pid}-${Date.now()}.part`;
  try {
    await copy(source, unfinished);
    syncFile(unfinished);
    refuseExisting(path);
    renameSync(unfinished, path);
    syncFolder(dirname(path));
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw asStoreError(isFileError(error) ? unwritable(path, error) : error);
  }
}

async function copy(source: string, target: string): Promise<void> {
  const database = openDatabase(source, { readOnly: true, timeout: 10_000 });
  try {
    closeSync(openSync(target, "wx", 0o600));
    await copyDatabase(database, target, { rate: ALL_PAGES });
  } finally {
    database.close();
  }
}

function refuseExisting(path: string): void {
  if (existsSync(path)) throw new StoreError("exists", `${path} exists already: a backup overwrites nothing`);
}

function isFileError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error;
}

function unwritable(path: string, error: NodeJS.ErrnoException): StoreError {
  const code = error.code === "ENOSPC" ? "disk-full" : "unavailable";
  return new StoreError(code, `${path} cannot be written (${error.message})`, { cause: error });
}
