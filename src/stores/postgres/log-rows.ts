import type { AuditedEffect, KeptCheckpoint } from "../../ports/log-snapshot.ts";
import { type Lease, type RunRow, StoreError, type StoredEntry } from "../../ports/event-log.ts";
import { parseRecord } from "../refusals.ts";
import type { Row } from "./connection.ts";

/** Every column is checked, because other programs may have edited the tables. */
export function textOf(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== "string") throw damagedColumn(column);
  return value;
}

export function numberOf(row: Row, column: string): number {
  const value = row[column];
  if (typeof value !== "number") throw damagedColumn(column);
  return value;
}

export function flagOf(row: Row, column: string): boolean {
  const value = row[column];
  if (typeof value !== "boolean") throw damagedColumn(column);
  return value;
}

export function bytesOf(row: Row, column: string): Buffer {
  const value = row[column];
  if (!Buffer.isBuffer(value)) throw damagedColumn(column);
  return value;
}

export function hashOf(row: Row, column: string): string {
  return bytesOf(row, column).toString("hex");
}

export function orNull<T>(read: (row: Row, column: string) => T, row: Row, column: string): T | null {
  return row[column] === null ? null : read(row, column);
}

export function firstOf<T>(rows: readonly Row[], read: (row: Row) => T): T | null {
  const [row] = rows;
  return row === undefined ? null : read(row);
}

export function entryOf(row: Row): StoredEntry {
  const data = orNull(textOf, row, "data");
  const position = numberOf(row, "position");
  return {
    position,
    run: textOf(row, "run"),
    sequence: numberOf(row, "sequence"),
    at: numberOf(row, "at"),
    kind: textOf(row, "kind"),
    data: data === null ? null : parseRecord(data, `the data of entry ${position}`),
    hash: hashOf(row, "hash"),
  };
}

export function runOf(row: Row): RunRow {
  const run = textOf(row, "run");
  return {
    run,
    name: textOf(row, "name"),
    workflow: textOf(row, "workflow"),
    brief: textOf(row, "brief"),
    status: textOf(row, "status"),
    finished: flagOf(row, "finished"),
    createdAt: numberOf(row, "created_at"),
    updatedAt: numberOf(row, "updated_at"),
    sequence: numberOf(row, "sequence"),
    isPruned: numberOf(row, "emptied") > 0,
    wakeAt: orNull(numberOf, row, "wake_at"),
    summary: parseRecord(textOf(row, "summary"), `the summary of run ${run}`),
    lease: leaseOf(row),
  };
}

/** The present lease of a run, also after its time, until another worker acquires the run. */
function leaseOf(row: Row): Lease | null {
  const worker = orNull(textOf, row, "worker");
  if (worker === null) return null;
  return { run: textOf(row, "run"), worker, fence: numberOf(row, "fence"), until: numberOf(row, "leased_until") };
}

export function auditedEffectOf(row: Row): AuditedEffect {
  return {
    number: numberOf(row, "number"),
    key: textOf(row, "key"),
    kind: textOf(row, "kind"),
    data: textOf(row, "data"),
  };
}

export function checkpointOf(row: Row): KeptCheckpoint {
  return { number: numberOf(row, "number"), body: textOf(row, "body"), signature: orNull(textOf, row, "signature") };
}

function damagedColumn(column: string): StoreError {
  return new StoreError("damaged", `column ${column} of the database has a value of the wrong type`);
}
