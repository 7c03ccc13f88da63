import { groupBy } from "../shared/group-by.ts";
import { dateOf, epochOf } from "../shared/utc-time.ts";
import type { PeriodLength } from "./metrics.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

interface Period<T> {
  readonly from: number;
  readonly to: number;
  readonly runs: readonly T[];
}

/** Hours, days, weeks from Monday or months, all in UTC: as few of them as still show a course. */
export function cutPeriods<T extends { readonly at: number }>(
  runs: readonly T[],
): { every: PeriodLength; periods: Period<T>[] } {
  const times = runs.map(({ at }) => at);
  const first = times.reduce((least, at) => Math.min(least, at), Number.POSITIVE_INFINITY);
  const last = times.reduce((most, at) => Math.max(most, at), Number.NEGATIVE_INFINITY);
  if (runs.length === 0) return { every: "day", periods: [] };
  const every = lengthFor(last - first);
  const groups = groupBy(runs, ({ at }) => periodStart(every, at));
  const periods: Period<T>[] = [];
  for (let from = periodStart(every, first); from <= last; from = nextStart(every, from))
    periods.push({ from, to: nextStart(every, from), runs: groups.get(from) ?? [] });
  return { every, periods };
}

function lengthFor(span: number): PeriodLength {
  if (span <= 2 * DAY) return "hour";
  if (span <= 92 * DAY) return "day";
  return span <= 731 * DAY ? "week" : "month";
}

/** 1970 began on a Thursday. */
const FIRST_MONDAY = 4 * DAY;

function periodStart(every: PeriodLength, at: number): number {
  if (every === "hour") return at - modulo(at, HOUR);
  if (every === "day") return at - modulo(at, DAY);
  if (every === "week") return at - modulo(at - FIRST_MONDAY, 7 * DAY);
  return epochOf(`${dateOf(at).slice(0, "2026-11".length)}-01T00:00:00Z`) ?? at;
}

function nextStart(every: PeriodLength, from: number): number {
  if (every === "hour") return from + HOUR;
  if (every === "day") return from + DAY;
  return every === "week" ? from + 7 * DAY : periodStart("month", from + 31 * DAY);
}

function modulo(value: number, by: number): number {
  return ((value % by) + by) % by;
}
