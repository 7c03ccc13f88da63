import type { Bind } from "./knowledge-database.ts";
import type { Row } from "../sqlite/rows.ts";

type ColumnType = "bigint" | "smallint" | "text" | "bytea";

interface TableShape {
  /** Without the prefix. */
  readonly name: string;
  /** The key first. */
  readonly columns: Readonly<Record<string, ColumnType>>;
  /** How many of the columns are the key. */
  readonly keys: number;
}

interface RowChange {
  readonly before: Row | null;
  readonly now: Row | null;
}

/**
 * Rows of one table that a transaction has read, and as it leaves them: what is decided asks and changes them without
 * waiting for the database.
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

  /** Statements for all changes. A key is deleted or put, never both, so their order does not matter. */
  statements(prefix: string, bind: Bind): string[] {
    const changes = this.changes();
    const gone = changes.flatMap(({ before, now }) => (before !== null && now === null ? [before] : []));
    const put = changes.flatMap(({ now }) => (now === null ? [] : [now]));
    return [
      ...(gone.length === 0 ? [] : [this.#deletion(prefix, gone, bind)]),
      ...(put.length === 0 ? [] : [this.#insertion(prefix, put, bind)]),
    ];
  }

  #deletion(prefix: string, rows: readonly Row[], bind: Bind): string {
    const keys = this.#keyColumns();
    const same = keys.map((key) => `t.${key} = k.${key}`).join(" AND ");
    const list = this.#unnest(keys, rows, bind);
    return `DELETE FROM ${prefix}${this.shape.name} t USING ${list} k (${keys.join(", ")}) WHERE ${same}`;
  }

  #insertion(prefix: string, rows: readonly Row[], bind: Bind): string {
    const columns = Object.keys(this.shape.columns);
    const others = columns.slice(this.shape.keys).map((column) => `${column} = excluded.${column}`);
    const conflict = others.length === 0 ? "DO NOTHING" : `DO UPDATE SET ${others.join(", ")}`;
    return `INSERT INTO ${prefix}${this.shape.name} (${columns.join(", ")})
      SELECT * FROM ${this.#unnest(columns, rows, bind)} ON CONFLICT (${this.#keyColumns().join(", ")}) ${conflict}`;
  }

  #keyColumns(): string[] {
    return Object.keys(this.shape.columns).slice(0, this.shape.keys);
  }

  #unnest(columns: readonly string[], rows: readonly Row[], bind: Bind): string {
    const lists = columns.map((column) => {
      const values = rows.map((row) => (row[column] ?? null) as Value);
      return bind(values, `${this.shape.columns[column] ?? "text"}[]`);
    });
    return `unnest(${lists.join(", ")})`;
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
