import { Cron } from "croner";
import type { Schedule } from "../../workflow/schedule.ts";

/**
 * The times of a schedule, in milliseconds since 1970. They depend on nothing but the schedule: whoever asks, and from
 * whichever moment, gets the same ones. A clock time that summer time leaves out comes when the clock goes on; one that
 * comes twice counts the first time, where minute and hour are one number each.
 */
type Times = Pick<Schedule, "cron" | "timezone">;

const MINUTE = 60_000;
const SECOND = 1_000;

/** The first time after this moment; null when there is none. */
export function nextTime(schedule: Times, after: number): number | null {
  return timesOf(schedule).nextRun(new Date(after))?.getTime() ?? null;
}

/** The last time at this moment or before it; null when there is none. */
export function lastTime(schedule: Times, now: number): number | null {
  const minute = now - (now % MINUTE);
  return (
    timesOf(schedule)
      .previousRuns(1, new Date(minute + SECOND))[0]
      ?.getTime() ?? null
  );
}

/** How many times there are between these moments, both excluded, and the first of them. At most `limit` are counted. */
export function timesBetween(
  schedule: Times,
  after: number,
  before: number,
  limit: number,
): { readonly count: number; readonly first: number | null } {
  const times = timesOf(schedule);
  let first: number | null = null;
  let count = 0;
  for (let time = after; count < limit; count++) {
    const next = times.nextRun(new Date(time))?.getTime();
    if (next === undefined || next >= before) break;
    first ??= next;
    time = next;
  }
  return { count, first };
}

function timesOf({ cron, timezone }: Times): Cron {
  return new Cron(cron, { timezone, mode: "5-part", paused: true });
}
