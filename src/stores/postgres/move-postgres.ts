import { EMPTY_REGISTER } from "../../audit/register.ts";
import { StoreError } from "../../ports/event-log.ts";
import type { KnowledgeCheck, KnowledgeHead } from "../../ports/knowledge-store.ts";
import { AppError } from "../../shared/app-error.ts";
import type { LogSnapshot } from "../../ports/log-snapshot.ts";
import { type LogHold, refusedHold } from "../held-log.ts";
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
  checkPostgresKnowledge,
  dropKnowledgeTables,
  holdPostgresKnowledge,
  insertKnowledge,
  isKnowledgeEmpty,
  keepKnowledgeLedger,
  knowledgeToLock,
  releasePostgresKnowledge,
} from "../postgres-knowledge/move-knowledge.ts";
import { withNul } from "../postgres-knowledge/nul-text.ts";
import { KNOWLEDGE_TABLES, prefixOf } from "../postgres-knowledge/tables.ts";
import { readBrief, storedBrief } from "./brief-text.ts";
import { type LongTransaction, PostgresConnections, type PostgresPlace, type Queries } from "./connection.ts";
import { holdPostgresLog, readPostgresHold, releasePostgresLog } from "./hold-log.ts";
import { numberOf, textIn } from "./log-rows.ts";
import { dropLogTables, LOG_TABLES } from "./log-tables.ts";
import { hasTables, migrateWithin, requireTables } from "./migrate.ts";
import { openSnapshot } from "./open-snapshot.ts";
import { searchPartsOf, searchTextOf } from "./search-parts.ts";

interface PostgresMoveOptions extends PostgresPlace {
  /** Whether it is certain that the process of this worker has ended. */
  readonly isGone: (worker: string) => boolean;
  /** The repository whose folders its runs work in: a mark, and how a person is told. */
  readonly place?: { readonly mark: string; readonly name: string };
}

/** Counting and comparing read whole tables. */
const QUERY_TIMEOUT = 900_000;

/** The log in a database, as a store that a state leaves or moves to. */
export function postgresEnd(options: PostgresMoveOptions): MoveEnd {
  const connections = new PostgresConnections({ queryTimeout: QUERY_TIMEOUT, ...options });
  const { schema } = connections;
  return {
    place: `Postgres (schema ${schema})`,
    inspect: () => inspect(connections),
    openSource: () => openSource(connections, options),
    openTarget: () => openTarget(connections, options.place ?? null),
    open: (move) => connections.transact((queries) => open(queries, schema, move)),
    close: () => connections.close(),
  };
}

async function inspect(connections: PostgresConnections): Promise<LogInspection | null> {
  const { schema } = connections;
  if (!(await hasTables(connections, schema, LOG_TABLES))) return null;
  await requireTables(connections, LOG_TABLES);
  const [row] = await connections.all(`SELECT log, runs, register_number FROM ${schema}.ledger WHERE one = 1`);
  if (row === undefined) throw new StoreError("damaged", "the ledger of the log is missing");
  const isEmpty = numberOf(row, "register_number") === 0;
  const hold = await readPostgresHold(connections, schema);
  return { log: textIn(row, "log"), runs: numberOf(row, "runs"), isEmpty, hold };
}

/** Writers take `runs` or `ledger` first, so locking these first waits for them, and never they for us. */
const LOCKED = ["runs", "ledger", "register", "entries", "effects", "letters", "texts", "workflows", "checkpoints"];

/** Locked against writers, and against those who lock rows, by a transaction that is open until it is closed. */
async function openSource(
  connections: PostgresConnections,
  { isGone, place }: PostgresMoveOptions,
): Promise<MoveSource> {
  const { schema } = connections;
  for (const tables of [LOG_TABLES, KNOWLEDGE_TABLES]) await requireTables(connections, tables);
  const transaction = await connections.begin();
  try {
    for (const table of [...LOCKED.map((name) => `${schema}.${name}`), ...knowledgeToLock(schema)])
      await transaction.queries.all(`LOCK TABLE ${table} IN EXCLUSIVE MODE`);
    await refuseInUse(transaction.queries, schema, isGone);
    if (place !== undefined) await refuseOtherPlace(transaction.queries, schema, place.mark);
    return new PostgresMoveSource(connections, transaction);
  } catch (error) {
    await transaction.end();
    throw error;
  }
}

async function refuseInUse(queries: Queries, schema: string, isGone: (worker: string) => boolean): Promise<void> {
  const hold = await readPostgresHold(queries, schema);
  if (hold !== null) throw refusedHold(hold);
  const leased = await queries.all(
    `SELECT run, worker FROM ${schema}.runs WHERE NOT finished AND worker IS NOT NULL
      AND leased_until > extract(epoch FROM clock_timestamp()) * 1000 ORDER BY number`,
  );
  const first = leased.find((row) => !isGone(textIn(row, "worker")));
  if (first !== undefined) throw drivenRun(textIn(first, "run"));
}

async function refuseOtherPlace(queries: Queries, schema: string, mark: string): Promise<void> {
  const [row = {}] = await queries.all(`SELECT place, place_name FROM ${schema}.ledger`);
  if (row["place"] === null || row["place"] === mark) return;
  throw new StoreError("conflict", `the runs of this store work in ${textIn(row, "place_name")}: move it there`);
}

const SIGN_OF_LIFE = 10_000;

class PostgresMoveSource implements MoveSource {
  readonly #connections: PostgresConnections;
  readonly #transaction: LongTransaction;
  /** While the other store is read, the database hears nothing else of this transaction, and would end it. */
  readonly #signs: NodeJS.Timeout;

  constructor(connections: PostgresConnections, transaction: LongTransaction) {
    this.#connections = connections;
    this.#transaction = transaction;
    this.#signs = setInterval(() => void transaction.queries.all("SELECT 1").catch(() => undefined), SIGN_OF_LIFE);
  }

  read(table: MovedTable, after: MovedKey | null): Promise<MovedRow[]> {
    return readPage(this.#transaction.queries, this.#connections.schema, table, after);
  }

  /** Nothing was written since it was locked. */
  snapshot(): Promise<LogSnapshot> {
    return openSnapshot(this.#connections);
  }

  checkKnowledge(keys: readonly string[], seen: KnowledgeHead | null): Promise<KnowledgeCheck> {
    return checkPostgresKnowledge(this.#connections, keys, seen);
  }

  async leave(hold: LogHold): Promise<void> {
    await holdPostgresLog(this.#transaction.queries, this.#connections.schema, hold);
    await holdPostgresKnowledge(this.#transaction.queries, this.#connections.schema, hold);
    clearInterval(this.#signs);
    await this.#transaction.commit();
  }

  async close(): Promise<void> {
    clearInterval(this.#signs);
    await this.#transaction.end();
  }
}

/** The lengths are read without the values. Texts are compared byte by byte, as the files of one machine do. */
async function readPage(
  queries: Queries,
  schema: string,
  table: MovedTable,
  after: MovedKey | null,
): Promise<MovedRow[]> {
  const { name, part, columns, long } = table;
  const keys = keysOf(table).map((column) => (columns[column] === "text" ? `${column} COLLATE "C"` : column));
  const key = keys.join(", ");
  const begin = after === null ? "" : `WHERE (${key}) > (${after.map((_, at) => `$${at + 1}`).join(", ")})`;
  const from = part === "log" ? `${schema}.${name}` : `${prefixOf(schema)}${name}`;
  const length = long === "" ? "0" : `coalesce(octet_length(${long}), 0)`;
  const asked = part === "log" ? queries : withNul(queries);
  const rows = await asked.all(
    `SELECT ${Object.keys(columns).join(", ")} FROM (
        SELECT *, row_number() OVER running AS nth_row, sum(${length}) OVER running AS bytes_so_far
        FROM (SELECT * FROM ${from} ${begin} ORDER BY ${key} LIMIT ${MAX_PAGE_ROWS}) AS first
        WINDOW running AS (ORDER BY ${key} ROWS UNBOUNDED PRECEDING)
      ) AS page WHERE nth_row = 1 OR bytes_so_far <= ${MAX_PAGE_BYTES} ORDER BY ${key}`,
    after ?? [],
  );
  return rows.map((row) => Object.keys(columns).map((column) => movedValue(table, column, row[column])));
}

function movedValue(table: MovedTable, column: string, value: unknown): MovedValue {
  if (table.columns[column] === "flag") return value === true ? 1 : 0;
  if (isBrief(table, column)) return readBrief(String(value));
  if (value === null || typeof value === "string" || typeof value === "number" || value instanceof Uint8Array)
    return value;
  throw new StoreError("damaged", `column ${column} of ${table.name} has a value of the wrong type`);
}

function isBrief({ name }: MovedTable, column: string): boolean {
  return name === "runs" && column === "brief";
}

/** All of it in one transaction. The copy that an earlier move has left in this schema gets another name. */
async function openTarget(
  connections: PostgresConnections,
  place: PostgresMoveOptions["place"] | null,
): Promise<MoveTarget> {
  const { schema } = connections;
  const transaction = await connections.begin();
  const { queries } = transaction;
  try {
    await makeRoom(queries, schema);
    for (const tables of [LOG_TABLES, KNOWLEDGE_TABLES]) await migrateWithin(queries, schema, tables);
    await queries.all("SET CONSTRAINTS ALL DEFERRED");
    await queries.all(`DELETE FROM ${schema}.ledger`);
    return new PostgresMoveTarget(connections, transaction, place ?? null);
  } catch (error) {
    await transaction.end();
    throw error;
  }
}

/**
 * What arrived with a move that did not end is written anew, and so are tables in which nothing ever was. The copy that
 * an earlier move has left gets another name. Nothing else is touched.
 */
async function makeRoom(queries: Queries, schema: string): Promise<void> {
  const hasLog = await hasTables(queries, schema, LOG_TABLES);
  if (hasLog) await queries.all(`LOCK TABLE ${schema}.runs, ${schema}.ledger IN ACCESS EXCLUSIVE MODE`);
  const hold = hasLog ? await readPostgresHold(queries, schema) : null;
  if (hold?.why === "moved") {
    await queries.all(`ALTER SCHEMA ${schema} RENAME TO ${schemaOfCopy(schema)}`);
    return;
  }
  if (hasLog && hold === null && !(await isEmptyLog(queries, schema))) throw inUse("runs");
  await dropKnowledge(queries, schema, hold !== null);
  if (hasLog) await queries.all(dropLogTables(schema));
}

async function dropKnowledge(queries: Queries, schema: string, isArriving: boolean): Promise<void> {
  if (!(await hasTables(queries, schema, KNOWLEDGE_TABLES))) return;
  await queries.all(`LOCK TABLE ${prefixOf(schema)}ledger IN ACCESS EXCLUSIVE MODE`);
  if (!isArriving && !(await isKnowledgeEmpty(queries, schema))) throw inUse("knowledge");
  await queries.all(dropKnowledgeTables(schema));
}

async function isEmptyLog(queries: Queries, schema: string): Promise<boolean> {
  const [row = {}] = await queries.all(`SELECT register_number FROM ${schema}.ledger`);
  return numberOf(row, "register_number") === 0;
}

function inUse(what: string): AppError {
  return new AppError(
    "conflict",
    `The database has ${what} already, which were not moved there from here.`,
    "Name another database, or another schema: ?schema=NAME.",
  );
}

function schemaOfCopy(schema: string): string {
  return `${schema}_moved_${new Date().toISOString().replaceAll(/\D/g, "")}`;
}

class PostgresMoveTarget implements MoveTarget {
  readonly #connections: PostgresConnections;
  readonly #transaction: LongTransaction;

  readonly #place: { readonly mark: string; readonly name: string } | null;

  constructor(
    connections: PostgresConnections,
    transaction: LongTransaction,
    place: { readonly mark: string; readonly name: string } | null,
  ) {
    this.#connections = connections;
    this.#transaction = transaction;
    this.#place = place;
  }

  async write(table: MovedTable, rows: readonly MovedRow[]): Promise<void> {
    const { queries } = this.#transaction;
    const { schema } = this.#connections;
    if (table.part === "knowledge") return insertKnowledge(queries, schema, table, rows);
    await insertRows(queries, schema, table, rows);
    if (table.name === "runs") await insertSearchTexts(queries, schema, table, rows);
  }

  async keep(hold: LogHold): Promise<void> {
    const { queries } = this.#transaction;
    const { schema } = this.#connections;
    for (const sql of madeFromRows(schema)) await queries.all(sql);
    if (this.#place !== null)
      await queries.change(`UPDATE ${schema}.ledger SET place = $1, place_name = $2`, [
        this.#place.mark,
        this.#place.name,
      ]);
    await keepKnowledgeLedger(queries, schema);
    await queries.all("SET CONSTRAINTS ALL IMMEDIATE");
    await holdPostgresLog(queries, schema, hold);
    await holdPostgresKnowledge(queries, schema, hold);
    await this.#transaction.commit();
  }

  read(table: MovedTable, after: MovedKey | null): Promise<MovedRow[]> {
    return readPage(this.#connections, this.#connections.schema, table, after);
  }

  snapshot(): Promise<LogSnapshot> {
    return openSnapshot(this.#connections);
  }

  checkKnowledge(keys: readonly string[], seen: KnowledgeHead | null): Promise<KnowledgeCheck> {
    return checkPostgresKnowledge(this.#connections, keys, seen);
  }

  close(): Promise<void> {
    return this.#transaction.end();
  }
}

const TYPES = { integer: "bigint", text: "text", bytes: "bytea", flag: "bigint" } as const;

async function insertRows(
  queries: Queries,
  schema: string,
  table: MovedTable,
  rows: readonly MovedRow[],
): Promise<void> {
  const columns = Object.entries(table.columns);
  const names = columns.map(([name]) => name);
  const selected = columns.map(([name, type]) => (type === "flag" ? `${name} = 1` : name));
  const { extra = [], values = [] } = MADE[table.name] ?? {};
  await queries.change(
    `INSERT INTO ${schema}.${table.name} (${[...names, ...extra].join(", ")}) OVERRIDING SYSTEM VALUE
      SELECT ${[...selected, ...values].join(", ")}
      FROM unnest(${columns.map(([, type], at) => `$${at + 1}::${TYPES[type]}[]`).join(", ")}) AS moved (${names.join(", ")})`,
    names.map((name, at) => rows.map((row) => storedValue(table, name, row[at] ?? null))),
  );
}

/** Columns that are made from the others. */
const MADE: Readonly<Record<string, { readonly extra: readonly string[]; readonly values: readonly string[] }>> = {
  runs: { extra: ["prunable_at"], values: ["CASE WHEN finished = 1 AND emptied < sequence THEN updated_at END"] },
  ledger: { extra: ["runs", "register_number", "register_hash"], values: ["0", "0", `'\\x${EMPTY_REGISTER.hash}'`] },
};

function storedValue(table: MovedTable, column: string, value: MovedValue): string | number | Buffer | null {
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.length);
  if (typeof value !== "string") return value;
  if (isBrief(table, column)) return storedBrief(value);
  if (value.includes("\u0000"))
    throw new StoreError(
      "conflict",
      `a row of ${table.name} has a NUL character in ${column}, which Postgres cannot store`,
    );
  return value;
}

async function insertSearchTexts(
  queries: Queries,
  schema: string,
  table: MovedTable,
  rows: readonly MovedRow[],
): Promise<void> {
  const names = Object.keys(table.columns);
  const valueOf = (row: MovedRow, name: string): string => String(row[names.indexOf(name)]);
  const texts = rows.map((row) =>
    searchTextOf({ run: valueOf(row, "run"), name: valueOf(row, "name"), brief: valueOf(row, "brief") }),
  );
  await queries.change(
    `INSERT INTO ${schema}.run_texts (number, text, parts)
      SELECT number, text, ARRAY (SELECT json_array_elements_text(parts::json))
      FROM unnest($1::bigint[], $2::text[], $3::text[]) AS moved (number, text, parts)`,
    [rows.map((row) => Number(row[0])), texts, texts.map((text) => JSON.stringify(searchPartsOf(text)))],
  );
}

/** Sequences go on behind the last numbers. */
function madeFromRows(schema: string): string[] {
  const behind = (sequence: string, table: string, column: string): string =>
    `SELECT setval(${sequence}, max(${column})) FROM ${schema}.${table} HAVING max(${column}) IS NOT NULL`;
  return [
    behind(`'${schema}.positions'`, "entries", "position"),
    behind(`'${schema}.letter_numbers'`, "letters", "number"),
    behind(`pg_get_serial_sequence('${schema}.texts', 'number')`, "texts", "number"),
    behind(`pg_get_serial_sequence('${schema}.workflows', 'number')`, "workflows", "number"),
    `UPDATE ${schema}.ledger SET runs = (SELECT count(*) FROM ${schema}.runs)`,
    `UPDATE ${schema}.ledger SET register_number = number, register_hash = hash
      FROM (SELECT number, hash FROM ${schema}.register ORDER BY number DESC LIMIT 1) AS last`,
    ...["runs", "run_texts", "entries", "effects", "letters", "texts"].map((table) => `ANALYZE ${schema}.${table}`),
  ];
}

async function open(queries: Queries, schema: string, move: string): Promise<void> {
  await queries.all(`LOCK TABLE ${schema}.ledger IN EXCLUSIVE MODE`);
  const hold = await readPostgresHold(queries, schema);
  if (hold?.why !== "arriving" || hold.move !== move)
    throw new StoreError("conflict", "what is in the database is of another move");
  await releasePostgresLog(queries, schema);
  await releasePostgresKnowledge(queries, schema);
}
