import { createHash, type Hash } from "node:crypto";

/** A value as both stores give it: flags are 0 and 1. */
export type MovedValue = string | number | Uint8Array | null;
export type MovedRow = readonly MovedValue[];
/** What tells a row from all others. */
export type MovedKey = readonly (string | number)[];

type MovedType = "integer" | "text" | "bytes" | "flag";

/** A table as it is in every store. Nothing in it is numbered or written anew: hashes cover numbers and texts. */
export interface MovedTable {
  readonly part: "log" | "knowledge";
  readonly name: string;
  readonly columns: Readonly<Record<string, MovedType>>;
  /** How many of the first columns tell a row from all others; rows move in their order. */
  readonly keys: number;
  /** The column that can be long; empty where none can. */
  readonly long: string;
}

/** The tables of a log, each after those that its rows refer to. What is made from them for searching is not moved. */
export const MOVED_LOG: readonly MovedTable[] = [
  table("ledger", "log", {
    one: "integer",
    log: "text",
    pruned: "integer",
    pruned_texts: "integer",
    unmarked_runs: "integer",
    unmarked_letters: "integer",
  }),
  table("workflows", "definition", { number: "integer", hash: "text", definition: "text" }),
  table("texts", "body", { number: "integer", hash: "bytes", body: "bytes" }),
  table("runs", "summary", {
    number: "integer",
    run: "text",
    name: "text",
    workflow: "text",
    brief: "text",
    status: "text",
    finished: "flag",
    created_at: "integer",
    updated_at: "integer",
    sequence: "integer",
    emptied: "integer",
    wake_at: "integer",
    due_at: "integer",
    fence: "integer",
    worker: "text",
    leased_until: "integer",
    summary: "text",
    mark: "bytes",
    head: "bytes",
  }),
  table("entries", "data", {
    position: "integer",
    run: "integer",
    sequence: "integer",
    at: "integer",
    kind: "text",
    data: "text",
    data_hash: "bytes",
    hash: "bytes",
    seal: "bytes",
  }),
  table("effects", "data", { run: "integer", key: "text", number: "integer", kind: "text", data: "text" }, 2),
  table("letters", "input", { number: "integer", run: "integer", id: "text", input: "text", mark: "bytes" }),
  table("register", "body", { number: "integer", body: "text", hash: "bytes" }),
  table("checkpoints", "body", { number: "integer", body: "text", signature: "text" }),
];

/** The tables of what is known. Which fact cites which file stands in the facts, too, and is made from them. */
export const MOVED_KNOWLEDGE: readonly MovedTable[] = [
  known("lessons", "handoff", {
    number: "integer",
    run: "text",
    task: "text",
    step: "text",
    agent: "text",
    handoff: "text",
    at: "integer",
  }),
  known("facts", "body", {
    number: "integer",
    id: "text",
    kind: "text",
    status: "text",
    statement: "bytes",
    is_negative: "integer",
    merged_into: "integer",
    is_edited: "integer",
    learned_at: "integer",
    witnesses: "integer",
    repeats: "integer",
    helped: "integer",
    tokens: "text",
    body: "text",
  }),
  known(
    "witnesses",
    "said",
    { fact: "integer", ordinal: "integer", lesson: "integer", place: "text", said: "text", is_repeat: "integer" },
    2,
  ),
  known("opposites", "", { fact: "integer", other: "integer" }, 2),
  known("tasks", "name", { run: "text", id: "text", name: "text", status: "text", at: "integer" }, 2),
  known("dependencies", "needs", { run: "text", task: "text", ordinal: "integer", needs: "text" }, 3),
  known(
    "touches",
    "purpose",
    { lesson: "integer", ordinal: "integer", path: "text", change: "text", lines: "text", purpose: "text" },
    2,
  ),
  known("history", "before", {
    number: "integer",
    fact: "integer",
    at: "integer",
    by: "text",
    what: "text",
    why: "text",
    other: "integer",
    before: "text",
  }),
  known("helped_steps", "", { run: "text", step: "text" }, 2),
  known("numbering", "", { kind: "text", last: "integer" }),
  known("tokens", "", { token: "text", facts: "integer" }),
  known("seals", "body", { number: "integer", body: "text", signature: "text" }),
];

function table(name: string, long: string, columns: MovedTable["columns"], keys = 1): MovedTable {
  return { part: "log", name, columns, keys, long };
}

function known(name: string, long: string, columns: MovedTable["columns"], keys = 1): MovedTable {
  return { ...table(name, long, columns, keys), part: "knowledge" };
}

export function keysOf({ columns, keys }: MovedTable): string[] {
  return Object.keys(columns).slice(0, keys);
}

export function movedKeyOf({ keys }: MovedTable, row: MovedRow): MovedKey {
  return row.slice(0, keys).map((value) => (typeof value === "number" ? value : String(value)));
}

/** A page has not more rows, and not more bytes in their long column, except for a single row. */
export const MAX_PAGE_ROWS = 1_000;
export const MAX_PAGE_BYTES = 4_000_000;

export interface TableSum {
  readonly rows: number;
  /** SHA-256 over all rows in their order. */
  readonly hash: string;
}

/** Counts and hashes the rows of a table, page by page. */
export class RowSum {
  #rows = 0;
  readonly #hash: Hash = createHash("sha256");

  take(rows: readonly MovedRow[]): void {
    this.#rows += rows.length;
    for (const row of rows) this.#hash.update(`${JSON.stringify(row.map(written))}\n`);
  }

  get sum(): TableSum {
    return { rows: this.#rows, hash: this.#hash.copy().digest("hex") };
  }
}

/** Bytes in a list, so that no text is the same. */
function written(value: MovedValue): unknown {
  return value instanceof Uint8Array
    ? [Buffer.from(value.buffer, value.byteOffset, value.length).toString("hex")]
    : value;
}
