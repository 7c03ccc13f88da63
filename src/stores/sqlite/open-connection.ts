import { closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { StoreError } from "../../ports/event-log.ts";
import { syncFolder } from "../sync-folder.ts";
import { migrate, refuseOlder, type Schema } from "./migrate.ts";
import { patientlyNow } from "./patience.ts";
import { asForeignTables } from "./sqlite-error.ts";

/** While opening nobody else of this process waits; later the pauses are ours (`patience.ts`). */
const BUSY_TIMEOUT_OPENING = 10_000;
const BUSY_TIMEOUT = 20;

/** Older versions can lose pages when the write-ahead log starts anew. */
const OLDEST_SQLITE = [3, 51, 3] as const;

/** Each is set and read back: SQLite ignores settings silently that it does not know or cannot have. */
const SETTINGS = [
  ["journal_mode", "WAL", "wal"],
  ["synchronous", "FULL", 2],
  ["foreign_keys", "ON", 1],
  ["trusted_schema", "OFF", 0],
  // 16 MB of log before its pages are copied into the database: copying them often costs more than keeping them.
  ["wal_autocheckpoint", 4_000, 4_000],
] as const;

/** Reading takes none of those that are about writing. */
const READING_SETTINGS = [["trusted_schema", "OFF", 0]] as const;

export interface ConnectionOptions {
  readonly patience: number;
  readonly schema: Schema;
  /** For a file that is there and may not be written. */
  readonly isReadOnly?: boolean | undefined;
}

export function openConnection(
  path: string,
  { patience, schema, isReadOnly = false }: ConnectionOptions,
): DatabaseSync {
  refuseOldSqlite(process.versions.sqlite ?? "0");
  if (!isReadOnly) createFile(resolve(path));
  return patientlyNow(() => {
    const timeout = Math.min(BUSY_TIMEOUT_OPENING, patience);
    const database = new DatabaseSync(isReadOnly ? readablePlace(path) : path, { timeout, readOnly: isReadOnly });
    try {
      for (const [name, value, readBack] of isReadOnly ? READING_SETTINGS : SETTINGS)
        set(database, name, value, readBack);
      if (isReadOnly) refuseOlder(database, schema);
      migrate(database, schema);
      set(database, "busy_timeout", BUSY_TIMEOUT, BUSY_TIMEOUT);
      return database;
    } catch (error) {
      database.close();
      throw asForeignTables(error);
    }
  }, patience);
}

/** Where somebody has moved the file away, no other one is made in its place. */
export function reopenConnection(
  path: string,
  { schema, isReadOnly }: Omit<ConnectionOptions, "patience">,
): DatabaseSync {
  if (!existsSync(path)) throw new StoreError("unavailable", `${path} is not there any more`);
  return openConnection(path, { patience: BUSY_TIMEOUT, schema, isReadOnly });
}

/**
 * Readers of a write-ahead log need its two files beside the database, and cannot make them where nothing may be
 * written. Where they are not there, nobody has the database open, and all of it is in its one file.
 */
export function readablePlace(path: string): string | URL {
  if (existsSync(`${path}-wal`)) return path;
  const place = pathToFileURL(path);
  place.searchParams.set("immutable", "1");
  return place;
}

export function refuseOldSqlite(version: string): void {
  const parts = version.split(".").map(Number);
  for (const [index, oldest] of OLDEST_SQLITE.entries()) {
    const part = parts[index] ?? 0;
    if (part > oldest) return;
    if (part < oldest) {
      throw new StoreError(
        "unavailable",
        `SQLite ${version} can damage a database: ${OLDEST_SQLITE.join(".")} or newer is needed, so use a newer Node`,
      );
    }
  }
}

function set(database: DatabaseSync, name: string, value: string | number, expected: string | number): void {
  database.exec(`PRAGMA ${name} = ${value}`);
  const [actual] = Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {});
  if (actual !== expected)
    throw new StoreError("unavailable", `SQLite has ${name} = ${String(actual)}, not ${expected}`);
}

/**
 * Handoffs are nobody else's business: 0700 and 0600. A file that is there is not opened here, because closing it
 * again would drop the locks that another connection of this process holds on it.
 */
function createFile(path: string): void {
  try {
    const firstFolder = mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    if (firstFolder !== undefined) syncFolders(dirname(path), dirname(firstFolder));
    closeSync(openSync(path, "wx", 0o600));
    syncFolder(dirname(path));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return;
    throw new StoreError("unavailable", `${path} cannot be created`, { cause: error });
  }
}

/** A new folder is there after a power loss only when the folder around it was synced. */
function syncFolders(from: string, to: string): void {
  for (let folder = from; ; folder = dirname(folder)) {
    syncFolder(folder);
    if (folder === to || folder === dirname(folder)) return;
  }
}

export { syncFolder };
