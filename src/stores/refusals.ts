import { type Lease, StoreError } from "../ports/event-log.ts";
import { isRecord, type JsonRecord } from "../shared/json-value.ts";

/** The errors of every store, so that callers get the same sentences from each. */
export function noSuchRun(run: string): StoreError {
  return new StoreError("no-such-run", `there is no run ${run}`);
}

export function runExists(run: string): StoreError {
  return new StoreError("exists", `run ${run} already exists`);
}

export function leaseLost({ run, worker, fence }: Lease): StoreError {
  return new StoreError("lease-lost", `lease ${fence} of run ${run} is no longer held by ${worker}`);
}

export function movedOn(run: string, after: number, sequence: number): StoreError {
  return new StoreError("conflict", `run ${run} is at ${sequence}, but this was decided at ${after}`);
}

export function effectExists(run: string, key: string): StoreError {
  return new StoreError("conflict", `run ${run} already has a waiting effect ${key}`);
}

export function closed(): StoreError {
  return new StoreError("unavailable", "the log was closed");
}

/** Stored text may have been changed by other programs: anything but a JSON object is damage. */
export function parseRecord(text: string, what: string): JsonRecord {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new StoreError("damaged", `${what} is not JSON`, { cause: error });
  }
  if (!isRecord(value)) throw new StoreError("damaged", `${what} is not a JSON object`);
  return value;
}
