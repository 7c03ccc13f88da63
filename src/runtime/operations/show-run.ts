import type { Ports } from "../../ports/ports.ts";
import { type EventList, eventItem, type EventItem } from "../../views/event-line.ts";
import { type RunPage, runPage } from "../../views/run-page.ts";
import { readRun } from "../read-run.ts";
import { runItem } from "./list-runs.ts";
import { findRun } from "./send-input.ts";
import type { AuditList } from "../../views/audit-report.ts";
import type { Engine } from "../engine.ts";

/** Shows a run, found by its id or a prefix of it. */
export async function showRun(ports: Ports, name: string): Promise<RunPage> {
  const row = await findRun(ports, name);
  const now = ports.clock.now();
  return runPage(runItem(row, now), await readRun(ports, row), now);
}

/** The events of a run after a sequence number. */
export async function listEvents(ports: Ports, name: string, after: number, limit: number): Promise<EventList> {
  const { run } = await findRun(ports, name);
  const found = await ports.log.entries(run, after, limit + 1);
  const shown = found.slice(0, limit);
  return { events: shown.map(eventItem), next: found.length > limit ? (shown.at(-1)?.sequence ?? null) : null };
}

/** Events of all runs, or of one, after a position, in order. */
export async function eventsAfter(
  { log }: Pick<Ports, "log">,
  after: number,
  limit: number,
  run?: string,
): Promise<EventItem[]> {
  return (await log.history(after, limit, run)).map(eventItem);
}

/** The last position of the log. */
export async function lastPosition({ log }: Pick<Ports, "log">): Promise<number> {
  return log.lastPosition();
}

/** Entries of all runs after this position, in order. */
export async function listAudit(
  { ports }: Engine,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<AuditList> {
  const found = await ports.log.history(after, limit + 1);
  const entries = found.slice(0, limit).map(({ data, ...entry }) => ({ ...entry, is_pruned: data === null }));
  return { entries, next: found.length > limit ? (entries.at(-1)?.position ?? null) : null };
}
