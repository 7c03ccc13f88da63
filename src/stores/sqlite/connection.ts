import type { DatabaseSync } from "node:sqlite";
import { closed } from "../refusals.ts";
import { closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { BroadcastChannel } from "node:worker_threads";
import { StoreError } from "../../ports/event-log.ts";
import { openDatabase } from "../../ports/sqlite.ts";
import { syncFolder } from "../durable-file.ts";
import { DatabaseFiles } from "./database-files.ts";
import { asForeignTables, retryWhileLockedNow } from "./sqlite-error.ts";

interface Opened<S> {
  readonly database: DatabaseSync;
  readonly statements: S;
  readonly files: DatabaseFiles;
}

/** Saves a database whose files are gone, and returns where it is now; null when it was not saved, or holds nothing. */
export type SaveDatabase = (database: DatabaseSync) => string | null;

interface ConnectionPlace<S> {
  /** Absolute path of the file. */
  readonly path: string;
  readonly prepare: (database: DatabaseSync) => S;
  readonly reopen: () => DatabaseSync;
  readonly save?: SaveDatabase | undefined;
  /** No other connection of this process, in any thread, has the file open. */
  readonly isAlone?: boolean;
}

/**
 * One connection with its statements. It can be closed and is opened again when it is next needed: that releases a lock
 * which the file system did not release, and for which this process and all others would wait.
 */
export class Connection<S> {
  readonly #place: ConnectionPlace<S>;
  #opened: Opened<S> | null;
  #isClosed = false;
  #gone: StoreError | null = null;
  /** Connects all connections of this process to the file, in every thread. */
  readonly #channel: BroadcastChannel | null;

  constructor(database: DatabaseSync, place: ConnectionPlace<S>) {
    this.#place = place;
    this.#opened = this.#prepare(database);
    this.#channel = place.isAlone === true ? null : new BroadcastChannel(`baton database ${place.path}`);
    if (this.#channel !== null) this.#channel.onmessage = () => this.closeDatabase();
    this.#channel?.unref();
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get database(): DatabaseSync {
    return this.#current().database;
  }

  get statements(): S {
    return this.#current().statements;
  }

  /**
   * Refuses to go on when the files of the database were removed or replaced: what was written since would be lost with
   * this process. What the connection holds is saved, once. Must not be called within a transaction.
   */
  refuseGone(): void {
    const opened = this.#opened;
    if (this.#gone === null && opened !== null && !opened.files.areInPlace()) this.#gone = this.#save(opened.database);
    if (this.#gone !== null) throw this.#gone;
  }

  /** Must not be called within a transaction. */
  closeDatabase(): void {
    const opened = this.#opened;
    try {
      this.refuseGone();
    } catch (error) {
      if (error !== this.#gone) throw error;
    }
    this.#opened = null;
    opened?.database.close();
  }

  /**
   * Releases a lock that the file system did not release: the operating system does it when the process has closed the
   * file everywhere. All connections are opened again when they are next needed.
   */
  async closeEverywhere(): Promise<void> {
    this.closeDatabase();
    this.#channel?.postMessage(null);
    await sleep(TIME_TO_CLOSE);
    // It may have been opened for a read meanwhile.
    this.closeDatabase();
  }

  close(): void {
    this.#channel?.close();
    this.#isClosed = true;
    this.closeDatabase();
  }

  #save(database: DatabaseSync): StoreError {
    const { path, save } = this.#place;
    const what = `${path} was removed or replaced while it was in use`;
    try {
      const saved = save?.(database) ?? null;
      return new StoreError("gone", saved === null ? what : `${what}; what it held was saved: ${saved}`);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return new StoreError("gone", `${what}, and what it held could not be saved: ${why}`, { cause: error });
    }
  }

  #current(): Opened<S> {
    if (this.#isClosed) throw closed();
    if (this.#opened === null && this.#gone !== null) throw this.#gone;
    return (this.#opened ??= this.#openAgain());
  }

  #openAgain(): Opened<S> {
    const database = this.#place.reopen();
    try {
      return this.#prepare(database);
    } catch (error) {
      database.close();
      throw error;
    }
  }

  #prepare(database: DatabaseSync): Opened<S> {
    return { database, statements: this.#place.prepare(database), files: new DatabaseFiles(this.#place.path) };
  }
}

const TIME_TO_CLOSE = 50;

/** SQLite may block the process while a file is opened; later `retryWhileLocked` waits without blocking. */
const BUSY_TIMEOUT_OPENING = 10_000;
const BUSY_TIMEOUT = 20;

/** Each is set and read back: SQLite silently ignores settings that it does not know or cannot apply. */
const SETTINGS = [
  ["journal_mode", "WAL", "wal"],
  ["synchronous", "FULL", 2],
  ["foreign_keys", "ON", 1],
  ["trusted_schema", "OFF", 0],
  // 16 MB of log before its pages are copied into the database: copying them often costs more than keeping them.
  ["wal_autocheckpoint", 4_000, 4_000],
] as const;

/** A reader leaves out the settings for writing. */
const READING_SETTINGS = [["trusted_schema", "OFF", 0]] as const;

interface ConnectionOptions {
  readonly lockTimeout: number;
  readonly schema: DatabaseSchema;
  /** For a file without write permission. */
  readonly isReadOnly?: boolean | undefined;
}

export function openConnection(
  path: string,
  { lockTimeout, schema, isReadOnly = false }: ConnectionOptions,
): DatabaseSync {
  if (!isReadOnly) createFile(resolve(path));
  return retryWhileLockedNow(() => {
    const timeout = Math.min(BUSY_TIMEOUT_OPENING, lockTimeout);
    const database = openDatabase(isReadOnly ? readablePlace(path) : path, { timeout, readOnly: isReadOnly });
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
  }, lockTimeout);
}

/** Does not create a new file when the old one was moved away. */
export function reopenConnection(
  path: string,
  { schema, isReadOnly }: Omit<ConnectionOptions, "lockTimeout">,
): DatabaseSync {
  if (!existsSync(path)) throw new StoreError("gone", `${path} no longer exists`);
  return openConnection(path, { lockTimeout: BUSY_TIMEOUT, schema, isReadOnly });
}

/**
 * A reader of a write-ahead log needs the two files beside the database, and cannot create them without write
 * permission. When they are missing, no process has the database open, and the one file is complete.
 */
export function readablePlace(path: string): string | URL {
  if (existsSync(`${path}-wal`)) return path;
  const place = pathToFileURL(path);
  place.searchParams.set("immutable", "1");
  return place;
}

function set(database: DatabaseSync, name: string, value: string | number, expected: string | number): void {
  database.exec(`PRAGMA ${name} = ${value}`);
  const [actual] = Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {});
  if (actual !== expected)
    throw new StoreError("unavailable", `SQLite has ${name} = ${String(actual)}, not ${expected}`);
}

/**
 * Readable by the user alone (0700 and 0600). An existing file is not opened here, because closing it would release the
 * locks of other connections of this process.
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

/** A new folder survives a power loss only when its parent folder was synced. */
function syncFolders(from: string, to: string): void {
  for (let folder = from; ; folder = dirname(folder)) {
    syncFolder(folder);
    if (folder === to || folder === dirname(folder)) return;
  }
}

export { syncFolder };

export interface DatabaseSchema {
  /** Number n of the list takes a database from version n - 1 to n. Released migrations are never edited. */
  readonly migrations: readonly (string | ((database: DatabaseSync) => void))[];
  /** Identifies the kind of file among SQLite databases. */
  readonly applicationId: number;
  /** `a log of Baton`. */
  readonly what: string;
}

/** If several processes open a database at once, the first one with the lock migrates it. */
export function migrate(database: DatabaseSync, schema: DatabaseSchema): void {
  if (isCurrent(database, schema)) return;
  database.exec("BEGIN IMMEDIATE");
  try {
    migrateFrom(database, schema, pragma(database, "user_version"));
    database.exec("COMMIT");
  } catch (error) {
    throw asForeignTables(error);
  } finally {
    if (database.isTransaction) database.exec("ROLLBACK");
  }
}

/** A file without write permission cannot be migrated. */
function refuseOlder(database: DatabaseSync, schema: DatabaseSchema): void {
  const version = pragma(database, "user_version");
  if (version >= schema.migrations.length || isForeign(database, schema, version)) return;
  throw new StoreError(
    "unavailable",
    `the database has version ${version}, of an older Baton: it has to be opened once where it may be written`,
  );
}

function isCurrent(database: DatabaseSync, { migrations, applicationId }: DatabaseSchema): boolean {
  return pragma(database, "user_version") === migrations.length && pragma(database, "application_id") === applicationId;
}

function migrateFrom(database: DatabaseSync, schema: DatabaseSchema, version: number): void {
  const { migrations, applicationId, what } = schema;
  if (isForeign(database, schema, version)) {
    throw new StoreError("unavailable", `this is a database of another program, not ${what}`);
  }
  if (version > migrations.length) throw newerDatabase(version, migrations.length);
  for (const migration of migrations.slice(version)) {
    if (typeof migration === "string") database.exec(migration);
    else migration(database);
  }
  database.exec(`PRAGMA application_id = ${applicationId}`);
  database.exec(`PRAGMA user_version = ${migrations.length}`);
}

function isForeign(database: DatabaseSync, { applicationId }: DatabaseSchema, version: number): boolean {
  return version === 0 ? hasTables(database) : pragma(database, "application_id") !== applicationId;
}

function newerDatabase(version: number, known: number): StoreError {
  return new StoreError(
    "unavailable",
    `the database has version ${version}, and this Baton knows versions up to ${known}: use a newer Baton`,
  );
}

function pragma(database: DatabaseSync, name: "user_version" | "application_id"): number {
  return Number(database.prepare(`PRAGMA ${name}`).get()?.[name]);
}

function hasTables(database: DatabaseSync): boolean {
  return database.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() !== undefined;
}
