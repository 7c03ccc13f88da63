import type { Machine } from "../../ports/machine.ts";
import { eventItem, type EventItem } from "../../views/event-item.ts";

/** Events of all runs, or of one, after a position, in their order. */
export async function eventsAfter(
  { log }: Pick<Machine, "log">,
  after: number,
  limit: number,
  run?: string,
): Promise<EventItem[]> {
  return (await log.history(after, limit, run)).map(eventItem);
}

/** Where the log ends now. */
export async function lastPosition({ log }: Pick<Machine, "log">): Promise<number> {
  return log.lastPosition();
}
