import type { Lease, RunRow } from "../../ports/event-log.ts";
import type { Ports } from "../../ports/ports.ts";
import { AppError } from "../../shared/app-error.ts";
import { isRecord } from "../../shared/json-value.ts";
import { idleSince } from "../../views/observed-run.ts";

import { LEASE_TIME, isProvablyGone, workerName } from "../worker-name.ts";

type LeasePorts = Pick<Ports, "log" | "clock">;

/** Takes the lease of a run; null while another process drives it. */
export async function acquireToResume(ports: LeasePorts, run: string): Promise<Lease | null> {
  return (await claim(ports, run)) ?? ((await freeFromTheDead(ports, run)) ? claim(ports, run) : null);
}

function claim(ports: LeasePorts, run: string): Promise<Lease | null> {
  const now = ports.clock.now();
  return ports.log.acquire(run, workerName(ports), now, now + LEASE_TIME);
}

/** Whether a process that may still be alive works on it: one that holds the lease, or the client that is watched. */
export function isDriven(row: Pick<RunRow, "lease" | "summary" | "status" | "updatedAt">, now: number): boolean {
  const { lease, status, updatedAt } = row;
  if (isObserved(row)) return idleSince({ status, updated_at: updatedAt }, now) === null;
  return lease !== null && lease.until > now && !isProvablyGone(lease.worker);
}

/** Whether it is a session of a client, which is watched and not driven. */
export function isObserved({ summary }: Pick<RunRow, "summary">): boolean {
  return isRecord(summary["observed"]);
}

/** Agents of a session are started by their client, and never by us. */
export function refuseObserved({ run, summary }: Pick<RunRow, "run" | "summary">): void {
  if (!isObserved({ summary })) return;
  const hint = `\`baton run WORKFLOW --from ${run}\` continues with what it has handed over.`;
  throw new AppError("conflict", `Run ${run} is a session of a client, which is only watched.`, hint);
}

/**
 * Releases the lease of a process that was killed. It releases only the lease that it checked: a newer one has another
 * fence.
 */
async function freeFromTheDead({ log }: LeasePorts, run: string): Promise<boolean> {
  const lease = (await log.run(run))?.lease ?? null;
  if (lease === null || !isProvablyGone(lease.worker)) return lease === null;
  await log.release(lease);
  return true;
}
