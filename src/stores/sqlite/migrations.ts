import type { DatabaseSync } from "node:sqlite";
import { digestOfEmptied, EMPTY_REGISTER, nextInRegister } from "../../audit/register.ts";
import type { DatabaseSchema } from "./connection.ts";
import { bytesOfHash } from "../stored-hashes.ts";
import { headOf, integerOf, textColumn } from "./rows.ts";

/**
 * - Runs have a small number, because a million entries and their index hold it.
 * - `due_at` is 0 while a run has letters or effects, else its `wake_at`: one index finds whatever is to be done.
 * - `emptied` is the last sequence number whose data were pruned.
 * - Effects are kept by their names alone, and texts one after the other: each page that a commit writes costs.
 * - A letter that was taken keeps its id and loses its input: the id still stops a second posting.
 * - Seals stand in the last entry of each commit and are part of the chain; marks are checksums (`audit/hash-chain.ts`).
 *   What is older than the second version has neither: the ledger knows how far that goes.
 * - Checkpoints are only ever added.
 * - A text that was pruned leaves its number behind, in its row and in the place of its hash (`audit/hash-chain.ts`).
 *   One that comes again gets a row of its own.
 * - `held` says why the log is not written: its state was moved, or is still being moved here (`stores/held-log.ts`).
 * - `gaps` counts the numbers that a store for many hosts has skipped: so many are `missing` among those up to `through`.
 * - `head` of a run is the hash of its last entry, or of its creation in the register; null while the run has entries in
 *   the one chain of older versions only. It then continues from the entry that closed that chain.
 */
const MIGRATIONS: DatabaseSchema["migrations"] = [
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
  `
  ALTER TABLE entries ADD COLUMN seal BLOB;
  ALTER TABLE runs ADD COLUMN mark BLOB;
  ALTER TABLE letters ADD COLUMN mark BLOB;
  CREATE TABLE ledger (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    log TEXT NOT NULL,
    pruned INTEGER NOT NULL,
    unmarked_runs INTEGER NOT NULL,
    unmarked_letters INTEGER NOT NULL
  ) STRICT;
  INSERT INTO ledger VALUES (
    1,
    lower(hex(randomblob(16))),
    (SELECT count(*) FROM entries WHERE data IS NULL),
    (SELECT count(*) FROM runs),
    (SELECT count(*) FROM letters)
  );
  CREATE TABLE checkpoints (number INTEGER PRIMARY KEY, body TEXT NOT NULL, signature TEXT) STRICT;
  `,
  // Lists of runs: found by status, workflow and time in the order in which they are shown, and by any part of a text.
  `
  ALTER TABLE runs ADD COLUMN brief TEXT NOT NULL DEFAULT '';
  UPDATE runs SET brief = coalesce(
    (SELECT substr(json_extract(data, '$.brief'), 1, 500) FROM entries
      WHERE run = runs.number AND kind = 'run-started' AND data IS NOT NULL ORDER BY sequence LIMIT 1), '');
  DROP INDEX runs_by_status;
  CREATE INDEX runs_by_status ON runs (status, created_at);
  CREATE INDEX runs_by_name ON runs (name, status, created_at);
  CREATE VIRTUAL TABLE runs_text USING fts5 (
    run, name, brief, content = 'runs', content_rowid = 'number', detail = 'full', columnsize = 0, tokenize = 'trigram'
  );
  INSERT INTO runs_text (rowid, run, name, brief) SELECT number, run, name, brief FROM runs;
  `,
  // Texts are pruned. Whoever does not know that would take an emptied one for one that is kept.
  "ALTER TABLE ledger ADD COLUMN pruned_texts INTEGER NOT NULL DEFAULT 0",
  // A chain for each run, and the register. The one chain that all runs had stays as it is, and ends.
  (database) => {
    database.exec(`
      ALTER TABLE runs ADD COLUMN head BLOB;
      CREATE TABLE register (number INTEGER PRIMARY KEY, body TEXT NOT NULL, hash BLOB NOT NULL) STRICT;
    `);
    closeChain(database);
  },
  // A log that was elsewhere has numbers with gaps, and one that is elsewhere now says so.
  `
  ALTER TABLE ledger ADD COLUMN held TEXT;
  CREATE TABLE gaps (what TEXT PRIMARY KEY, through INTEGER NOT NULL, missing INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  `,
];

function closeChain(database: DatabaseSync): void {
  const runs = integerOf(database.prepare("SELECT count(*) AS runs FROM runs").get() ?? {}, "runs");
  if (runs === 0) return;
  const last = database.prepare("SELECT position, hash FROM entries ORDER BY position DESC LIMIT 1").get();
  const rows = database.prepare("SELECT run, emptied FROM runs WHERE emptied > 0 ORDER BY number").all();
  const emptied = rows.map((row) => ({ run: textColumn(row, "run"), emptied: integerOf(row, "emptied") }));
  const entry = { kind: "closed", ...headOf(last), runs, emptied: digestOfEmptied(emptied) } as const;
  const { number, body, hash } = nextInRegister(EMPTY_REGISTER, entry);
  database.prepare("INSERT INTO register VALUES (?, ?, ?)").run(number, body, bytesOfHash(hash));
}

/** The id spells `Batn`. */
export const LOG_SCHEMA: DatabaseSchema = { migrations: MIGRATIONS, applicationId: 0x4261746e, what: "a log of Baton" };
