import { DatabaseSync } from "node:sqlite";
import { LOG_SCHEMA } from "./migrations.ts";
import { migrate } from "./migrate.ts";

const MOST = 20;

/** What SQLite finds broken, what its schema has that ours has not, and rows that nothing else would look at. */
export function findDamages(database: DatabaseSync): string[] {
  return [...brokenPages(database), ...changedSchema(database), ...strayRows(database)];
}

function brokenPages(database: DatabaseSync): string[] {
  return textsOf(database, `PRAGMA integrity_check(${MOST})`).filter((line) => line !== "ok");
}

/** A trigger, a view or a lost index changes what is read or written later without touching a row now. */
function changedSchema(database: DatabaseSync): string[] {
  const ours = (expected ??= schemaOfNewLog());
  const found = schemaOf(database);
  const differ = (one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): string[] =>
    [...one].filter(([name, sql]) => other.get(name) !== sql).map(([name]) => name);
  const names = new Set([...differ(found, ours), ...differ(ours, found)]);
  return [...names].slice(0, MOST).map((name) => `the schema is not ours: ${name}`);
}

let expected: ReadonlyMap<string, string> | null = null;

function schemaOfNewLog(): ReadonlyMap<string, string> {
  const database = new DatabaseSync(":memory:");
  try {
    migrate(database, LOG_SCHEMA);
    return schemaOf(database);
  } finally {
    database.close();
  }
}

function schemaOf(database: DatabaseSync): ReadonlyMap<string, string> {
  const rows = database.prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema").all();
  return new Map(rows.map((row) => [`${String(row["type"])} ${String(row["name"])}`, JSON.stringify(row)]));
}

/** Pages are read from number 1 on; effects only through their run. Old rows without a mark are the first ones. */
const STRAYS: Readonly<Record<string, string>> = {
  "SELECT count(*) FROM entries WHERE position < 1": "entries stand before the first position",
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
