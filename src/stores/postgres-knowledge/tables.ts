import { hash } from "node:crypto";
import type { PostgresTables } from "../postgres/migrate.ts";

/** Before the name of every table, so that the parts of Baton can share a schema. */
export function prefixOf(schema: string): string {
  return `${schema}.knowledge_`;
}

/**
 * - Numbers are given under the lock of the only row of `ledger`, which every writer takes first: they grow in the order
 *   of commits and are never used again.
 * - Texts of handoffs may be longer than an index of Postgres can hold, so they are looked up by `keyOf`. Tokens are cut
 *   to MAX_TOKEN.
 * - `tokens` of a fact is what it is found by; `tokens` the table counts facts for each.
 * - `@` stands for the schema and the prefix of every table.
 * - The other columns are those of the file of one machine (`src/stores/knowledge/migrations.ts`).
 */
const FIRST = `
  CREATE TABLE @ledger (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    facts bigint NOT NULL DEFAULT 0,
    lessons bigint NOT NULL DEFAULT 0,
    records bigint NOT NULL DEFAULT 0,
    seals bigint NOT NULL DEFAULT 0,
    digest text
  );
  INSERT INTO @ledger DEFAULT VALUES;
  CREATE TABLE @numbering (kind text PRIMARY KEY, last bigint NOT NULL);

  CREATE TABLE @facts (
    number bigint PRIMARY KEY,
    id text COLLATE "C" NOT NULL UNIQUE,
    kind text NOT NULL,
    status text NOT NULL CHECK (status IN ('trusted', 'quarantined', 'retired')),
    statement bytea NOT NULL,
    is_negative smallint NOT NULL CHECK (is_negative IN (0, 1)),
    merged_into bigint REFERENCES @facts (number) DEFERRABLE,
    is_edited smallint NOT NULL CHECK (is_edited IN (0, 1)),
    learned_at bigint NOT NULL,
    witnesses bigint NOT NULL,
    repeats bigint NOT NULL,
    helped bigint NOT NULL,
    tokens text NOT NULL,
    body text NOT NULL
  );
  CREATE UNIQUE INDEX ON @facts (statement, is_negative) WHERE merged_into IS NULL;
  CREATE INDEX ON @facts (statement) WHERE merged_into IS NOT NULL;
  CREATE INDEX ON @facts (merged_into, number) WHERE merged_into IS NOT NULL;
  CREATE INDEX ON @facts (kind, status);
  CREATE INDEX ON @facts USING gin (string_to_array(tokens, ' ')) WITH (fastupdate = off);

  CREATE TABLE @lessons (
    number bigint PRIMARY KEY,
    run text NOT NULL,
    task text NOT NULL,
    step text NOT NULL,
    agent text NOT NULL,
    handoff text NOT NULL,
    at bigint NOT NULL,
    key bytea NOT NULL UNIQUE,
    run_key bytea NOT NULL,
    step_key bytea NOT NULL,
    task_key bytea NOT NULL,
    task_name_key bytea NOT NULL,
    agent_key bytea NOT NULL
  );
  CREATE INDEX ON @lessons (run_key, number);
  CREATE INDEX ON @lessons (step_key);
  CREATE INDEX ON @lessons (task_key, number);
  CREATE INDEX ON @lessons (task_name_key, number);
  CREATE INDEX ON @lessons (agent_key, number);

  CREATE TABLE @witnesses (
    fact bigint NOT NULL REFERENCES @facts (number) DEFERRABLE,
    ordinal bigint NOT NULL,
    lesson bigint NOT NULL REFERENCES @lessons (number) DEFERRABLE,
    place text NOT NULL,
    said text,
    is_repeat smallint NOT NULL CHECK (is_repeat IN (0, 1)),
    PRIMARY KEY (fact, ordinal)
  );
  CREATE INDEX ON @witnesses (lesson);

  CREATE TABLE @opposites (
    fact bigint NOT NULL REFERENCES @facts (number) DEFERRABLE,
    other bigint NOT NULL REFERENCES @facts (number) DEFERRABLE,
    PRIMARY KEY (fact, other)
  );
  CREATE INDEX ON @opposites (other);

  CREATE TABLE @fact_files (
    path_key bytea NOT NULL,
    fact bigint NOT NULL REFERENCES @facts (number) DEFERRABLE,
    PRIMARY KEY (path_key, fact)
  );
  CREATE INDEX ON @fact_files (fact);

  CREATE TABLE @tasks (
    key bytea PRIMARY KEY,
    run_key bytea NOT NULL,
    run text NOT NULL,
    id text NOT NULL,
    name text NOT NULL,
    status text NOT NULL,
    at bigint NOT NULL
  );
  CREATE INDEX ON @tasks (at);
  CREATE INDEX ON @tasks (run_key, at);
  CREATE TABLE @dependencies (
    task_key bytea NOT NULL,
    ordinal bigint NOT NULL,
    run text NOT NULL,
    task text NOT NULL,
    needs text NOT NULL,
    needs_key bytea NOT NULL,
    PRIMARY KEY (task_key, ordinal)
  );
  CREATE INDEX ON @dependencies (needs_key);

  CREATE TABLE @touches (
    lesson bigint NOT NULL REFERENCES @lessons (number) DEFERRABLE,
    ordinal bigint NOT NULL,
    path text NOT NULL,
    change text NOT NULL,
    lines text,
    purpose text,
    path_key bytea NOT NULL,
    PRIMARY KEY (lesson, ordinal)
  );
  CREATE INDEX ON @touches (path_key, lesson);

  CREATE TABLE @history (
    number bigint PRIMARY KEY,
    fact bigint NOT NULL REFERENCES @facts (number) DEFERRABLE,
    at bigint NOT NULL,
    by text NOT NULL,
    what text NOT NULL,
    why text,
    other bigint REFERENCES @facts (number) DEFERRABLE,
    before text
  );
  CREATE INDEX ON @history (fact, number);
  CREATE INDEX ON @history (other) WHERE other IS NOT NULL;
  CREATE FUNCTION @history_only_grows() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'the history of facts is only ever appended to'; END $$;
  CREATE TRIGGER history_is_not_edited BEFORE UPDATE ON @history
    FOR EACH ROW EXECUTE FUNCTION @history_only_grows();

  CREATE TABLE @helped_steps (key bytea PRIMARY KEY, run text NOT NULL, step text NOT NULL);
  CREATE TABLE @tokens (token text COLLATE "C" PRIMARY KEY, facts bigint NOT NULL);
  CREATE TABLE @seals (number bigint PRIMARY KEY, body text NOT NULL, signature text);
`;

export const KNOWLEDGE_TABLES: PostgresTables = { part: "knowledge", migrations: [inSchema(FIRST)], oldest: 1 };

function inSchema(sql: string): (schema: string) => string {
  return (schema) => sql.replaceAll("@", prefixOf(schema));
}

/** Stands for these texts, of any length, where rows are looked up by them. */
export function keyOf(...texts: readonly string[]): Buffer {
  const list = JSON.stringify(texts.map(storedForm));
  return hash("sha256", list, "buffer").subarray(0, KEY_BYTES);
}

const KEY_BYTES = 16;

/** An index of Postgres holds no longer ones. A word is longer only in a text without blanks. */
const MAX_TOKEN = 200;

export function cutToken(token: string): string {
  return token.length > MAX_TOKEN ? Array.from(token).slice(0, MAX_TOKEN).join("") : token;
}

export function cutTokens(tokens: string): string {
  return tokens.split(" ").map(cutToken).join(" ");
}

/** The text as the database gives it back: UTF-8 has no half of a character. */
export function storedForm(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, "\ufffd");
}
