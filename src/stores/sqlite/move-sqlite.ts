import { existsSync, linkSync, rmSync } from "node:fs";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { StoreError } from "../../ports/event-log.ts";
import type { LogSnapshot } from "../../ports/log-snapshot.ts";
import type { KnowledgeCheck, KnowledgeHead } from "../../ports/knowledge-store.ts";
import { openDatabase } from "../../ports/sqlite.ts";
import { type LogHold, readHold, refusedHold } from "../held-log.ts";
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
import {
  checkKnowledgeToMove,
  closeFile,
  createArrivingKnowledge,
  holdKnowledge,
  keepArrivingKnowledge,
  nameArrivingKnowledge,
  nameFile,
  openKnowledgeToMove,
  releaseKnowledge,
} from "../knowledge/move-knowledge.ts";
import { openConnection, readablePlace } from "./connection.ts";
import { holdLog, releaseLog } from "./hold-log.ts";
import { LOG_SCHEMA } from "./migrations.ts";
import { openSnapshot } from "./open-snapshot.ts";
import { columnOrNull, integerOf, textColumn } from "./rows.ts";
import { asForeignTables, asStoreError, LOCK_TIMEOUT, retryWhileLocked } from "./sqlite-error.ts";

interface SqliteMoveOptions {
  /** The file of the log. Its folder is there. */
  readonly path: string;
  /** The file of what is known. */
  readonly knowledge: string;
  /** Whether it is certain that the process of this worker has ended. */
  readonly isGone: (worker: string) => boolean;
  readonly lockTimeout?: number;
}

/** The log in the state folder, as a store that a state leaves or moves to. */
export function sqliteEnd(options: SqliteMoveOptions): MoveEnd {
  const { path, knowledge, lockTimeout = LOCK_TIMEOUT } = options;
  const staging = arrivingPath(path);
  const arrivingKnowledge = arrivingPath(knowledge);
  return {
    place: "SQLite",
    inspect: async () => refusing(() => inspect(path, staging)),
    openSource: () => openSource(options, lockTimeout),
    openTarget: () => openTarget(path, staging, arrivingKnowledge, lockTimeout),
    async open(move) {
      const copy = nameOfCopy(path, knowledge);
      await nameArrivingKnowledge(knowledge, arrivingKnowledge, copy(knowledge));
      await open(path, staging, move, copy(path), lockTimeout);
    },
    close: async () => undefined,
  };
}

function arrivingPath(path: string): string {
  return `${path}.arriving`;
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
  const present = existsSync(path) ? inspectSqliteLog(path) : null;
  if (present !== null && present.hold?.why !== "moved") return present;
  const arriving = existsSync(staging) ? inspectSqliteLog(staging) : null;
  return arriving?.hold?.why === "arriving" ? arriving : present;
}

/** Reads without changing anything. A log of an older version has no hold. */
export function inspectSqliteLog(path: string): LogInspection {
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
async function openSource({ path, knowledge, isGone }: SqliteMoveOptions, lockTimeout: number): Promise<MoveSource> {
  const database = openConnection(path, { lockTimeout, schema: LOG_SCHEMA });
  try {
    await retryWhileLocked(() => database.exec("BEGIN IMMEDIATE"), lockTimeout);
    refuseInUse(database, isGone);
    return new SqliteMoveSource(database, path, await openKnowledgeToMove(knowledge));
  } catch (error) {
    database.close();
    throw asStoreError(asForeignTables(error));
  }
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
  readonly #knowledge: DatabaseSync | null;
  readonly #pages: PageReader;

  constructor(database: DatabaseSync, path: string, knowledge: DatabaseSync | null) {
    this.#database = database;
    this.#path = path;
    this.#knowledge = knowledge;
    this.#pages = new PageReader({ log: database, knowledge });
  }

  async read(table: MovedTable, after: MovedKey | null): Promise<MovedRow[]> {
    return refusing(() => this.#pages.read(table, after));
  }

  async checkKnowledge(keys: readonly string[], seen: KnowledgeHead | null): Promise<KnowledgeCheck | null> {
    const knowledge = this.#knowledge;
    return knowledge === null ? null : refusing(() => checkKnowledgeToMove(knowledge, keys, seen));
  }

  /** Nothing was written since it was locked. */
  async snapshot(): Promise<LogSnapshot> {
    return openSnapshot(this.#path);
  }

  async leave(hold: LogHold): Promise<void> {
    const knowledge = this.#knowledge;
    refusing(() => {
      if (knowledge !== null) holdKnowledge(knowledge, hold);
      try {
        holdLog(this.#database, hold);
        this.#database.exec("COMMIT");
      } catch (error) {
        if (knowledge !== null) releaseKnowledge(knowledge);
        throw error;
      }
    });
  }

  async close(): Promise<void> {
    for (const database of [this.#knowledge, this.#database]) closeDatabase(database);
  }
}

/** What was not committed is not stored. */
function closeDatabase(database: DatabaseSync | null): void {
  if (database?.isTransaction === true) database.exec("ROLLBACK");
  if (database?.isOpen === true) database.close();
}

/** Rows are read one by one, so that a page of long ones does not fill the memory. */
class PageReader {
  readonly #databases: Readonly<Record<MovedTable["part"], DatabaseSync | null>>;
  readonly #statements = new Map<string, StatementSync>();

  constructor(databases: Readonly<Record<MovedTable["part"], DatabaseSync | null>>) {
    this.#databases = databases;
  }

  read(table: MovedTable, after: MovedKey | null): MovedRow[] {
    const names = Object.keys(table.columns);
    const page: MovedRow[] = [];
    let bytes = 0;
    const database = this.#databases[table.part];
    if (database === null) return [];
    for (const row of this.#statement(database, table, after !== null).iterate(...(after ?? []))) {
      const values = names.map((name) => row[name] as MovedValue);
      bytes += lengthOf(row[table.long]);
      if (page.length > 0 && bytes > MAX_PAGE_BYTES) break;
      page.push(values);
      if (page.length === MAX_PAGE_ROWS) break;
    }
    return page;
  }

  #statement(database: DatabaseSync, table: MovedTable, isNext: boolean): StatementSync {
    const name = `${table.part} ${table.name} ${isNext}`;
    const known = this.#statements.get(name);
    if (known !== undefined) return known;
    const key = keysOf(table).map((column) => nameOf(table, column));
    const begin = isNext ? `WHERE (${key.join(", ")}) > (${key.map(() => "?").join(", ")})` : "";
    const columns = Object.keys(table.columns).map((column) => `${nameOf(table, column)} AS ${column}`);
    const sql = `SELECT ${columns.join(", ")} FROM ${table.name} ${begin} ORDER BY ${key.join(", ")}`;
    const statement = database.prepare(sql);
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
async function openTarget(
  path: string,
  staging: string,
  arrivingKnowledge: string,
  lockTimeout: number,
): Promise<MoveTarget> {
  if (existsSync(path)) await closeCopy(path);
  for (const suffix of SUFFIXES) rmSync(`${staging}${suffix}`, { force: true });
  const database = openConnection(staging, { lockTimeout, schema: LOG_SCHEMA });
  try {
    database.exec("BEGIN IMMEDIATE; DELETE FROM ledger");
    return new SqliteMoveTarget(database, staging, createArrivingKnowledge(arrivingKnowledge));
  } catch (error) {
    database.close();
    throw asStoreError(error);
  }
}

class SqliteMoveTarget implements MoveTarget {
  readonly #database: DatabaseSync;
  readonly #path: string;
  readonly #knowledge: DatabaseSync;
  readonly #pages: PageReader;

  constructor(database: DatabaseSync, path: string, knowledge: DatabaseSync) {
    this.#database = database;
    this.#path = path;
    this.#knowledge = knowledge;
    this.#pages = new PageReader({ log: database, knowledge });
  }

  async write(table: MovedTable, rows: readonly MovedRow[]): Promise<void> {
    refusing(() => {
      const columns = Object.keys(table.columns).map((column) => nameOf(table, column));
      const sql = `INSERT INTO ${table.name} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`;
      const insert = (table.part === "log" ? this.#database : this.#knowledge).prepare(sql);
      for (const row of rows) insert.run(...row);
    });
  }

  async keep(hold: LogHold): Promise<void> {
    refusing(() => {
      keepArrivingKnowledge(this.#knowledge);
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

  async checkKnowledge(keys: readonly string[], seen: KnowledgeHead | null): Promise<KnowledgeCheck> {
    return refusing(() => checkKnowledgeToMove(this.#knowledge, keys, seen));
  }

  async snapshot(): Promise<LogSnapshot> {
    return openSnapshot(this.#path);
  }

  async close(): Promise<void> {
    for (const database of [this.#knowledge, this.#database]) closeDatabase(database);
  }
}

const NUMBERED = [
  ["letters", "number"],
  ["texts", "number"],
  ["workflows", "rowid"],
] as const;

/** It gets its name in one step, in place of the copy that was left before, which stays beside it. */
async function open(path: string, staging: string, move: string, copy: string, lockTimeout: number): Promise<void> {
  const isNamed = existsSync(path) && refusing(() => inspectSqliteLog(path)).hold?.move === move;
  if (!isNamed) {
    if (existsSync(path)) {
      await closeCopy(path);
      linkSync(path, copy);
    }
    await nameFile(staging, path);
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

/** One ending for both files, that no copy has yet. */
function nameOfCopy(path: string, knowledge: string): (path: string) => string {
  const time = new Date().toISOString().replaceAll(/[:.]/g, "-");
  for (let number = 1; ; number++) {
    const named = (each: string): string => `${each}.moved-${time}${number === 1 ? "" : `-${number}`}`;
    if (![path, knowledge].some((each) => existsSync(named(each)))) return named;
  }
}

/** Refuses while a process has it open. */
async function closeCopy(path: string): Promise<void> {
  const hold = refusing(() => inspectSqliteLog(path)).hold;
  if (hold?.why !== "moved") throw new StoreError("conflict", `the log in ${path} is in use`);
  await closeFile(path);
}
