import type { Machine } from "../../ports/machine.ts";
import { eventItem, type EventItem } from "../../views/event-item.ts";
import { type RunPage, runPage } from "../../views/run-page.ts";
import { readRun } from "../read-run.ts";
import { runItem } from "./list-runs.ts";
import { findRun } from "./tell-run.ts";

export type { EventItem } from "../../views/event-item.ts";

/** A run by its id or the beginning of it. */
export async function showRun(machine: Machine, name: string): Promise<RunPage> {
  const row = await findRun(machine, name);
  const now = machine.clock.now();
  return runPage(runItem(row, now), await readRun(machine, row), now);
}

export interface EventPage {
  readonly events: readonly EventItem[];
  /** For `after` of the next page; null when there is nothing more yet. */
  readonly next: number | null;
}

/** The events of a run after a sequence number. */
export async function listEvents(machine: Machine, name: string, after: number, limit: number): Promise<EventPage> {
  const { run } = await findRun(machine, name);
  const found = await machine.log.entries(run, after, limit + 1);
  const shown = found.slice(0, limit);
  return { events: shown.map(eventItem), next: found.length > limit ? (shown.at(-1)?.sequence ?? null) : null };
}
