import type { Lease } from "../../ports/event-log.ts";
import type { Machine } from "../../ports/machine.ts";
import { LEASE_TIME } from "../drive-run.ts";
import { workerName } from "../worker-name.ts";

/** Takes the lease of a run; null while another process drives it. */
export async function claimRun(machine: Machine, run: string): Promise<Lease | null> {
  const now = machine.clock.now();
  return machine.log.claim(run, workerName(machine), now, now + LEASE_TIME);
}
