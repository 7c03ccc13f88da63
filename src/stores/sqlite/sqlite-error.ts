import { StoreError, type StoreErrorCode } from "../../ports/event-log.ts";

/** Result codes of SQLite (sqlite.org/rescode.html): the low byte of what `node:sqlite` calls `errcode`. */
const BUSY = 5;
const LOCKED = 6;
const FULL = 13;

const CODES: ReadonlyMap<number, readonly [StoreErrorCode, string]> = new Map([
  [BUSY, ["busy", "other processes kept the database locked"]],
  [LOCKED, ["busy", "other processes kept the database locked"]],
  [7, ["unavailable", "there is not enough memory"]],
  [8, ["unavailable", "the database may not be written"]],
  [10, ["unavailable", "the database could not be read or written"]],
  [11, ["damaged", "the database is damaged"]],
  [FULL, ["disk-full", "the disk is full"]],
  [14, ["unavailable", "the database cannot be opened"]],
  // SQLite has tried for ten seconds by then.
  [15, ["busy", "the file system does not give locks"]],
  [26, ["damaged", "this file is not a database"]],
]);

/** No room for the index of the write-ahead log, which is made on opening. SQLite calls it an I/O error. */
const NO_ROOM_TO_OPEN = 4874;

/** Errors of SQLite in the words of the port; what is none of them is a mistake in our code and stays as it is. */
export function asStoreError(error: unknown): unknown {
  if (isNumberTooLarge(error)) {
    return new StoreError("damaged", "a number in the database is too large", { cause: error });
  }
  const known = CODES.get(resultCode(error) ?? 0);
  if (known === undefined || !(error instanceof Error)) return error;
  return new StoreError(known[0], `${known[1]} (${error.message})`, { cause: error });
}

/** A statement of ours that SQLite does not understand was written for other tables than those of this file. */
export function asForeignTables(error: unknown): unknown {
  if (!(error instanceof Error) || resultCode(error) !== 1) return error;
  return new StoreError("damaged", `the tables of the database were changed (${error.message})`, { cause: error });
}

/** Somebody else was faster; the same call can succeed in a moment. */
export function isBusy(error: unknown): boolean {
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
