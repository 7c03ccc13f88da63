import type { DatabaseSchema } from "../sqlite/connection.ts";

/**
 * - Facts are numbered in the order in which they were learned; every "newest first" goes by that number.
 * - `statement` is the hash of kind and core of the text: with `is_negative` a fact is known again by it. One that was
 *   merged away keeps its own, so that saying it again leads to the fact that it went on as.
 * - `tokens` is what the fact is found by, as it stands in `fact_index`; `tokens` the table counts facts for each.
 * - `helped_steps` are those whose facts were counted as having helped: each step counts once.
 * - `said` is what a witness said while nobody has proven it; null when it has become part of the fact.
 * - The index keeps nothing but which fact has which token (`detail=none`): ranking is ours, and a search that
 *   reads only the newest facts of each list takes the same time however long the lists get. Tokens are made by us;
 *   the tokenizer only splits them at blanks.
 */
const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE facts (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('trusted', 'quarantined', 'retired')),
    statement BLOB NOT NULL,
    is_negative INTEGER NOT NULL CHECK (is_negative IN (0, 1)),
    merged_into INTEGER REFERENCES facts (number),
    is_edited INTEGER NOT NULL DEFAULT 0 CHECK (is_edited IN (0, 1)),
    learned_at INTEGER NOT NULL,
    witnesses INTEGER NOT NULL DEFAULT 0,
    helped INTEGER NOT NULL DEFAULT 0,
    tokens TEXT NOT NULL,
    body TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX facts_by_statement ON facts (statement, is_negative) WHERE merged_into IS NULL;
  CREATE INDEX facts_merged ON facts (statement, is_negative) WHERE merged_into IS NOT NULL;
  CREATE INDEX facts_merged_into ON facts (merged_into) WHERE merged_into IS NOT NULL;
  CREATE TABLE numbering (kind TEXT PRIMARY KEY, last INTEGER NOT NULL) STRICT, WITHOUT ROWID;

  CREATE TABLE lessons (
    number INTEGER PRIMARY KEY,
    run TEXT NOT NULL,
    task TEXT NOT NULL,
    step TEXT NOT NULL,
    agent TEXT NOT NULL,
    handoff TEXT NOT NULL,
    at INTEGER NOT NULL,
    UNIQUE (run, step, handoff)
  ) STRICT;
  CREATE INDEX lessons_by_task ON lessons (task, run);
  CREATE INDEX lessons_by_agent ON lessons (agent);

  CREATE TABLE witnesses (
    fact INTEGER NOT NULL REFERENCES facts (number),
    ordinal INTEGER NOT NULL,
    lesson INTEGER NOT NULL REFERENCES lessons (number),
    place TEXT NOT NULL,
    said TEXT,
    PRIMARY KEY (fact, ordinal),
    UNIQUE (lesson, place)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE opposites (
    fact INTEGER NOT NULL REFERENCES facts (number),
    other INTEGER NOT NULL REFERENCES facts (number),
    PRIMARY KEY (fact, other)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE fact_files (
    path TEXT NOT NULL,
    fact INTEGER NOT NULL REFERENCES facts (number),
    PRIMARY KEY (path, fact)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE tasks (
    run TEXT NOT NULL,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    status TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (run, id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX tasks_by_time ON tasks (at);
  CREATE TABLE dependencies (
    run TEXT NOT NULL,
    task TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    needs TEXT NOT NULL,
    PRIMARY KEY (run, task, ordinal)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX dependencies_by_need ON dependencies (run, needs);

  CREATE TABLE touches (
    lesson INTEGER NOT NULL REFERENCES lessons (number),
    ordinal INTEGER NOT NULL,
    path TEXT NOT NULL,
    change TEXT NOT NULL,
    lines TEXT,
    purpose TEXT,
    PRIMARY KEY (lesson, ordinal)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX touches_by_path ON touches (path);

  CREATE TABLE history (
    number INTEGER PRIMARY KEY,
    fact INTEGER NOT NULL REFERENCES facts (number),
    at INTEGER NOT NULL,
    by TEXT NOT NULL,
    what TEXT NOT NULL,
    why TEXT,
    other INTEGER REFERENCES facts (number),
    before TEXT
  ) STRICT;
  CREATE INDEX history_by_fact ON history (fact);
  CREATE TRIGGER history_is_not_edited BEFORE UPDATE ON history
    BEGIN SELECT RAISE (ABORT, 'the history of facts is only ever appended to'); END;
  CREATE TRIGGER history_is_not_deleted BEFORE DELETE ON history
    BEGIN SELECT RAISE (ABORT, 'the history of facts is only ever appended to'); END;

  CREATE TABLE tokens (token TEXT PRIMARY KEY, facts INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE VIRTUAL TABLE fact_index USING fts5 (
    tokens, content = '', contentless_delete = 1, detail = none, tokenize = "ascii tokenchars ':-'"
  );
  `,
  `
  CREATE TABLE helped_steps (
    run TEXT NOT NULL,
    step TEXT NOT NULL,
    PRIMARY KEY (run, step)
  ) STRICT, WITHOUT ROWID;
  `,
];

/** The id spells `BatK`. */
export const KNOWLEDGE_SCHEMA: DatabaseSchema = {
  migrations: MIGRATIONS,
  applicationId: 0x4261744b,
  what: "knowledge of Baton",
};
