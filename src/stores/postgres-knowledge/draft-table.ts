import type { Queries } from "../postgres/connection.ts";
import type { Row } from "../sqlite/rows.ts";

type ColumnType = "bigint" | "smallint" | "text" | "bytea";

export interface TableShape {
  /** Without the prefix. */
  readonly name: string;
  /** The key first. */
  readonly columns: Readonly<Record<string, ColumnType>>;
  /** How many of the columns are the key. */
  readonly keys: number;
}

export interface RowChange {
  readonly before: Row | null;
  readonly now: Row | null;
}

/**
 * Rows of one table that a transaction has read, and as it leaves them: what is decided asks and changes them without
 * waiting for the database, and all changes are stored with at most two statements.
 */
export class DraftTable {
  readonly shape: TableShape;
  readonly #before = new Map<string, Row>();
  readonly #now = new Map<string, Row>();

  constructor(shape: TableShape) {
    this.shape = shape;
  }

  /** A row that is known already stays as it is. */
  load(rows: readonly Row[]): void {
    for (const row of rows) {
      const key = this.#keyOf(row);
      if (this.#before.has(key)) continue;
      this.#before.set(key, row);
      this.#now.set(key, row);
    }
  }

  get(...key: readonly unknown[]): Row | null {
    return this.#now.get(key.map(keyPart).join(" ")) ?? null;
  }

  put(row: Row): void {
    this.#now.set(this.#keyOf(row), row);
  }

  delete(row: Row): void {
    this.#now.delete(this.#keyOf(row));
  }

  /** Also one that was not loaded. */
  remove(row: Row): void {
    this.load([row]);
    this.delete(row);
  }

  rows(): Row[] {
    return [...this.#now.values()];
  }

  changes(): RowChange[] {
    const keys = new Set([...this.#before.keys(), ...this.#now.keys()]);
    return [...keys]
      .map((key) => ({ before: this.#before.get(key) ?? null, now: this.#now.get(key) ?? null }))
      .filter(({ before, now }) => before !== now);
  }

  async store(queries: Queries, prefix: string): Promise<void> {
    const changes = this.changes();
    await this.#deleteRows(
      queries,
      prefix,
      changes.flatMap(({ before, now }) => (before !== null && now === null ? [before] : [])),
    );
    await this.#putRows(
      queries,
      prefix,
      changes.flatMap(({ now }) => (now === null ? [] : [now])),
    );
  }

  async #deleteRows(queries: Queries, prefix: string, rows: readonly Row[]): Promise<void> {
    if (rows.length === 0) return;
    const keys = this.#keyColumns();
    const same = keys.map((key) => `t.${key} = k.${key}`).join(" AND ");
    const sql = `DELETE FROM ${prefix}${this.shape.name} t USING ${this.#unnest(keys)} k (${keys.join(", ")}) WHERE ${same}`;
    await queries.change(sql, valuesOf(keys, rows));
  }

  async #putRows(queries: Queries, prefix: string, rows: readonly Row[]): Promise<void> {
    if (rows.length === 0) return;
    const columns = Object.keys(this.shape.columns);
    const others = columns.slice(this.shape.keys).map((column) => `${column} = excluded.${column}`);
    const conflict = others.length === 0 ? "DO NOTHING" : `DO UPDATE SET ${others.join(", ")}`;
    const sql = `INSERT INTO ${prefix}${this.shape.name} (${columns.join(", ")}) SELECT * FROM ${this.#unnest(columns)}
      ON CONFLICT (${this.#keyColumns().join(", ")}) ${conflict}`;
    await queries.change(sql, valuesOf(columns, rows));
  }

  #keyColumns(): string[] {
    return Object.keys(this.shape.columns).slice(0, this.shape.keys);
  }

  #unnest(columns: readonly string[]): string {
    return `unnest(${columns.map((column, at) => `$${at + 1}::${this.shape.columns[column] ?? "text"}[]`).join(", ")})`;
  }

  #keyOf(row: Row): string {
    return this.#keyColumns()
      .map((column) => keyPart(row[column]))
      .join(" ");
  }
}

function keyPart(value: unknown): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString("hex") : String(value);
}

type Value = string | number | Buffer | null;

/** The values of each column as one list. */
function valuesOf(columns: readonly string[], rows: readonly Row[]): Value[][] {
  return columns.map((column) => rows.map((row) => (row[column] ?? null) as Value));
}
