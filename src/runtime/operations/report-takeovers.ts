import type { Machine } from "../../ports/machine.ts";
import { type AgentTakeover, TakeoverSums, takeoversOf } from "../../views/takeovers.ts";
import { chooseRows } from "./measure-runs.ts";
import { eventsOf } from "./view-run.ts";

export type { AgentTakeover, KnownSum, TakeoverView } from "../../views/takeovers.ts";

/** Of one run, by its id or the beginning of it, or of all; only what ended since, in milliseconds since 1970. */
export async function reportTakeovers(
  machine: Pick<Machine, "log">,
  run: string | null,
  since: number,
): Promise<AgentTakeover[]> {
  const sums = new TakeoverSums();
  for (const row of await chooseRows(machine, run === null ? { since } : { run }))
    for (const takeover of takeoversOf(eventsOf(await machine.log.entries(row.run))))
      if (takeover.ended_at >= since) sums.add(takeover);
  return sums.agents();
}
