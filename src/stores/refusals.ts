import { type Lease, StoreError } from "../ports/event-log.ts";

/** The words of every store for what it refuses, so that callers meet the same ones everywhere. */
export function noSuchRun(run: string): StoreError {
  return new StoreError("no-such-run", `there is no run ${run}`);
}

export function runExists(run: string): StoreError {
  return new StoreError("exists", `there is a run ${run} already`);
}

export function leaseLost({ run, worker, fence }: Lease): StoreError {
  return new StoreError("lease-lost", `lease ${fence} of run ${run} is no longer held by ${worker}`);
}

export function movedOn(run: string, after: number, sequence: number): StoreError {
  return new StoreError("conflict", `run ${run} is at ${sequence}, and this was decided on ${after}`);
}

export function effectExists(run: string, key: string): StoreError {
  return new StoreError("conflict", `run ${run} has an effect ${key} waiting already`);
}

export function closed(): StoreError {
  return new StoreError("unavailable", "the log was closed");
}
