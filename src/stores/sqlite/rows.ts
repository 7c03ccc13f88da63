import type { SQLOutputValue } from "node:sqlite";
import { type Lease, type RunRow, StoreError, type StoredEntry } from "../../ports/event-log.ts";
import { type ChainHead, type CheckedEntry, EMPTY_CHAIN } from "../../audit/hash-chain.ts";
import { parseRecord } from "../parse-record.ts";

/** A row as SQLite gives it. Its columns are checked one by one: the file may have been edited by others. */
export type Row = Record<string, SQLOutputValue>;

export function textOf(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== "string") throw damagedColumn(column);
  return value;
}

export function integerOf(row: Row, column: string): number {
  const value = row[column];
  if (typeof value !== "number") throw damagedColumn(column);
  return value;
}

export function bytesOf(row: Row, column: string): Buffer {
  const value = row[column];
  if (!(value instanceof Uint8Array)) throw damagedColumn(column);
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}

export function orNull<T>(read: (row: Row, column: string) => T, row: Row, column: string): T | null {
  return row[column] === null ? null : read(row, column);
}

export function hashOf(row: Row, column: string): string {
  return bytesOf(row, column).toString("hex");
}

export function entryOf(row: Row): StoredEntry {
  const data = orNull(textOf, row, "data");
  const position = integerOf(row, "position");
  return {
    position,
    run: textOf(row, "run"),
    sequence: integerOf(row, "sequence"),
    at: integerOf(row, "at"),
    kind: textOf(row, "kind"),
    data: data === null ? null : parseRecord(data, `the data of entry ${position}`),
    hash: hashOf(row, "hash"),
  };
}

export function checkedEntryOf(row: Row): CheckedEntry {
  const sequence = integerOf(row, "sequence");
  return {
    position: integerOf(row, "position"),
    run: textOf(row, "run"),
    sequence,
    at: integerOf(row, "at"),
    kind: textOf(row, "kind"),
    data: orNull(textOf, row, "data"),
    dataHash: hashOf(row, "data_hash"),
    seal: orNull(hashOf, row, "seal"),
    hash: hashOf(row, "hash"),
    mayBeEmpty: sequence <= integerOf(row, "emptied"),
  };
}

export function headOf(row: Row | undefined): ChainHead {
  if (row === undefined) return EMPTY_CHAIN;
  return { position: integerOf(row, "position"), hash: hashOf(row, "hash") };
}

export function runOf(row: Row): RunRow {
  const run = textOf(row, "run");
  return {
    run,
    name: textOf(row, "name"),
    workflow: textOf(row, "workflow"),
    brief: textOf(row, "brief"),
    status: textOf(row, "status"),
    finished: integerOf(row, "finished") === 1,
    createdAt: integerOf(row, "created_at"),
    updatedAt: integerOf(row, "updated_at"),
    sequence: integerOf(row, "sequence"),
    isPruned: integerOf(row, "emptied") > 0,
    wakeAt: orNull(integerOf, row, "wake_at"),
    summary: parseRecord(textOf(row, "summary"), `the summary of run ${run}`),
    lease: leaseOf(row),
  };
}

/** The present lease of a run, also when its time is over: nobody else has taken it yet. */
export function leaseOf(row: Row): Lease | null {
  const worker = orNull(textOf, row, "worker");
  if (worker === null) return null;
  return {
    run: textOf(row, "run"),
    worker,
    fence: integerOf(row, "fence"),
    until: integerOf(row, "leased_until"),
  };
}

function damagedColumn(column: string): StoreError {
  return new StoreError("damaged", `column ${column} of the database holds something else`);
}
