import type { DatabaseSync } from "node:sqlite";
import { StoreError } from "../../ports/event-log.ts";

/**
 * Number n of the list takes a database from version n - 1 to n. Released ones are never edited.
 *
 * - Runs have a small number, because a million entries and their index hold it.
 * - `due_at` is 0 while a run has letters or effects, else its `wake_at`: one index finds whatever is to be done.
 * - `emptied` is the last sequence number whose data were pruned.
 * - Effects are kept by their names alone, and texts one after the other: each page that a commit writes costs.
 * - A letter that was taken keeps its id and loses its input: the id still stops a second posting.
 */
const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE runs (
    number INTEGER PRIMARY KEY,
    run TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    workflow TEXT NOT NULL,
    status TEXT NOT NULL,
    finished INTEGER NOT NULL DEFAULT 0 CHECK (finished IN (0, 1)),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    sequence INTEGER NOT NULL DEFAULT 0,
    emptied INTEGER NOT NULL DEFAULT 0,
    wake_at INTEGER,
    due_at INTEGER,
    fence INTEGER NOT NULL,
    worker TEXT,
    leased_until INTEGER,
    summary TEXT NOT NULL
  ) STRICT;
  CREATE INDEX runs_due ON runs (due_at) WHERE finished = 0 AND due_at IS NOT NULL;
  CREATE INDEX runs_unfinished ON runs (finished) WHERE finished = 0;
  CREATE INDEX runs_by_status ON runs (status);
  CREATE INDEX runs_to_prune ON runs (updated_at) WHERE finished = 1 AND emptied < sequence;

  CREATE TABLE entries (
    position INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs (number),
    sequence INTEGER NOT NULL,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    data TEXT,
    data_hash BLOB NOT NULL,
    hash BLOB NOT NULL,
    UNIQUE (run, sequence)
  ) STRICT;

  CREATE TABLE effects (
    run INTEGER NOT NULL REFERENCES runs (number),
    key TEXT NOT NULL,
    number INTEGER NOT NULL,
    kind TEXT NOT NULL,
    data TEXT NOT NULL,
    PRIMARY KEY (run, key)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE letters (
    number INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs (number),
    id TEXT NOT NULL,
    input TEXT,
    UNIQUE (run, id)
  ) STRICT;
  CREATE INDEX letters_waiting ON letters (run) WHERE input IS NOT NULL;

  CREATE TABLE texts (number INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE, body BLOB NOT NULL) STRICT;
  CREATE TABLE workflows (hash TEXT PRIMARY KEY, definition TEXT NOT NULL) STRICT;
  `,
];

/** `Batn`: tells our files from those of other programs. */
const APPLICATION_ID = 0x4261746e;

/** Several processes may open a new database at once: whoever gets the lock first migrates, the others see it done. */
export function migrate(database: DatabaseSync): void {
  if (versionOf(database) === MIGRATIONS.length) return;
  database.exec("BEGIN IMMEDIATE");
  try {
    migrateFrom(database, versionOf(database));
    database.exec("COMMIT");
  } finally {
    if (database.isTransaction) database.exec("ROLLBACK");
  }
}

function migrateFrom(database: DatabaseSync, version: number): void {
  if (version > MIGRATIONS.length) throw newerDatabase(version);
  if (version === 0 && hasTables(database)) {
    throw new StoreError("unavailable", "this is a database of another program, not a log of Baton");
  }
  for (const migration of MIGRATIONS.slice(version)) database.exec(migration);
  database.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
  database.exec(`PRAGMA user_version = ${MIGRATIONS.length}`);
}

function newerDatabase(version: number): StoreError {
  return new StoreError(
    "unavailable",
    `the database has version ${version}, and this Baton knows versions up to ${MIGRATIONS.length}: use a newer Baton`,
  );
}

function versionOf(database: DatabaseSync): number {
  return Number(database.prepare("PRAGMA user_version").get()?.["user_version"]);
}

function hasTables(database: DatabaseSync): boolean {
  return database.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() !== undefined;
}
