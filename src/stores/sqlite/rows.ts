import { type Lease, type RunRow, StoreError, type StoredEntry } from "../../ports/event-log.ts";
import { type ChainHead, EMPTY_CHAIN } from "../../audit/hash-chain.ts";
import type { AuditedEffect, KeptCheckpoint, RegisterRow } from "../../ports/log-snapshot.ts";
import { parseRecord } from "../refusals.ts";

/** A row of a database. Every column is checked, because other programs may have edited it. */
export type Row = Record<string, unknown>;

export function textColumn(row: Row, column: string): string {
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

export function columnOrNull<T>(read: (row: Row, column: string) => T, row: Row, column: string): T | null {
  return row[column] === null ? null : read(row, column);
}

export function hashOf(row: Row, column: string): string {
  return bytesOf(row, column).toString("hex");
}

export function entryOf(row: Row): StoredEntry {
  const data = columnOrNull(textColumn, row, "data");
  const position = integerOf(row, "position");
  return {
    position,
    run: textColumn(row, "run"),
    sequence: integerOf(row, "sequence"),
    at: integerOf(row, "at"),
    kind: textColumn(row, "kind"),
    data: data === null ? null : parseRecord(data, `the data of entry ${position}`),
    hash: hashOf(row, "hash"),
  };
}

export function headOf(row: Row | undefined): ChainHead {
  if (row === undefined) return EMPTY_CHAIN;
  return { position: integerOf(row, "position"), hash: hashOf(row, "hash") };
}

export function runOf(row: Row): RunRow {
  const run = textColumn(row, "run");
  return {
    run,
    name: textColumn(row, "name"),
    workflow: textColumn(row, "workflow"),
    brief: textColumn(row, "brief"),
    status: textColumn(row, "status"),
    finished: integerOf(row, "finished") === 1,
    createdAt: integerOf(row, "created_at"),
    updatedAt: integerOf(row, "updated_at"),
    sequence: integerOf(row, "sequence"),
    isPruned: integerOf(row, "emptied") > 0,
    wakeAt: columnOrNull(integerOf, row, "wake_at"),
    summary: parseRecord(textColumn(row, "summary"), `the summary of run ${run}`),
    lease: leaseOf(row),
  };
}

/** The current lease of a run, also after its time, until another worker acquires the run. */
export function leaseOf(row: Row): Lease | null {
  const worker = columnOrNull(textColumn, row, "worker");
  if (worker === null) return null;
  return {
    run: textColumn(row, "run"),
    worker,
    fence: integerOf(row, "fence"),
    until: integerOf(row, "leased_until"),
  };
}

function damagedColumn(column: string): StoreError {
  return new StoreError("damaged", `column ${column} of the database has a value of the wrong type`);
}

export function auditedEffectOf(row: Row): AuditedEffect {
  return {
    number: integerOf(row, "number"),
    key: textColumn(row, "key"),
    kind: textColumn(row, "kind"),
    data: textColumn(row, "data"),
  };
}

export function checkpointOf(row: Row): KeptCheckpoint {
  return {
    number: integerOf(row, "number"),
    body: textColumn(row, "body"),
    signature: columnOrNull(textColumn, row, "signature"),
  };
}

export function registerRowOf(row: Row): RegisterRow {
  return { number: integerOf(row, "number"), body: textColumn(row, "body"), hash: hashOf(row, "hash") };
}
