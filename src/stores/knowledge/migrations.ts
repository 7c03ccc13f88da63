import { createHash } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import type { DatabaseSchema } from "../sqlite/connection.ts";
import { sealAll } from "./seal-changes.ts";
import { KNOWLEDGE_SQL, SEALED_ROWS } from "./statements.ts";
import { bytesOf, columnOrNull, integerOf, type Row, textColumn } from "../sqlite/rows.ts";
import { kindOf, storedFactOf } from "./stored-fact.ts";
import { searchTokensOf, splitTokens, statementKeyOf } from "./fact-text.ts";

/**
 * - Facts are numbered in the order in which they were learned; every "newest first" goes by that number.
 * - `statement` is the hash of kind and core of the text: with `is_negative` a fact is known again by it. One that was
 *   merged away keeps its own, so that saying it again leads to the fact that it went on as.
 * - `tokens` is what the fact is found by, as it stands in `fact_index`; `tokens` the table counts facts for each.
 * - `helped_steps` are those whose facts were counted as having helped: each step counts once.
 * - `said` is what a witness said while nobody has proven it; null when it has become part of the fact.
 * - `is_repeat` marks a witness that had been given the fact: it is linked to its task, and counts as no source.
 *   `witnesses` of a fact counts all of them, `repeats` these.
 * - The index keeps nothing but which fact has which token (`detail=none`): ranking is ours, and a search that
 *   reads only the newest facts of each list takes the same time however long the lists get. Tokens are made by us;
 *   the tokenizer only splits them at blanks.
 */
const MIGRATIONS: DatabaseSchema["migrations"] = [
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
  computeStatementsAgain,
  `
  ALTER TABLE witnesses ADD COLUMN is_repeat INTEGER NOT NULL DEFAULT 0 CHECK (is_repeat IN (0, 1));
  ALTER TABLE facts ADD COLUMN repeats INTEGER NOT NULL DEFAULT 0;
  `,
  indexWordForms,
  // Every row that is changed is noted, and sealed in the same transaction (`seal-changes.ts`). With a trigger, SQLite
  // looks for references to each new fact, which needs the indexes.
  (database) => {
    database.exec(`
      CREATE TABLE seals (number INTEGER PRIMARY KEY, body TEXT NOT NULL, signature TEXT) STRICT;
      CREATE TABLE touched (key TEXT PRIMARY KEY, before TEXT) STRICT, WITHOUT ROWID;
      DROP TRIGGER history_is_not_deleted;
      CREATE INDEX history_by_other ON history (other) WHERE other IS NOT NULL;
      CREATE INDEX opposites_by_other ON opposites (other);
      CREATE INDEX fact_files_by_fact ON fact_files (fact);
    `);
    for (const table of Object.keys(SEALED_ROWS)) database.exec(noteChanges(table));
    sealAll(
      {
        untouchAll: database.prepare(KNOWLEDGE_SQL.untouchAll),
        sealedRows: database.prepare(KNOWLEDGE_SQL.sealedRows),
        lastSeal: database.prepare(KNOWLEDGE_SQL.lastSeal),
        insertSeal: database.prepare(KNOWLEDGE_SQL.insertSeal),
      },
      { why: "it was made by an older version" },
    );
  },
];

/** The triggers note changes of other programs as well: what they have changed is never sealed. */
function noteChanges(table: string): string {
  const { key, row } = SEALED_ROWS[table] ?? { key: () => "", row: () => "" };
  const note = (text: string, before: string): string =>
    `INSERT INTO touched SELECT ${text}, ${before} WHERE NOT EXISTS (SELECT 1 FROM touched WHERE key = ${text});`;
  return `
    CREATE TRIGGER ${table}_inserted AFTER INSERT ON ${table} BEGIN ${note(key("new"), "NULL")} END;
    CREATE TRIGGER ${table}_updated AFTER UPDATE ON ${table}
      BEGIN ${note(key("old"), row("old"))} ${note(key("new"), "NULL")} END;
    CREATE TRIGGER ${table}_deleted AFTER DELETE ON ${table} BEGIN ${note(key("old"), row("old"))} END;
  `;
}

/** Version 5: facts are found by the stems of their words. */
function indexWordForms(database: DatabaseSync): void {
  database.exec("INSERT INTO fact_index (fact_index) VALUES ('delete-all'); DELETE FROM tokens;");
  const update = database.prepare("UPDATE facts SET tokens = ? WHERE number = ?");
  const index = database.prepare("INSERT INTO fact_index (rowid, tokens) VALUES (?, ?)");
  const insert = database.prepare("INSERT INTO tokens (token, facts) VALUES (?, ?)");
  const counts = new Map<string, number>();
  for (const row of database.prepare("SELECT * FROM facts ORDER BY number").all()) {
    const tokens = tokensNow(row);
    const number = integerOf(row, "number");
    update.run(tokens, number);
    index.run(number, tokens);
    for (const token of new Set(splitTokens(tokens))) counts.set(token, (counts.get(token) ?? 0) + 1);
  }
  for (const [token, count] of counts) insert.run(token, count);
}

/** A damaged fact is refused when it is read, not when the file is opened. */
function tokensNow(row: Row): string {
  try {
    const { kind, status, factText } = storedFactOf(row);
    return searchTokensOf(kind, status, factText);
  } catch {
    return textColumn(row, "tokens");
  }
}

/**
 * Version 3: statements that earlier versions took for one are told apart (`over` and `under`, `may` and `must`), and
 * states for opposites (`enabled` and `disabled`). Facts that were merged stay merged. Of two facts that are one
 * statement now, the newer one keeps a statement of its own.
 */
function computeStatementsAgain(database: DatabaseSync): void {
  database.exec("DROP INDEX facts_by_statement; DELETE FROM opposites;");
  const update = database.prepare("UPDATE facts SET statement = ?, is_negative = ? WHERE number = ?");
  const oppose = database.prepare("INSERT INTO opposites (fact, other) VALUES (?, ?) ON CONFLICT DO NOTHING");
  const known = new Map<string, number>();
  const rows = database.prepare(`
    SELECT number, kind, statement, merged_into, json_extract(body, '$.text') AS text FROM facts
    WHERE json_valid(body) AND json_type(body, '$.text') = 'text' ORDER BY number`);
  for (const row of rows.all()) {
    const number = integerOf(row, "number");
    const into = columnOrNull(integerOf, row, "merged_into");
    const fact = into ?? number;
    const { hash, isNegative } = statementKeyOf(kindOf(row), textColumn(row, "text"));
    const key = (negative: boolean): string => `${hash.toString("hex")} ${negative}`;
    const isTaken = into === null && known.has(key(isNegative));
    update.run(isTaken ? ownStatement(row) : hash, isNegative ? 1 : 0, number);
    if (!isTaken) known.set(key(isNegative), fact);
    const opposite = known.get(key(!isNegative));
    if (opposite === undefined || opposite === fact) continue;
    oppose.run(fact, opposite);
    oppose.run(opposite, fact);
  }
  database.exec("CREATE UNIQUE INDEX facts_by_statement ON facts (statement, is_negative) WHERE merged_into IS NULL");
}

function ownStatement(row: Row): Buffer {
  return createHash("sha256")
    .update(bytesOf(row, "statement"))
    .update(` ${integerOf(row, "number")}`)
    .digest();
}

/** The id spells `BatK`. */
export const KNOWLEDGE_SCHEMA: DatabaseSchema = {
  migrations: MIGRATIONS,
  applicationId: 0x4261744b,
  what: "knowledge of Baton",
};
