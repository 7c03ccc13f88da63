import type { DatabaseSync, SQLInputValue, SQLOutputValue } from "node:sqlite";
import { hashOfPrunedText } from "../../src/audit/hash-chain.ts";
import type { Random } from "../simulation/random.ts";
import { LEASE_COLUMNS, RECORD } from "./logical-dump.ts";

/** Changes something through SQL; what it was, in words. Throws where a constraint stands in the way. */
export type Tamper = (database: DatabaseSync, random: Random) => string;

export const ALL_TABLES = [...RECORD, "effects"] as const;

/** One value of one row, as if a bit had fallen over or somebody had typed something else. */
export const changeValue: Tamper = (database, random) => {
  const table = random.pick(ALL_TABLES);
  const { where, row } = anyRow(database, table, random);
  const column = random.pick(Object.keys(row).filter((name) => name !== "row id" && !LEASE_COLUMNS.includes(name)));
  const changed = changedValue(row[column] ?? null, random);
  database.prepare(`UPDATE ${table} SET ${column} = ? WHERE ${where}`).run(changed);
  return `${column} of ${table}, ${where}`;
};

export const deleteRow: Tamper = (database, random) => {
  const table = random.pick(ALL_TABLES.filter((name) => name !== "ledger" || random.chance(0.2)));
  const rows = countOf(database, table);
  const { where } = rowAt(database, table, random.pick([0, random.below(rows), rows - 1]));
  database.exec(`DELETE FROM ${table} WHERE ${where}`);
  return `${table} without ${where}`;
};

/** The end cut off, with and without covering it in the rows of the runs. */
export const truncate: Tamper = (database, random) => {
  const last = countOf(database, "entries");
  const from = 1 + random.below(last);
  database.exec(`DELETE FROM entries WHERE position >= ${from}`);
  const covers = random.chance(0.5);
  if (covers)
    database.exec(
      "UPDATE runs SET sequence = (SELECT coalesce(max(sequence), 0) FROM entries WHERE run = runs.number)",
    );
  return `entries from ${from} on cut off${covers ? ", and the runs told so" : ""}`;
};

export const deleteRun: Tamper = (database, random) => {
  const { row } = anyRow(database, "runs", random);
  const number = Number(row["number"]);
  for (const table of ["entries", "letters", "effects"]) database.exec(`DELETE FROM ${table} WHERE run = ${number}`);
  database.exec(`DELETE FROM runs WHERE number = ${number}`);
  return `run ${number} taken out`;
};

/** Two rows change places, or one of their columns does. */
export const swapRows: Tamper = (database, random) => {
  const [table, key] = random.pick([
    ["entries", "position"],
    ["checkpoints", "number"],
    ["register", "number"],
    ["letters", "number"],
    ["texts", "number"],
    ["runs", "number"],
  ] as const);
  const rows = countOf(database, table);
  const one = 1 + random.below(rows);
  const other = 1 + ((one + random.below(rows - 1)) % rows);
  for (const [from, to] of [
    [one, -1],
    [other, one],
    [-1, other],
  ] as const)
    database.exec(`UPDATE ${table} SET ${key} = ${to} WHERE ${key} = ${from}`);
  return `${table} ${one} and ${other} exchanged`;
};

export const swapColumn: Tamper = (database, random) => {
  const [table, column] = random.pick([
    ["entries", "data"],
    ["entries", "data_hash"],
    ["entries", "hash"],
    ["entries", "seal"],
    ["entries", "at"],
    ["entries", "kind"],
    ["checkpoints", "signature"],
    ["checkpoints", "body"],
    ["register", "body"],
    ["register", "hash"],
    ["runs", "head"],
    ["texts", "body"],
    ["workflows", "definition"],
    ["runs", "status"],
    ["runs", "summary"],
    ["runs", "name"],
    ["letters", "input"],
  ] as const);
  const [one, other] = [anyRow(database, table, random), anyRow(database, table, random)];
  const [first, second] = [one.row[column] ?? null, other.row[column] ?? null];
  if (JSON.stringify(first) === JSON.stringify(second)) throw new Error("these are the same");
  const set = (where: string, value: SQLInputValue): unknown =>
    database.prepare(`UPDATE ${table} SET ${column} = ? WHERE ${where}`).run(value);
  set(one.where, second);
  set(other.where, first);
  return `${column} of ${table} exchanged: ${one.where}, ${other.where}`;
};

/** A row once more, under the next number. */
export const insertCopy: Tamper = (database, random) => {
  const [sql, what] = random.pick(COPIES);
  const { changes } = database.prepare(sql).run();
  if (changes === 0) throw new Error("nothing to copy");
  return what;
};

const COPIES = [
  [
    `INSERT INTO entries SELECT (SELECT max(position) + 1 FROM entries), run,
      (SELECT max(sequence) + 1 FROM entries WHERE run = e.run), at, kind, data, data_hash, hash, seal
      FROM entries e ORDER BY random() LIMIT 1`,
    "an entry once more at the end",
  ],
  [
    `INSERT INTO entries SELECT (SELECT max(position) + 1 FROM entries), run, sequence + 900, at, kind, data, data_hash,
      hash, NULL FROM entries ORDER BY random() LIMIT 1`,
    "an entry of another sequence at the end",
  ],
  [
    "INSERT INTO checkpoints SELECT (SELECT max(number) + 1 FROM checkpoints), body, signature FROM checkpoints LIMIT 1",
    "a checkpoint once more",
  ],
  [
    `INSERT INTO checkpoints SELECT number + 1, replace(body, '"number":' || number || ',', '"number":' || (number + 1) || ','),
      signature FROM checkpoints ORDER BY number DESC LIMIT 1`,
    "the last checkpoint with the next number",
  ],
  [
    "INSERT INTO letters (run, id, input, mark) SELECT run, id || 'x', '{}', mark FROM letters ORDER BY random() LIMIT 1",
    "a letter like another",
  ],
  [
    "INSERT INTO register SELECT (SELECT max(number) + 1 FROM register), body, hash FROM register ORDER BY random() LIMIT 1",
    "an entry of the register once more",
  ],
  ["INSERT INTO texts (hash, body) SELECT zeroblob(32), body FROM texts LIMIT 1", "a text under another hash"],
  [
    "INSERT INTO workflows (hash, definition) SELECT 'x', definition FROM workflows LIMIT 1",
    "a workflow by another hash",
  ],
  [
    "INSERT INTO effects (run, key, number, kind, data) SELECT run, 'x', number + 7, kind, data FROM effects LIMIT 1",
    "an effect like another",
  ],
] as const;

/** A text taken away as if it had been pruned. */
export const fakeTextPrune: Tamper = (database, random) => {
  const [row] = database.prepare("SELECT number FROM texts WHERE length(body) > 0 ORDER BY random()").all();
  const number = Number(row?.["number"]);
  const covers = random.below(3);
  const name = covers > 0 ? Buffer.from(hashOfPrunedText(number), "hex") : null;
  database.prepare("UPDATE texts SET body = x'', hash = coalesce(?, hash) WHERE number = ?").run(name, number);
  if (covers > 1) database.exec("UPDATE ledger SET pruned_texts = pruned_texts + 1");
  return `text ${number} emptied, tracks covered ${covers} times`;
};

/** Contents taken away as if they had been pruned. */
export const fakePrune: Tamper = (database, random) => {
  const [row] = database.prepare("SELECT number FROM runs WHERE emptied = 0 AND sequence > 0 ORDER BY random()").all();
  const number = Number(row?.["number"]);
  const { changes } = database.prepare("UPDATE entries SET data = NULL WHERE run = ?").run(number);
  const covers = random.below(3);
  if (covers > 0) database.exec(`UPDATE runs SET emptied = sequence WHERE number = ${number}`);
  if (covers > 1) database.exec(`UPDATE ledger SET pruned = pruned + ${Number(changes)}`);
  return `run ${number} emptied, tracks covered ${covers} times`;
};

/** Nothing that a row says, but what decides what will be read or written. */
/** A pruned run has its data back, and another one was emptied in its place: counts stay as they were. */
export const exchangePruned: Tamper = (database, random) => {
  const [pruned] = database.prepare("SELECT number, sequence FROM runs WHERE emptied > 0 ORDER BY random()").all();
  const [other] = database
    .prepare("SELECT number FROM runs WHERE emptied = 0 AND sequence = ? ORDER BY random()")
    .all(pruned?.["sequence"] ?? 0);
  const [from, to] = [Number(pruned?.["number"]), Number(other?.["number"])];
  const data = `{"back":${random.below(99)}}`;
  database.prepare("UPDATE entries SET data = ? WHERE run = ?").run(data, from);
  database.exec(`UPDATE entries SET data = NULL WHERE run = ${to}`);
  database.exec(`UPDATE runs SET emptied = 0 WHERE number = ${from}`);
  database.exec(`UPDATE runs SET emptied = sequence WHERE number = ${to}`);
  return `run ${to} emptied in the place of ${from}`;
};

export const changeSchema: Tamper = (database, random) => {
  const sql = random.pick([
    "DROP INDEX runs_due",
    "CREATE INDEX other ON entries (kind)",
    "CREATE TABLE notes (text TEXT)",
    "CREATE VIEW sight AS SELECT * FROM entries",
    "CREATE TRIGGER quiet AFTER INSERT ON letters BEGIN DELETE FROM letters WHERE number = new.number; END",
    "CREATE TRIGGER rewrite AFTER UPDATE ON runs BEGIN UPDATE runs SET status = 'completed'; END",
    "ALTER TABLE entries ADD COLUMN more TEXT",
    "ALTER TABLE ledger RENAME COLUMN log TO name",
    "DROP TABLE checkpoints",
    "PRAGMA user_version = 1",
    "PRAGMA user_version = 99",
    "PRAGMA application_id = 7",
  ]);
  database.exec(sql);
  return sql;
};

interface FoundRow {
  readonly where: string;
  readonly row: Record<string, SQLOutputValue>;
}

function countOf(database: DatabaseSync, table: string): number {
  return Number(database.prepare(`SELECT count(*) AS rows FROM ${table}`).get()?.["rows"]);
}

function anyRow(database: DatabaseSync, table: string, random: Random): FoundRow {
  return rowAt(database, table, random.below(countOf(database, table)));
}

function rowAt(database: DatabaseSync, table: string, index: number): FoundRow {
  const hasRowId = table !== "effects";
  const row = database
    .prepare(`SELECT ${hasRowId ? 'rowid AS "row id", ' : ""}* FROM ${table} LIMIT 1 OFFSET ?`)
    .get(index);
  if (row === undefined) throw new Error(`${table} is empty`);
  const where = hasRowId
    ? `rowid = ${String(row["row id"])}`
    : `run = ${String(row["run"])} AND key = '${String(row["key"])}'`;
  return { where, row };
}

function changedValue(value: SQLOutputValue, random: Random): SQLInputValue {
  if (value === null) return random.pick<SQLInputValue>(["{}", 1, Buffer.alloc(32)]);
  if (random.chance(0.03)) return null;
  if (typeof value === "number")
    return random.chance(0.5) ? value + random.pick([-1, 1]) : value ^ (1 << random.below(20));
  if (value instanceof Uint8Array) return flipBit(value, random);
  const text = String(value);
  if (text === "" || random.chance(0.1)) return `${text}${random.pick([" ", "0", "x"])}`;
  const index = random.below(text.length);
  const other = String.fromCharCode(32 + ((text.charCodeAt(index) - 31 + random.below(94)) % 95));
  return text.slice(0, index) + other + text.slice(index + 1);
}

function flipBit(bytes: Uint8Array, random: Random): Buffer {
  const changed = Buffer.from(bytes);
  const index = random.below(changed.length);
  changed[index] = (changed[index] ?? 0) ^ (1 << random.below(8));
  return changed;
}
