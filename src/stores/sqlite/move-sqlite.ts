import { existsSync, linkSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { StoreError } from "../../ports/event-log.ts";
import type { LogSnapshot } from "../../ports/log-snapshot.ts";
import { openDatabase } from "../../ports/sqlite.ts";
import { type LogHold, readHold, refusedHold } from "../held-log.ts";
import { syncFolder } from "../durable-file.ts";
import { drivenRun } from "../moving/driven-run.ts";
import type { LogInspection, MoveEnd, MoveSource, MoveTarget } from "../moving/move-ends.ts";
import {
  keysOf,
  MAX_PAGE_BYTES,
  MAX_PAGE_ROWS,
  type MovedKey,
  type MovedRow,
  type MovedTable,
  type MovedValue,
} from "../moving/moved-tables.ts";
import { openConnection, readablePlace } from "./connection.ts";
import { holdLog, releaseLog } from "./hold-log.ts";
import { LOG_SCHEMA } from "./migrations.ts";
import { openSnapshot } from "./open-snapshot.ts";
import { columnOrNull, integerOf, type Row, textColumn } from "./rows.ts";
import { asForeignTables, asStoreError, LOCK_TIMEOUT, retryWhileLocked } from "./sqlite-error.ts";

interface SqliteMoveOptions {
  /** The file of the log. Its folder is there. */
  readonly path: string;
  /** Whether it is certain that the process of this worker has ended. */
  readonly isGone: (worker: string) => boolean;
  readonly lockTimeout?: number;
}

/** The log in the state folder, as a store that a state leaves or moves to. */
export function sqliteEnd(options: SqliteMoveOptions): MoveEnd {
  const { path, lockTimeout = LOCK_TIMEOUT } = options;
  const staging = `${path}.arriving`;
  return {
    place: "SQLite",
    inspect: async () => refusing(() => inspect(path, staging)),
    openSource: () => openSource(options, lockTimeout),
    openTarget: () => openTarget(path, staging, lockTimeout),
    open: (move) => open(path, staging, move, lockTimeout),
    close: async () => undefined,
  };
}

function refusing<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw asStoreError(asForeignTables(error));
  }
}

/** The log in use; else the one that has arrived and is not used yet; else the copy that was left. */
function inspect(path: string, staging: string): LogInspection | null {
  const present = existsSync(path) ? inspectFile(path) : null;
  if (present !== null && present.hold?.why !== "moved") return present;
  const arriving = existsSync(staging) ? inspectFile(staging) : null;
  return arriving?.hold?.why === "arriving" ? arriving : present;
}

/** A log of an older version has no hold. */
function inspectFile(path: string): LogInspection {
  const database = openDatabase(readablePlace(path), { readOnly: true, timeout: 10_000 });
  try {
    database.exec("PRAGMA trusted_schema = OFF");
    const ledger = hasTable(database, "ledger")
      ? database.prepare("SELECT * FROM ledger WHERE one = 1").get()
      : undefined;
    const runs = hasTable(database, "runs") ? database.prepare("SELECT count(*) AS runs FROM runs").get() : undefined;
    const count = runs === undefined ? 0 : integerOf(runs, "runs");
    const log = ledger === undefined ? "" : textColumn(ledger, "log");
    const held = ledger?.["held"] === undefined ? null : columnOrNull(textColumn, ledger, "held");
    return { log, runs: count, isEmpty: count === 0, hold: held === null ? null : readHold(held) };
  } finally {
    database.close();
  }
}

function hasTable(database: DatabaseSync, name: string): boolean {
  return database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(name) !== undefined;
}

/** Locked against writers by a transaction that is open until it is closed. */
async function openSource({ path, isGone }: SqliteMoveOptions, lockTimeout: number): Promise<MoveSource> {
  const database = openConnection(path, { lockTimeout, schema: LOG_SCHEMA });
  try {
    await retryWhileLocked(() => database.exec("BEGIN IMMEDIATE"), lockTimeout);
    refuseInUse(database, isGone);
  } catch (error) {
    database.close();
    throw asStoreError(asForeignTables(error));
  }
  return new SqliteMoveSource(database, path);
}

function refuseInUse(database: DatabaseSync, isGone: (worker: string) => boolean): void {
  const hold = holdIn(database);
  if (hold !== null) throw refusedHold(hold);
  const driven = database
    .prepare(
      "SELECT run, worker FROM runs WHERE finished = 0 AND worker IS NOT NULL AND leased_until > ? ORDER BY number",
    )
    .all(Date.now())
    .filter((row) => !isGone(textColumn(row, "worker")));
  const [first] = driven;
  if (first !== undefined) throw drivenRun(textColumn(first, "run"));
}

function holdIn(database: DatabaseSync): LogHold | null {
  const row = database.prepare("SELECT held FROM ledger WHERE one = 1").get() ?? {};
  const held = columnOrNull(textColumn, row, "held");
  return held === null ? null : readHold(held);
}

class SqliteMoveSource implements MoveSource {
  readonly #database: DatabaseSync;
  readonly #path: string;
  readonly #pages: PageReader;

  constructor(database: DatabaseSync, path: string) {
    this.#database = database;
    this.#path = path;
    this.#pages = new PageReader(database);
  }

  async read(table: MovedTable, after: MovedKey | null): Promise<MovedRow[]> {
    return refusing(() => this.#pages.read(table, after));
  }

  /** Nothing was written since it was locked. */
  async snapshot(): Promise<LogSnapshot> {
    return openSnapshot(this.#path);
  }

  async leave(hold: LogHold): Promise<void> {
    refusing(() => {
      holdLog(this.#database, hold);
      this.#database.exec("COMMIT");
    });
  }

  async close(): Promise<void> {
    if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
    if (this.#database.isOpen) this.#database.close();
  }
}

/** Rows are read one by one, so that a page of long ones does not fill the memory. */
class PageReader {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  read(table: MovedTable, after: MovedKey | null): MovedRow[] {
    const names = Object.keys(table.columns);
    const page: MovedRow[] = [];
    let bytes = 0;
    for (const row of this.#statement(table, after !== null).iterate(...(after ?? []))) {
      const values = names.map((name) => row[name] as MovedValue);
      bytes += lengthOf(row[table.long]);
      if (page.length > 0 && bytes > MAX_PAGE_BYTES) break;
      page.push(values);
      if (page.length === MAX_PAGE_ROWS) break;
    }
    return page;
  }

  #statement(table: MovedTable, isNext: boolean): StatementSync {
    const name = `${table.name} ${isNext}`;
    const known = this.#statements.get(name);
    if (known !== undefined) return known;
    const key = keysOf(table).map((column) => nameOf(table, column));
    const begin = isNext ? `WHERE (${key.join(", ")}) > (${key.map(() => "?").join(", ")})` : "";
    const columns = Object.keys(table.columns).map((column) => `${nameOf(table, column)} AS ${column}`);
    const sql = `SELECT ${columns.join(", ")} FROM ${table.name} ${begin} ORDER BY ${key.join(", ")}`;
    const statement = this.#database.prepare(sql);
    this.#statements.set(name, statement);
    return statement;
  }
}

function lengthOf(value: unknown): number {
  return typeof value === "string" || value instanceof Uint8Array ? value.length : 0;
}

/** Workflows have no column for their number. */
function nameOf({ name }: MovedTable, column: string): string {
  return name === "workflows" && column === "number" ? "rowid" : column;
}

const SUFFIXES = ["", "-wal", "-shm"] as const;

/** A new file under another name, all of it written in one transaction. */
async function openTarget(path: string, staging: string, lockTimeout: number): Promise<MoveTarget> {
  if (existsSync(path)) await closeCopy(path);
  for (const suffix of SUFFIXES) rmSync(`${staging}${suffix}`, { force: true });
  const database = openConnection(staging, { lockTimeout, schema: LOG_SCHEMA });
  try {
    database.exec("BEGIN IMMEDIATE; DELETE FROM ledger");
  } catch (error) {
    database.close();
    throw asStoreError(error);
  }
  return new SqliteMoveTarget(database, staging);
}

class SqliteMoveTarget implements MoveTarget {
  readonly #database: DatabaseSync;
  readonly #path: string;
  readonly #pages: PageReader;

  constructor(database: DatabaseSync, path: string) {
    this.#database = database;
    this.#path = path;
    this.#pages = new PageReader(database);
  }

  async write(table: MovedTable, rows: readonly MovedRow[]): Promise<void> {
    refusing(() => {
      const columns = Object.keys(table.columns).map((column) => nameOf(table, column));
      const sql = `INSERT INTO ${table.name} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`;
      const insert = this.#database.prepare(sql);
      for (const row of rows) insert.run(...row);
    });
  }

  async keep(hold: LogHold): Promise<void> {
    refusing(() => {
      this.#database.exec("INSERT INTO runs_text (rowid, run, name, brief) SELECT number, run, name, brief FROM runs");
      for (const [table, key] of NUMBERED)
        this.#database.exec(`INSERT INTO gaps SELECT '${table}', through, through - present
          FROM (SELECT max(${key}) AS through, count(*) AS present FROM ${table}) WHERE through > present`);
      holdLog(this.#database, hold);
      this.#database.exec("COMMIT");
    });
  }

  async read(table: MovedTable, after: MovedKey | null): Promise<MovedRow[]> {
    return refusing(() => this.#pages.read(table, after));
  }

  async snapshot(): Promise<LogSnapshot> {
    return openSnapshot(this.#path);
  }

  async close(): Promise<void> {
    if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
    if (this.#database.isOpen) this.#database.close();
  }
}

const NUMBERED = [
  ["letters", "number"],
  ["texts", "number"],
  ["workflows", "rowid"],
] as const;

/** It gets its name in one step, in place of the copy that was left before, which stays beside it. */
async function open(path: string, staging: string, move: string, lockTimeout: number): Promise<void> {
  const isNamed = existsSync(path) && refusing(() => inspectFile(path)).hold?.move === move;
  if (!isNamed) {
    if (existsSync(path)) {
      await closeCopy(path);
      linkSync(path, nameOfCopy(path));
    }
    renameSync(staging, path);
    syncFolder(dirname(path));
  }
  const database = openConnection(path, { lockTimeout, schema: LOG_SCHEMA });
  try {
    await retryWhileLocked(() => database.exec("BEGIN IMMEDIATE"), lockTimeout);
    const hold = holdIn(database);
    if (hold?.why !== "arriving" || hold.move !== move) throw new StoreError("conflict", `${path} is of another move`);
    releaseLog(database);
    database.exec("COMMIT");
  } catch (error) {
    throw asStoreError(asForeignTables(error));
  } finally {
    if (database.isTransaction) database.exec("ROLLBACK");
    database.close();
  }
}

function nameOfCopy(path: string): string {
  const time = new Date().toISOString().replaceAll(/[:.]/g, "-");
  for (let number = 1; ; number++) {
    const name = `${path}.moved-${time}${number === 1 ? "" : `-${number}`}`;
    if (!existsSync(name)) return name;
  }
}

const TIME_TO_CLOSE = 3_000;

/** The copy must be one file: what another process wrote beside it would be taken for a part of the new one. */
async function closeCopy(path: string): Promise<void> {
  const hold = refusing(() => inspectFile(path)).hold;
  if (hold?.why !== "moved") throw new StoreError("conflict", `the log in ${path} is in use`);
  const database = openDatabase(path, { timeout: 100 });
  try {
    await retryWhileLocked(() => database.exec("PRAGMA journal_mode = DELETE"), TIME_TO_CLOSE);
  } catch (error) {
    throw new StoreError("busy", "a process still has the copy of the state open that was left here: end it", {
      cause: error,
    });
  } finally {
    database.close();
  }
}
