import { heldErrorOf } from "../held-log.ts";
import { StoreError, type StoreErrorCode } from "../../ports/event-log.ts";

/** What the database says when it refuses to write a log that is held (`stores/held-log.ts`). */
export const HELD_STATE = "BTN01";

/** SQLSTATEs, or their classes, of failures that a caller can tell apart. */
const KNOWN: Readonly<Record<string, StoreErrorCode>> = {
  "53100": "disk-full",
  "53": "busy",
  "40": "busy",
  "55P03": "busy",
  "57014": "busy",
  "57": "unavailable",
  "08": "unavailable",
  "28": "unavailable",
  "3D": "unavailable",
  "3F": "unavailable",
  "42P01": "unavailable",
  "42501": "unavailable",
  "25006": "unavailable",
  "25P03": "unavailable",
  XX: "damaged",
};

const SAID: Readonly<Record<string, string>> = {
  "42P01": "the database has no tables of Baton",
  "3F": "the database has no tables of Baton",
  "25006": "the database takes no writes: it is a standby, or read-only",
};

export const PREPARE = "Make its tables, or bring them to this version: baton state prepare";
const CHECK = "Check the database, and the address in BATON_STORE; what was acknowledged is safe.";
const HINTS: Readonly<Record<string, string>> = {
  "42P01": PREPARE,
  "3F": PREPARE,
  "53100": "Make room on the disk of the database and say it again: what was acknowledged is safe.",
  XX: "Restore a backup of the database.",
};

/**
 * What failed, as every store says it. An address or a password never stands in the message: the driver's own messages
 * name the host at most.
 */
export function asStoreError(error: unknown): unknown {
  if (error instanceof StoreError || !(error instanceof Error)) return error;
  return heldErrorOf(error) ?? knownErrorOf(error);
}

function knownErrorOf(error: Error): Error {
  const state = "code" in error && typeof error.code === "string" ? error.code : "";
  const key = [state, state.slice(0, 2)].find((each) => Object.hasOwn(KNOWN, each));
  if (isSqlState(state) && key !== undefined) {
    const message = SAID[key] ?? `the database refused it: ${error.message}`;
    return new StoreError(KNOWN[key] ?? "unavailable", message, { cause: error, hint: HINTS[key] ?? CHECK });
  }
  if (!isSqlState(state) && isConnectionError(error, state))
    return new StoreError("unavailable", `the database does not answer (${reasonOf(error, state)})`, {
      cause: error,
      hint: CHECK,
    });
  return error;
}

function isSqlState(code: string): boolean {
  return /^[0-9A-Z]{5}$/.test(code);
}

const CONNECTION = /^(?:E[A-Z]+|ERR_SOCKET.*|ERR_TLS.*|UND_.*)$/;
const SAYINGS =
  /connection terminated|timeout expired|query read timeout|timeout exceeded when trying to connect|client (?:was|has been) closed|not queryable|cannot use a pool after calling end|SSL|password must be a string/i;

function isConnectionError(error: Error, code: string): boolean {
  return CONNECTION.test(code) || error instanceof AggregateError || SAYINGS.test(error.message);
}

function reasonOf(error: Error, code: string): string {
  return code === "" ? error.message : code;
}
