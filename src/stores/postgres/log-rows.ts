import type { AuditedEffect, KeptCheckpoint } from "../../ports/log-snapshot.ts";
import { type Lease, type RunRow, StoreError, type StoredEntry } from "../../ports/event-log.ts";
import { parseRecord } from "../refusals.ts";
import { readBrief } from "./brief-text.ts";
import type { PostgresRow } from "./connection.ts";

/** Every column is checked, because other programs may have edited the tables. */
export function textIn(row: PostgresRow, column: string): string {
  const value = row[column];
  if (typeof value !== "string") throw damagedColumn(column);
  return value;
}

export function numberOf(row: PostgresRow, column: string): number {
  const value = row[column];
  if (typeof value !== "number") throw damagedColumn(column);
  return value;
}

export function flagOf(row: PostgresRow, column: string): boolean {
  const value = row[column];
  if (typeof value !== "boolean") throw damagedColumn(column);
  return value;
}

export function bytesOf(row: PostgresRow, column: string): Buffer {
  const value = row[column];
  if (!Buffer.isBuffer(value)) throw damagedColumn(column);
  return value;
}

export function hashOf(row: PostgresRow, column: string): string {
  return bytesOf(row, column).toString("hex");
}

export function orNull<T>(read: (row: PostgresRow, column: string) => T, row: PostgresRow, column: string): T | null {
  return row[column] === null ? null : read(row, column);
}

export function firstOf<T>(rows: readonly PostgresRow[], read: (row: PostgresRow) => T): T | null {
  const [row] = rows;
  return row === undefined ? null : read(row);
}

export function entryOf(row: PostgresRow): StoredEntry {
  const data = orNull(textIn, row, "data");
  const position = numberOf(row, "position");
  return {
    position,
    run: textIn(row, "run"),
    sequence: numberOf(row, "sequence"),
    at: numberOf(row, "at"),
    kind: textIn(row, "kind"),
    data: data === null ? null : parseRecord(data, `the data of entry ${position}`),
    hash: hashOf(row, "hash"),
  };
}

export function runOf(row: PostgresRow): RunRow {
  const run = textIn(row, "run");
  return {
    run,
    name: textIn(row, "name"),
    workflow: textIn(row, "workflow"),
    brief: readBrief(textIn(row, "brief")),
    status: textIn(row, "status"),
    finished: flagOf(row, "finished"),
    createdAt: numberOf(row, "created_at"),
    updatedAt: numberOf(row, "updated_at"),
    sequence: numberOf(row, "sequence"),
    isPruned: numberOf(row, "emptied") > 0,
    wakeAt: orNull(numberOf, row, "wake_at"),
    summary: parseRecord(textIn(row, "summary"), `the summary of run ${run}`),
    lease: leaseOf(row),
  };
}

/** The present lease of a run, also after its time, until another worker acquires the run. */
function leaseOf(row: PostgresRow): Lease | null {
  const worker = orNull(textIn, row, "worker");
  if (worker === null) return null;
  return { run: textIn(row, "run"), worker, fence: numberOf(row, "fence"), until: numberOf(row, "leased_until") };
}

export function auditedEffectOf(row: PostgresRow): AuditedEffect {
  return {
    number: numberOf(row, "number"),
    key: textIn(row, "key"),
    kind: textIn(row, "kind"),
    data: textIn(row, "data"),
  };
}

export function checkpointOf(row: PostgresRow): KeptCheckpoint {
  return { number: numberOf(row, "number"), body: textIn(row, "body"), signature: orNull(textIn, row, "signature") };
}

function damagedColumn(column: string): StoreError {
  return new StoreError("damaged", `column ${column} of the database has a value of the wrong type`);
}
