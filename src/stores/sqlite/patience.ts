import { setTimeout as sleep } from "node:timers/promises";
import { asStoreError, isBusy } from "./sqlite-error.ts";

/**
 * How long a call waits for other processes. SQLite's own waiting stops the whole process and looks rarely, so
 * it gets a moment only; the rest is ours, and other work goes on meanwhile.
 */
export const PATIENCE_MILLISECONDS = 60_000;
const LONGEST_PAUSE = 40;

/** Repeats `attempt` while others hold the lock. */
export async function patiently<T>(attempt: () => T, patience: number): Promise<T> {
  const end = performance.now() + patience;
  for (let attempts = 0; ; attempts++) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= end) throw asStoreError(error);
    }
    await sleep(pauseAfter(attempts));
  }
}

/** The same for opening, where nothing else of this process waits yet. */
export function patientlyNow<T>(attempt: () => T, patience: number): T {
  const end = performance.now() + patience;
  for (let attempts = 0; ; attempts++) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= end) throw asStoreError(error);
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseAfter(attempts));
  }
}

/** Random, so that processes that met once do not meet again. */
function pauseAfter(attempts: number): number {
  return 1 + Math.random() * Math.min(LONGEST_PAUSE, 2 ** Math.min(attempts, 6));
}
