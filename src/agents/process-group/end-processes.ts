import { setTimeout as sleep } from "node:timers/promises";
import { findKin } from "./find-kin.ts";
import type { Leader } from "./marker-file.ts";
import { HAS_PROCESS_TABLE, readProcess } from "./process-table.ts";
import type { ProcessRow } from "./process-table.ts";

/** How long a process may take to leave by itself after SIGTERM. */
const GRACE = 2000;
/** After this even SIGKILL has failed: such a process hangs in the kernel and nobody can end it. */
const HOPELESS = 10_000;

/**
 * Ends every process of an attempt: asks, waits, then kills until none is left.
 * Returns those that even the kernel could not end, as a rule none.
 */
export async function endProcesses(mark: string, leader: Leader | null, grace = GRACE): Promise<number[]> {
  if (!HAS_PROCESS_TABLE) return await endGroup(leader, grace);
  const asked = findKin(mark, leader);
  if (asked.length > 0) {
    for (const row of asked) signal(row.pid, "SIGTERM");
    await untilGone(asked, grace);
  }
  return await killUntilNoneIsLeft(mark, leader);
}

/** Two looks in a row must find nothing: a process that just becomes another program shows no environment. */
async function killUntilNoneIsLeft(mark: string, leader: Leader | null): Promise<number[]> {
  const deadline = performance.now() + HOPELESS;
  let emptyLooks = 0;
  for (;;) {
    const kin = findKin(mark, leader);
    if (kin.length === 0) emptyLooks += 1;
    else emptyLooks = 0;
    if (emptyLooks === 2) return [];
    if (performance.now() > deadline) return kin.map((row) => row.pid);
    for (const row of kin) signal(row.pid, "SIGKILL");
    await sleep(kin.length === 0 ? 2 : 5);
  }
}

/** Looks only at the processes that were asked, which is cheap enough to do often. */
async function untilGone(rows: readonly ProcessRow[], grace: number): Promise<void> {
  const deadline = performance.now() + grace;
  let left = rows;
  while (performance.now() < deadline) {
    left = left.filter((row) => readProcess(row.pid)?.startTime === row.startTime);
    if (left.length === 0) return;
    await sleep(10);
  }
}

async function endGroup(leader: Leader | null, grace: number): Promise<number[]> {
  if (leader === null || !signal(-leader.pid, "SIGTERM")) return [];
  const deadline = performance.now() + grace;
  while (performance.now() < deadline && signal(-leader.pid, 0)) await sleep(20);
  const hopeless = performance.now() + HOPELESS;
  while (signal(-leader.pid, "SIGKILL")) {
    if (performance.now() > hopeless) return [leader.pid];
    await sleep(10);
  }
  return [];
}

/** False when there is nobody to take it. */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}
