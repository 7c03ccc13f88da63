import type { Lease, RunRow } from "../../ports/event-log.ts";
import type { Ports } from "../../ports/ports.ts";
import { LEASE_TIME } from "../drive-run.ts";
import { isProvablyGone, workerName } from "../worker-name.ts";

/** Takes the lease of a run; null while another process drives it. */
export async function acquireToResume(ports: Ports, run: string): Promise<Lease | null> {
  return (await claim(ports, run)) ?? ((await freeFromTheDead(ports, run)) ? claim(ports, run) : null);
}

function claim(ports: Ports, run: string): Promise<Lease | null> {
  const now = ports.clock.now();
  return ports.log.acquire(run, workerName(ports), now, now + LEASE_TIME);
}

/** Whether a process that may still be alive holds the lease. */
export function isDriven({ lease }: Pick<RunRow, "lease">, now: number): boolean {
  return lease !== null && lease.until > now && !isProvablyGone(lease.worker);
}

/**
 * Releases the lease of a process that was killed. It releases only the lease that it checked: a newer one has another
 * fence.
 */
async function freeFromTheDead({ log }: Ports, run: string): Promise<boolean> {
  const lease = (await log.run(run))?.lease ?? null;
  if (lease === null || !isProvablyGone(lease.worker)) return lease === null;
  await log.release(lease);
  return true;
}
