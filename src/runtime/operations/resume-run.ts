import type { Lease, RunRow } from "../../ports/event-log.ts";
import type { Machine } from "../../ports/machine.ts";
import { LEASE_TIME } from "../drive-run.ts";
import { isProvablyGone, workerName } from "../worker-name.ts";

/** Takes the lease of a run; null while another process drives it. */
export async function claimRun(machine: Machine, run: string): Promise<Lease | null> {
  return (await claim(machine, run)) ?? ((await freeFromTheDead(machine, run)) ? claim(machine, run) : null);
}

function claim(machine: Machine, run: string): Promise<Lease | null> {
  const now = machine.clock.now();
  return machine.log.claim(run, workerName(machine), now, now + LEASE_TIME);
}

/** Whether a process that may still be alive holds it. */
export function isDriven({ lease }: Pick<RunRow, "lease">, now: number): boolean {
  return lease !== null && lease.until > now && !isProvablyGone(lease.worker);
}

/** Releases the lease of a worker that was killed. Only the very lease that was seen: a newer one has another fence. */
async function freeFromTheDead({ log }: Machine, run: string): Promise<boolean> {
  const lease = (await log.run(run))?.lease ?? null;
  if (lease === null || !isProvablyGone(lease.worker)) return lease === null;
  await log.release(lease);
  return true;
}
