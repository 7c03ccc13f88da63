import type { Machine } from "../../ports/machine.ts";
import { type AgentTruth, AgentTruths } from "../../views/agent-truth.ts";
import { parseDuration } from "../../workflow/file/words.ts";
import { findRun } from "./tell-run.ts";
import { eventsOf } from "./view-run.ts";

export type { AgentTruth } from "../../views/agent-truth.ts";

export interface AgentReport {
  /** Runs that were looked at. */
  readonly runs: number;
  readonly agents: readonly AgentTruth[];
}

/** Of one run, by its id or the beginning of it, or of all; only what happened since, in milliseconds since 1970. */
export async function reportAgents(
  machine: Pick<Machine, "log">,
  run: string | null,
  since: number,
): Promise<AgentReport> {
  const { log } = machine;
  const rows = run === null ? await log.runs({ limit: MOST_RUNS }) : [await findRun(machine, run)];
  const recent = rows.filter(({ updatedAt }) => updatedAt >= since);
  const truths = new AgentTruths();
  for (const row of recent) {
    const entries = await log.entries(row.run);
    truths.addRun(eventsOf(entries.filter(({ at }) => at >= since)));
  }
  return { runs: recent.length, agents: truths.all() };
}

const MOST_RUNS = 1_000_000;

/** `7d`, `12h`; null when it is no duration. */
export function sinceBy(text: string, now: number): number | null {
  const duration = parseDuration(text);
  return duration === null ? null : now - duration;
}
