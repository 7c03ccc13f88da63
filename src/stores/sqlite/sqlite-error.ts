import { StoreError, type StoreErrorCode } from "../../ports/event-log.ts";
import { setTimeout as sleep } from "node:timers/promises";
import { heldErrorOf } from "../held-log.ts";

/** Result codes of SQLite (sqlite.org/rescode.html): the low byte of what `node:sqlite` calls `errcode`. */
const BUSY = 5;
const LOCKED = 6;
const FULL = 13;
/** Also what a trigger says that refuses. */
const CONSTRAINT = 19;

const CODES: ReadonlyMap<number, readonly [StoreErrorCode, string]> = new Map([
  [BUSY, ["busy", "other processes kept the database locked"]],
  [LOCKED, ["busy", "other processes kept the database locked"]],
  [7, ["unavailable", "there is not enough memory"]],
  [8, ["unavailable", "the database may not be written"]],
  [10, ["unavailable", "the database could not be read or written"]],
  [11, ["damaged", "the database is damaged"]],
  [FULL, ["disk-full", "the disk is full"]],
  [14, ["unavailable", "the database cannot be opened"]],
  // Reported after SQLite has tried for ten seconds.
  [15, ["busy", "the file system does not give locks"]],
  [26, ["damaged", "this file is not a database"]],
]);

/** The disk is too full for the index of the write-ahead log. SQLite reports an I/O error. */
const NO_ROOM_TO_OPEN = 4874;

/** Turns a known error of SQLite into a StoreError; any other error is a bug and is returned unchanged. */
export function asStoreError(error: unknown): unknown {
  if (error instanceof ForeignTables) return new StoreError("damaged", error.message, { cause: error });
  if (isNumberTooLarge(error)) {
    return new StoreError("damaged", "a number in the database is too large", { cause: error });
  }
  const known = CODES.get(resultCode(error) ?? 0);
  if (!(error instanceof Error)) return error;
  if (resultCode(error) === CONSTRAINT) return heldErrorOf(error) ?? error;
  if (known === undefined) return error;
  return new StoreError(known[0], `${known[1]} (${error.message})`, { cause: error });
}

/** Not a StoreError: a write may have begun when it is found, and then all of its transaction is rolled back. */
class ForeignTables extends Error {}

/** An SQL error means that the tables of this file are not the ones that the statements were written for. */
export function asForeignTables(error: unknown): unknown {
  if (!(error instanceof Error) || resultCode(error) !== 1) return error;
  return new ForeignTables(`the tables of the database were changed (${error.message})`, { cause: error });
}

/** Another connection has the lock; the same call can succeed in a moment. */
function isBusy(error: unknown): boolean {
  const code = resultCode(error);
  return code === BUSY || code === LOCKED;
}

function resultCode(error: unknown): number | null {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return null;
  if (error.errcode === NO_ROOM_TO_OPEN) return FULL;
  return error.errcode & 0xff;
}

function isNumberTooLarge(error: unknown): boolean {
  return error instanceof RangeError && "code" in error && error.code === "ERR_OUT_OF_RANGE";
}

/**
 * How long a call waits for other processes. Waiting inside SQLite blocks the whole process, so it is kept short; the
 * rest of the time is spent here, while other work goes on.
 */
export const LOCK_TIMEOUT = 60_000;
const MAX_PAUSE = 40;

/** Repeats `attempt` while others hold the lock. */
export async function retryWhileLocked<T>(attempt: () => T, lockTimeout: number): Promise<T> {
  const end = performance.now() + lockTimeout;
  for (let attempts = 0; ; attempts++) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= end) throw asStoreError(error);
    }
    await sleep(pauseAfter(attempts));
  }
}

/** The same for opening a file, when blocking the process does no harm. */
export function retryWhileLockedNow<T>(attempt: () => T, lockTimeout: number): T {
  const end = performance.now() + lockTimeout;
  for (let attempts = 0; ; attempts++) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= end) throw asStoreError(error);
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseAfter(attempts));
  }
}

/** Random, so that two processes do not retry at the same moments. */
function pauseAfter(attempts: number): number {
  return 1 + Math.random() * Math.min(MAX_PAUSE, 2 ** Math.min(attempts, 6));
}
