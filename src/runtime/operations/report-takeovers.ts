import type { Machine } from "../../ports/machine.ts";
import { type AgentTakeover, sumTakeovers, takeoversOf } from "../../views/takeovers.ts";
import { findRun } from "./tell-run.ts";
import { eventsOf } from "./view-run.ts";

export type { AgentTakeover, KnownSum, TakeoverView } from "../../views/takeovers.ts";

const MOST_RUNS = 1_000_000;

/** Of one run, by its id or the beginning of it, or of all; only what ended since, in milliseconds since 1970. */
export async function reportTakeovers(
  machine: Pick<Machine, "log">,
  run: string | null,
  since: number,
): Promise<AgentTakeover[]> {
  const { log } = machine;
  const rows = run === null ? await log.runs({ limit: MOST_RUNS }) : [await findRun(machine, run)];
  const takeovers = [];
  for (const row of rows.filter(({ updatedAt }) => updatedAt >= since))
    takeovers.push(...takeoversOf(eventsOf(await log.entries(row.run))));
  return sumTakeovers(takeovers.filter(({ ended_at }) => ended_at >= since));
}
