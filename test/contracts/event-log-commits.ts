import type { Commit, EventLog, Lease, NewEntry, StoreErrorCode } from "../../src/ports/event-log.ts";
import { StoreError } from "../../src/ports/event-log.ts";

/** Long before every time that a test names as over. */
export const LATER = 1_000_000;

export function newRun(run: string, at = 1): { run: string; name: string; workflow: string; at: number } {
  return { run, name: `name of ${run}`, workflow: "0".repeat(64), at };
}

/** A commit that says nothing but what the test is about. */
export function commitOf(lease: Lease, after: number, parts: Partial<Commit> = {}): Commit {
  return {
    run: lease.run,
    lease,
    after,
    at: 100,
    entries: [],
    effects: [],
    settled: [],
    taken: [],
    status: "running",
    finished: false,
    summary: {},
    wakeAt: null,
    ...parts,
  };
}

export function someEntries(count: number, first = 1): NewEntry[] {
  return Array.from({ length: count }, (_, index) => ({ kind: "step-ended", data: { number: first + index } }));
}

/** A run with that many entries, ready for more. */
export async function startRun(log: EventLog, run: string, entries = 0): Promise<Lease> {
  const lease = await log.create(newRun(run), "worker", LATER);
  if (entries > 0) await log.commit(commitOf(lease, 0, { entries: someEntries(entries) }));
  return lease;
}

/** The code with which a call was refused; null when it was not. */
export async function refusal(call: Promise<unknown>): Promise<StoreErrorCode | null> {
  try {
    await call;
    return null;
  } catch (error) {
    if (error instanceof StoreError) return error.code;
    throw error;
  }
}
