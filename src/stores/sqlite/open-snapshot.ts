import { closeSync, openSync, readSync, statSync } from "node:fs";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { StoreError } from "../../ports/event-log.ts";
import type {
  AuditedEntry,
  AuditedMessage,
  AuditedRun,
  AuditedText,
  AuditedWorkflow,
  KeptCheckpoint,
  LogCounts,
  LogSnapshot,
  RegisterRow,
} from "../../ports/log-snapshot.ts";
import { openDatabase } from "../../ports/sqlite.ts";
import {
  auditedEffectOf,
  bytesOf,
  checkpointOf,
  hashOf,
  integerOf,
  columnOrNull,
  registerRowOf,
  type Row,
  textColumn,
} from "./rows.ts";
import { unpackText } from "../pack-text.ts";
import { bytesOfHash } from "../stored-hashes.ts";
import { asForeignTables, asStoreError } from "./sqlite-error.ts";
import { LOG_SCHEMA } from "./migrations.ts";
import { migrate } from "./connection.ts";
import { type LogHold, readHold } from "../held-log.ts";
import { holdLog } from "./hold-log.ts";

const SQL = {
  ledger: "SELECT log, pruned, pruned_texts FROM ledger",
  gaps: "SELECT what, through FROM gaps",
  counts: `SELECT (SELECT count(*) FROM entries) AS entries, (SELECT count(*) FROM register) AS register, (SELECT count(*) FROM checkpoints) AS checkpoints,
    (SELECT count(*) FROM runs) AS runs, (SELECT count(*) FROM letters) AS letters,
    (SELECT count(*) FROM texts) AS texts, (SELECT count(*) FROM workflows) AS workflows`,
  // A left join, because an entry without a run is a finding and must not be skipped.
  entries: `SELECT e.position, r.run, e.sequence, e.at, e.kind, e.data, e.data_hash, e.seal, e.hash, r.emptied
    FROM entries e LEFT JOIN runs r ON r.number = e.run WHERE e.position > ? ORDER BY e.position LIMIT ?`,
  register: "SELECT number, body, hash FROM register WHERE number > ? ORDER BY number LIMIT ?",
  checkpoints: "SELECT number, body, signature FROM checkpoints WHERE number > ? ORDER BY number LIMIT ?",
  runs: `SELECT r.*, e.position AS last_position, e.sequence AS last_sequence, e.seal AS last_seal,
      EXISTS (SELECT 1 FROM letters l WHERE l.run = r.number AND l.input IS NOT NULL) AS has_letters
    FROM runs r LEFT JOIN entries e ON e.run = r.number
      AND e.sequence = (SELECT max(sequence) FROM entries WHERE run = r.number)
    WHERE r.number > ? ORDER BY r.number LIMIT ?`,
  effects: "SELECT number, key, kind, data FROM effects WHERE run = ? ORDER BY number",
  letters: `SELECT l.number, r.run, l.id, l.input, l.mark FROM letters l LEFT JOIN runs r ON r.number = l.run
    WHERE l.number > ? ORDER BY l.number LIMIT ?`,
  texts: "SELECT number, hash, body FROM texts WHERE number > ? ORDER BY number LIMIT ?",
  workflows: "SELECT rowid AS number, hash, definition FROM workflows WHERE rowid > ? ORDER BY rowid LIMIT ?",
  hasText: "SELECT 1 FROM texts WHERE hash = ?",
  hasWorkflow: "SELECT 1 FROM workflows WHERE hash = ?",
} as const;

type Statements = Readonly<Record<keyof typeof SQL, StatementSync>>;

/** Uses its own connection with one long read transaction, so that writers go on and the reader sees one state. */
export function openSnapshot(path: string | URL): LogSnapshot {
  return refusing(() => {
    const database = openDatabase(path, { readOnly: true, timeout: 10_000 });
    try {
      database.exec("PRAGMA trusted_schema = OFF; BEGIN");
      const prepared = Object.entries(SQL).map(([name, sql]) => [name, database.prepare(sql)] as const);
      return new SqliteSnapshot(database, Object.fromEntries(prepared) as Statements);
    } catch (error) {
      database.close();
      throw error;
    }
  });
}

class SqliteSnapshot implements LogSnapshot {
  readonly log: string;
  readonly pruned: number;
  readonly prunedTexts: number;
  readonly counts: LogCounts;
  readonly gapsThrough: LogSnapshot["gapsThrough"];
  readonly #database: DatabaseSync;
  readonly #statements: Statements;

  constructor(database: DatabaseSync, statements: Statements) {
    this.#database = database;
    this.#statements = statements;
    const ledger = statements.ledger.all();
    const [row] = ledger;
    if (row === undefined || ledger.length > 1) throw new StoreError("damaged", "the ledger of the log is missing");
    this.log = textColumn(row, "log");
    this.pruned = integerOf(row, "pruned");
    this.prunedTexts = integerOf(row, "pruned_texts");
    this.gapsThrough = gapsIn(statements.gaps.all());
    const counts = statements.counts.get() ?? {};
    this.counts = {
      entries: integerOf(counts, "entries"),
      register: integerOf(counts, "register"),
      checkpoints: integerOf(counts, "checkpoints"),
      runs: integerOf(counts, "runs"),
      letters: integerOf(counts, "letters"),
      texts: integerOf(counts, "texts"),
      workflows: integerOf(counts, "workflows"),
    };
  }

  async entries(after: number, limit: number): Promise<AuditedEntry[]> {
    return this.#page("entries", "position", after, limit, entryOf);
  }

  async register(after: number, limit: number): Promise<RegisterRow[]> {
    return this.#page("register", "number", after, limit, registerRowOf);
  }

  async checkpoints(after: number, limit: number): Promise<KeptCheckpoint[]> {
    return this.#page("checkpoints", "number", after, limit, checkpointOf);
  }

  async runs(after: number, limit: number): Promise<AuditedRun[]> {
    return this.#page("runs", "number", after, limit, (row) => runOf(row, this.#statements.effects));
  }

  async letters(after: number, limit: number): Promise<AuditedMessage[]> {
    return this.#page("letters", "number", after, limit, letterOf);
  }

  async texts(after: number, limit: number): Promise<AuditedText[]> {
    return this.#page("texts", "number", after, limit, keptTextOf);
  }

  async workflows(after: number, limit: number): Promise<AuditedWorkflow[]> {
    return this.#page("workflows", "number", after, limit, workflowOf);
  }

  async missingTexts(hashes: readonly string[]): Promise<ReadonlySet<string>> {
    const { hasText } = this.#statements;
    return refusing(() => new Set(hashes.filter((hash) => hasText.get(bytesOfHash(hash)) === undefined)));
  }

  async hasWorkflow(hash: string): Promise<boolean> {
    return refusing(() => this.#statements.hasWorkflow.get(hash) !== undefined);
  }

  async damages(): Promise<string[]> {
    return refusing(() => findDamages(this.#database));
  }

  async close(): Promise<void> {
    if (this.#database.isOpen) this.#database.close();
  }

  /**
   * An error names the row with the wrong value. Rows of a broken page may come in any order and repeatedly, so that
   * reading page by page would never end: that is refused.
   */
  #page<T>(table: keyof Statements, key: string, after: number, limit: number, read: (row: Row) => T): T[] {
    let last = after;
    return refusing(() =>
      this.#statements[table].all(after, limit).map((row) => {
        try {
          const number = integerOf(row, key);
          if (number <= last) throw new StoreError("damaged", `it comes after ${last}`);
          last = number;
          return read(row);
        } catch (error) {
          if (!(error instanceof StoreError)) throw error;
          throw new StoreError("damaged", `${table}, ${key} ${String(row[key])}: ${error.message}`, { cause: error });
        }
      }),
    );
  }
}

function gapsIn(rows: readonly Row[]): LogSnapshot["gapsThrough"] {
  const through = new Map(rows.map((row) => [textColumn(row, "what"), integerOf(row, "through")]));
  return {
    letters: through.get("letters") ?? 0,
    texts: through.get("texts") ?? 0,
    workflows: through.get("workflows") ?? 0,
  };
}

function refusing<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw asStoreError(asForeignTables(error));
  }
}

function entryOf(row: Row): AuditedEntry {
  return {
    position: integerOf(row, "position"),
    run: columnOrNull(textColumn, row, "run"),
    sequence: integerOf(row, "sequence"),
    at: integerOf(row, "at"),
    kind: textColumn(row, "kind"),
    data: columnOrNull(textColumn, row, "data"),
    dataHash: hashOf(row, "data_hash"),
    seal: columnOrNull(hashOf, row, "seal"),
    hash: hashOf(row, "hash"),
    emptied: columnOrNull(integerOf, row, "emptied") ?? 0,
  };
}

function runOf(row: Row, effects: StatementSync): AuditedRun {
  const number = integerOf(row, "number");
  const position = columnOrNull(integerOf, row, "last_position");
  return {
    number,
    run: textColumn(row, "run"),
    name: textColumn(row, "name"),
    workflow: textColumn(row, "workflow"),
    brief: textColumn(row, "brief"),
    status: textColumn(row, "status"),
    finished: integerOf(row, "finished") === 1,
    createdAt: integerOf(row, "created_at"),
    updatedAt: integerOf(row, "updated_at"),
    sequence: integerOf(row, "sequence"),
    emptied: integerOf(row, "emptied"),
    wakeAt: columnOrNull(integerOf, row, "wake_at"),
    dueAt: columnOrNull(integerOf, row, "due_at"),
    summary: textColumn(row, "summary"),
    mark: columnOrNull(hashOf, row, "mark"),
    head: columnOrNull(hashOf, row, "head"),
    effects: effects.all(number).map(auditedEffectOf),
    hasLetters: integerOf(row, "has_letters") === 1,
    last:
      position === null
        ? null
        : { position, sequence: integerOf(row, "last_sequence"), seal: columnOrNull(hashOf, row, "last_seal") },
  };
}

function letterOf(row: Row): AuditedMessage {
  return {
    number: integerOf(row, "number"),
    run: columnOrNull(textColumn, row, "run"),
    id: textColumn(row, "id"),
    input: columnOrNull(textColumn, row, "input"),
    mark: columnOrNull(hashOf, row, "mark"),
  };
}

function keptTextOf(row: Row): AuditedText {
  const body = bytesOf(row, "body");
  return {
    number: integerOf(row, "number"),
    hash: hashOf(row, "hash"),
    text: unpackText(body),
    isEmptied: body.length === 0,
  };
}

function workflowOf(row: Row): AuditedWorkflow {
  return { number: integerOf(row, "number"), hash: textColumn(row, "hash"), definition: textColumn(row, "definition") };
}

const MOST = 20;

/** Problems that SQLite reports, differences of the schema, and rows that no other check reads. */
function findDamages(database: DatabaseSync): string[] {
  return [...brokenPages(database), ...addedBytes(database), ...changedSchema(database), ...strayRows(database)];
}

/**
 * SQLite reads nothing behind the last page, and no check of its own looks there. After `prune` the file may still be as
 * long as its own header says.
 */
function addedBytes(database: DatabaseSync): string[] {
  const path = database.location();
  if (path === null) return [];
  const [pages = 0, size = 0] = ["PRAGMA page_count", "PRAGMA page_size"].map((pragma) =>
    Number(textsOf(database, pragma)[0]),
  );
  const added = statSync(path).size - Math.max(pages, pagesInHeader(path)) * size;
  return added > 0 ? [`${added} bytes stand behind the end of the database`] : [];
}

const HEADER_LENGTH = 100;
const PAGES_AT = 28;

function pagesInHeader(path: string): number {
  const header = Buffer.alloc(HEADER_LENGTH);
  const file = openSync(path, "r");
  try {
    readSync(file, header);
  } finally {
    closeSync(file);
  }
  return header.readUInt32BE(PAGES_AT);
}

function brokenPages(database: DatabaseSync): string[] {
  return textsOf(database, `PRAGMA integrity_check(${MOST})`).filter((line) => line !== "ok");
}

/** A trigger, a view or a missing index can change later reads and writes without changing a row now. */
function changedSchema(database: DatabaseSync): string[] {
  const held = database.prepare("SELECT held FROM ledger").get()?.["held"];
  const ours = typeof held === "string" ? schemaOfNewLog(readHold(held)) : (expected ??= schemaOfNewLog(null));
  const found = schemaOf(database);
  const differ = (one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): string[] =>
    [...one].filter(([name, sql]) => other.get(name) !== sql).map(([name]) => name);
  const names = new Set([...differ(found, ours), ...differ(ours, found)]);
  return [...names].slice(0, MOST).map((name) => `the schema is not ours: ${name}`);
}

let expected: ReadonlyMap<string, string> | null = null;

/** A log that is held has triggers that refuse every write. */
function schemaOfNewLog(hold: LogHold | null): ReadonlyMap<string, string> {
  const database = openDatabase(":memory:", {});
  try {
    migrate(database, LOG_SCHEMA);
    if (hold !== null) holdLog(database, hold);
    return schemaOf(database);
  } finally {
    database.close();
  }
}

function schemaOf(database: DatabaseSync): ReadonlyMap<string, string> {
  const rows = database.prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema").all();
  return new Map(rows.map((row) => [`${String(row["type"])} ${String(row["name"])}`, JSON.stringify(row)]));
}

/** As many numbers are missing as a store for many hosts has skipped. */
const MISSING = (
  [
    ["letters", "number"],
    ["texts", "number"],
    ["workflows", "rowid"],
  ] as const
)
  .map(
    ([table, key]) =>
      `what = '${table}' AND missing = through - (SELECT count(*) FROM ${table} WHERE ${key} <= through)`,
  )
  .join(" OR ");

/** Rows that reading from number 1 on, or by run, would miss; and newer rows without a checksum. */
const STRAYS: Readonly<Record<string, string>> = {
  "SELECT count(*) FROM entries WHERE position < 1": "entries stand before the first position",
  "SELECT count(*) FROM register WHERE number < 1": "entries of the register stand before the first number",
  "SELECT count(*) FROM checkpoints WHERE number < 1": "checkpoints stand before the first number",
  "SELECT count(*) FROM runs WHERE number < 1": "runs stand before the first number",
  "SELECT count(*) FROM letters WHERE number < 1": "letters stand before the first number",
  "SELECT count(*) FROM texts WHERE number < 1": "texts stand before the first number",
  "SELECT count(*) FROM workflows WHERE rowid < 1": "workflows stand before the first number",
  "SELECT count(*) FROM effects WHERE run NOT IN (SELECT number FROM runs)": "effects belong to no run",
  "SELECT count(*) FROM runs, ledger WHERE (number <= unmarked_runs) <> (mark IS NULL)": "runs have lost their marks",
  "SELECT count(*) FROM letters, ledger WHERE (number <= unmarked_letters) <> (mark IS NULL)":
    "letters have lost their marks",
  "SELECT count(*) FROM ledger WHERE one <> 1 OR pruned_texts < 0 OR unmarked_runs < 0 OR unmarked_letters < 0":
    "the ledger was changed",
  [`SELECT count(*) FROM gaps WHERE NOT (${MISSING}) OR what NOT IN ('letters', 'texts', 'workflows')`]:
    "rows are missing among those whose numbers have gaps",
};

function strayRows(database: DatabaseSync): string[] {
  return Object.entries(STRAYS).flatMap(([sql, what]) => {
    const [count] = Object.values(database.prepare(sql).get() ?? {});
    return count === 0 ? [] : [`${what} (${String(count)})`];
  });
}

function textsOf(database: DatabaseSync, sql: string): string[] {
  return database
    .prepare(sql)
    .all()
    .map((row) => String(Object.values(row)[0]));
}
