import { EMPTY_REGISTER } from "../../audit/register.ts";
import type { PostgresTables } from "./migrate.ts";
import { HELD_STATE } from "./postgres-error.ts";

/**
 * - Runs have a small number without gaps: they are created one after the other, in the order of the register.
 * - `due_at` is 0 while a run has inbox messages or effects, else its `wake_at`: one index finds all that has to be done.
 * - `prunable_at` is when a run that can be pruned was last changed. No index holds a column that every commit changes,
 *   so that Postgres can update the row of a run in place.
 * - Positions come from a sequence, so they may have gaps. `settled_position` is the last one below which no transaction
 *   is open: a reader who goes no further misses nothing.
 * - Texts are stored by their hash, apart from the entries that name them.
 * - A log of an older version that was moved here has runs and messages without marks, up to those that the ledger counts,
 *   and runs without a head, which continue from the entry that closed their chain (`stores/sqlite/migrations.ts`).
 * - `brief` is as `brief-text.ts` writes it. `held` says why the log is not written (`stores/held-log.ts`).
 * - An inbox message that was taken keeps its id and loses its input. A text that was pruned keeps its number.
 */
const RUNS = (schema: string): string => `
  CREATE SEQUENCE ${schema}.positions;
  CREATE SEQUENCE ${schema}.letter_numbers;

  CREATE TABLE ${schema}.runs (
    number bigint PRIMARY KEY,
    run text COLLATE "C" NOT NULL UNIQUE,
    name text COLLATE "C" NOT NULL,
    workflow text NOT NULL,
    brief text NOT NULL,
    status text COLLATE "C" NOT NULL,
    finished boolean NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    sequence bigint NOT NULL,
    emptied bigint NOT NULL DEFAULT 0,
    wake_at bigint,
    due_at bigint,
    prunable_at bigint,
    fence bigint NOT NULL,
    worker text,
    leased_until bigint,
    summary text NOT NULL,
    mark bytea,
    head bytea
  ) WITH (fillfactor = 70);
  CREATE INDEX runs_due ON ${schema}.runs (due_at) WHERE NOT finished AND due_at IS NOT NULL;
  CREATE INDEX runs_unfinished ON ${schema}.runs (number) WHERE NOT finished;
  CREATE INDEX runs_by_status ON ${schema}.runs (status, created_at, number);
  CREATE INDEX runs_by_name ON ${schema}.runs (name, status, created_at, number);
  CREATE INDEX runs_to_prune ON ${schema}.runs (prunable_at) WHERE prunable_at IS NOT NULL;
`;

const PARTS_OF_RUNS = (schema: string): string => `
  CREATE TABLE ${schema}.run_texts (
    number bigint PRIMARY KEY,
    text text NOT NULL,
    parts text[] NOT NULL
  );
  CREATE INDEX run_texts_parts ON ${schema}.run_texts USING gin (parts);

  CREATE TABLE ${schema}.entries (
    position bigint PRIMARY KEY,
    run bigint NOT NULL,
    sequence bigint NOT NULL,
    at bigint NOT NULL,
    kind text NOT NULL,
    data text,
    data_hash bytea NOT NULL,
    hash bytea NOT NULL,
    seal bytea,
    UNIQUE (run, sequence)
  );

  CREATE TABLE ${schema}.effects (
    run bigint NOT NULL,
    key text COLLATE "C" NOT NULL,
    number bigint NOT NULL,
    kind text NOT NULL,
    data text NOT NULL,
    PRIMARY KEY (run, key)
  );

  CREATE TABLE ${schema}.letters (
    number bigint PRIMARY KEY,
    run bigint NOT NULL,
    id text COLLATE "C" NOT NULL,
    input text,
    mark bytea,
    UNIQUE (run, id)
  );
  CREATE INDEX letters_waiting ON ${schema}.letters (run, number) WHERE input IS NOT NULL;

  CREATE TABLE ${schema}.texts (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    hash bytea NOT NULL UNIQUE,
    body bytea NOT NULL
  );
  CREATE TABLE ${schema}.workflows (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    hash text NOT NULL UNIQUE,
    definition text NOT NULL
  );
  CREATE TABLE ${schema}.register (number bigint PRIMARY KEY, body text NOT NULL, hash bytea NOT NULL);
  CREATE TABLE ${schema}.checkpoints (number bigint PRIMARY KEY, body text NOT NULL, signature text);
`;

const LEDGER = (schema: string): string => `
  CREATE TABLE ${schema}.ledger (
    one integer PRIMARY KEY CHECK (one = 1),
    log text NOT NULL,
    pruned bigint NOT NULL,
    pruned_texts bigint NOT NULL,
    runs bigint NOT NULL,
    register_number bigint NOT NULL,
    register_hash bytea NOT NULL,
    unmarked_runs bigint NOT NULL,
    unmarked_letters bigint NOT NULL,
    held text,
    place text,
    place_name text
  );
  INSERT INTO ${schema}.ledger
    VALUES (1, replace(gen_random_uuid()::text, '-', ''), 0, 0, 0, 0, '\\x${EMPTY_REGISTER.hash}', 0, 0, NULL);

  CREATE FUNCTION ${schema}.refuse_held() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION USING ERRCODE = '${HELD_STATE}', MESSAGE = TG_ARGV[0]; END $$;

  CREATE FUNCTION ${schema}.settled_position() RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
  DECLARE
    given bigint;
    open bigint;
  BEGIN
    SELECT CASE WHEN is_called THEN last_value ELSE 0 END INTO given FROM ${schema}.positions;
    SELECT min(((classid::bigint << 32) | objid::bigint) & ${POSITION_BITS}) INTO open FROM pg_locks
      WHERE locktype = 'advisory' AND objsubid = 1
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND ((classid::bigint << 32) | objid::bigint) >> ${POSITION_WIDTH} = ${positionLockOf(schema)};
    RETURN least(given, coalesce(open, given));
  END $$;
`;

const FIRST_VERSION = (schema: string): string => [RUNS, PARTS_OF_RUNS, LEDGER].map((part) => part(schema)).join("");

/** The lock that a transaction holds from before its first position on: a mark for the schema, then the last position. */
const POSITION_WIDTH = 48;
const POSITION_BITS = 2 ** POSITION_WIDTH - 1;

/** From 1 to 32,767; 0 would be the space of other locks. */
function positionLockOf(schema: string): number {
  let sum = 7;
  for (const letter of schema) sum = (sum * 31 + letter.charCodeAt(0)) % 32_767;
  return sum + 1 > 32_767 ? 1 : sum + 1;
}

/** A lock below the positions that the transaction is given next, and then these positions. */
export function nextPositions(schema: string): string {
  return `WITH held AS MATERIALIZED (
      SELECT pg_advisory_xact_lock_shared((${positionLockOf(schema)}::bigint << ${POSITION_WIDTH})
        | (SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM ${schema}.positions)) AS lock
    )
    SELECT nextval('${schema}.positions') AS position FROM held, generate_series(1, $1::integer)`;
}

export const LOG_TABLES: PostgresTables = { part: "log", migrations: [FIRST_VERSION], oldest: 1 };

/** Everything that the migrations of the log have made. */
export function dropLogTables(schema: string): string {
  const tables = "runs run_texts entries effects letters texts workflows register checkpoints ledger".split(" ");
  return `
    DROP TABLE ${tables.map((table) => `${schema}.${table}`).join(", ")};
    DROP SEQUENCE ${schema}.positions, ${schema}.letter_numbers;
    DROP FUNCTION ${schema}.settled_position(), ${schema}.refuse_held();
    DELETE FROM ${schema}.versions WHERE part = '${LOG_TABLES.part}';`;
}
