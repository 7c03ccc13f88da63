import type { Event } from "../workflow/event.ts";

/** Attempts that were not watched to their end: they were lost, or stopped with their task. Nobody knows their time. */
export function unwatchedAttempts(events: readonly Event[]): number {
  /** The attempt at work on each task. */
  const atWork = new Set<string>();
  let found = 0;
  for (const event of events) {
    if (event.kind === "attempt-started") atWork.add(event.task);
    else if (event.kind === "attempt-ended") {
      atWork.delete(event.task);
      if (event.end === "lost") found++;
    } else if (event.kind === "task-finished" && atWork.delete(event.task)) found++;
  }
  return found;
}
