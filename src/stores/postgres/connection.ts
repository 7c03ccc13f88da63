import type { Pool, PoolClient, PoolConfig, QueryResult } from "pg";
import { StoreError } from "../../ports/event-log.ts";
import { closed } from "../refusals.ts";
import { asStoreError } from "./postgres-error.ts";

/** A row from Postgres: whole numbers as numbers, `bytea` as a Buffer. */
export type PostgresRow = Record<string, unknown>;

export type Values = readonly (
  | string
  | number
  | boolean
  | Buffer
  | null
  | readonly (string | number | boolean | Buffer | null)[]
)[];

/** Runs statements, each with its values; the schema stands in the text of the statement. */
export interface Queries {
  all(sql: string, values?: Values): Promise<PostgresRow[]>;
  /** The number of rows that it changed. */
  change(sql: string, values?: Values): Promise<number>;
}

export interface LongTransaction {
  readonly queries: Queries;
  commit(): Promise<void>;
  /** Nothing is stored unless it was committed before. */
  end(): Promise<void>;
}

export interface PostgresPlace {
  /** `postgres://user@host/database`. */
  readonly url: string;
  /** Where the tables are. */
  readonly schema?: string;
  /** How many connections this store may have open. */
  readonly connections?: number;
  /** How long a statement may take, in milliseconds. */
  readonly queryTimeout?: number;
}

const DEFAULT_SCHEMA = "baton";

/** A server that does not answer is told after this time, in milliseconds. */
const CONNECT_TIMEOUT = 5_000;
const QUERY_TIMEOUT = 30_000;
/** A transaction whose process hangs holds its locks no longer than this. */
const IDLE_TIMEOUT = 5_000;
/** Of a move, which shows a sign of life far more often, but may be busy with the other store. */
const LONG_IDLE_TIMEOUT = 300_000;
/** How long the transaction of a move waits for others. */
const LOCK_TIMEOUT = 20_000;

/**
 * Connections to one database. Nothing of a session is used between two transactions (no prepared statements, no
 * settings, no locks), so that a transaction pooler may stand in between.
 */
export class PostgresConnections implements Queries {
  readonly schema: string;
  readonly #config: PoolConfig;
  #pool: Promise<Pool> | null = null;
  #isClosed = false;

  constructor({ url, schema = DEFAULT_SCHEMA, connections = 4, queryTimeout = QUERY_TIMEOUT }: PostgresPlace) {
    if (!/^[a-z_][a-z0-9_]{0,40}$/.test(schema))
      throw new StoreError("unavailable", `the schema ${JSON.stringify(schema)} is not a plain name in small letters`);
    this.schema = schema;
    this.#config = {
      connectionString: url,
      max: connections,
      connectionTimeoutMillis: Math.min(CONNECT_TIMEOUT, queryTimeout),
      query_timeout: queryTimeout,
      keepAlive: true,
      application_name: "baton",
      // A process ends although connections are idle.
      allowExitOnIdle: true,
    };
  }

  async all(sql: string, values: Values = []): Promise<PostgresRow[]> {
    return (await this.#query(sql, values)).rows as PostgresRow[];
  }

  async change(sql: string, values: Values = []): Promise<number> {
    return (await this.#query(sql, values)).rowCount ?? 0;
  }

  /** Several statements in one text, without values. */
  async execute(sql: string): Promise<void> {
    await this.#query(sql);
  }

  /**
   * Everything or nothing. An error after `COMMIT` was sent leaves unknown whether it was stored: it is a
   * `StoreUncertain`.
   */
  async transact<T>(work: (queries: Queries) => Promise<T>, begin = "BEGIN"): Promise<T> {
    const client = await this.#connect();
    let isSent = false;
    try {
      await client.query(`${begin}; SET LOCAL idle_in_transaction_session_timeout = ${IDLE_TIMEOUT}`);
      const value = await work(queriesOf(client));
      isSent = true;
      await client.query("COMMIT");
      client.release();
      return value;
    } catch (error) {
      await rollBack(client);
      const known = asStoreError(error);
      throw isSent && isCutOff(known) ? new StoreUncertain(known) : known;
    }
  }

  /** A connection for one long look at one state. The caller ends it. */
  async look(): Promise<{ readonly queries: Queries; end(): Promise<void> }> {
    const client = await this.#connect();
    try {
      await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
      return { queries: queriesOf(client), end: () => rollBack(client) };
    } catch (error) {
      client.release(true);
      throw asStoreError(error);
    }
  }

  /** A transaction that takes long, and that the caller ends. */
  async begin(): Promise<LongTransaction> {
    const client = await this.#connect();
    let isOver = false;
    const end = async (): Promise<void> => {
      if (isOver) return;
      isOver = true;
      await rollBack(client);
    };
    try {
      await client.query(`BEGIN; SET LOCAL idle_in_transaction_session_timeout = ${LONG_IDLE_TIMEOUT};
        SET LOCAL lock_timeout = ${LOCK_TIMEOUT}`);
    } catch (error) {
      await end();
      throw asStoreError(error);
    }
    const commit = async (): Promise<void> => {
      isOver = true;
      try {
        await client.query("COMMIT");
        client.release();
      } catch (error) {
        client.release(true);
        throw asStoreError(error);
      }
    };
    return { queries: queriesOf(client), commit, end };
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const pool = await this.#pool?.catch(() => null);
    await pool?.end();
  }

  async #query(sql: string, values?: Values): Promise<QueryResult> {
    const pool = await this.#opened();
    try {
      return values === undefined ? await pool.query(sql) : await pool.query(sql, values as unknown[]);
    } catch (error) {
      throw asStoreError(error);
    }
  }

  async #connect(): Promise<PoolClient> {
    const pool = await this.#opened();
    try {
      return await pool.connect();
    } catch (error) {
      throw asStoreError(error);
    }
  }

  #opened(): Promise<Pool> {
    if (this.#isClosed) return Promise.reject(closed());
    return (this.#pool ??= openPool(this.#config));
  }
}

/** Whether the transaction was stored is not known: its connection ended before the answer came. */
export class StoreUncertain extends StoreError {
  constructor(cause: StoreError) {
    super("unavailable", cause.message, { cause });
  }
}

function isCutOff(error: unknown): error is StoreError {
  return error instanceof StoreError && error.code === "unavailable";
}

/** A connection on which something failed is not used again unless the database took the end of the transaction. */
async function rollBack(client: PoolClient): Promise<void> {
  try {
    await client.query("ROLLBACK");
    client.release();
  } catch {
    client.release(true);
  }
}

function queriesOf(client: PoolClient): Queries {
  const query = async (sql: string, values: Values): Promise<QueryResult> => {
    try {
      return await client.query(sql, values as unknown[]);
    } catch (error) {
      throw asStoreError(error);
    }
  };
  return {
    all: async (sql, values = []) => (await query(sql, values)).rows as PostgresRow[],
    change: async (sql, values = []) => (await query(sql, values)).rowCount ?? 0,
  };
}

const INT8 = 20;

/** The package is an optional one: only who uses Postgres has it. */
async function openPool(config: PoolConfig): Promise<Pool> {
  const { default: pg } = await import("pg").catch((error: unknown) => {
    const hint = "Install it beside Baton: npm install pg@8";
    throw new StoreError("unavailable", "the package pg is missing", { cause: error, hint });
  });
  const types = {
    getTypeParser(oid: number, format?: "text" | "binary"): (text: string) => unknown {
      const parser: unknown = oid === INT8 ? wholeNumber : pg.types.getTypeParser(oid, format);
      return parser as (text: string) => unknown;
    },
  };
  const pool = new pg.Pool({ ...config, types });
  // A connection that ends while it is idle is replaced when one is needed.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  return pool;
}

function wholeNumber(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number)) throw new StoreError("damaged", `${text} is too large for a number of the store`);
  return number;
}
