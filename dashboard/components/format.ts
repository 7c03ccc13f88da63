/** Times, spans and numbers in words. What is not known is said to be so, never 0. */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const exact = new Intl.DateTimeFormat(undefined, {
  year: "numeric",
  month: "short",
  day: "2-digit",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  timeZoneName: "short",
});
const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const day = new Intl.DateTimeFormat(undefined, { year: "numeric", month: "short", day: "numeric" });
const hour = new Intl.DateTimeFormat(undefined, { weekday: "short", hour: "2-digit", minute: "2-digit" });
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "always", style: "short" });

export function exactTime(at: number): string {
  return Number.isFinite(at) && Math.abs(at) <= 8.64e15 ? exact.format(at) : "not a time";
}

export function clockTime(at: number): string {
  return Number.isFinite(at) && Math.abs(at) <= 8.64e15 ? clock.format(at) : "not a time";
}

export function dayOf(at: number): string {
  return Number.isFinite(at) && Math.abs(at) <= 8.64e15 ? day.format(at) : "not a time";
}

export function hourOf(at: number): string {
  return Number.isFinite(at) && Math.abs(at) <= 8.64e15 ? hour.format(at) : "not a time";
}

export function relativeTime(at: number, now: number): string {
  const away = at - now;
  const size = Math.abs(away);
  if (size < 10 * SECOND) return "just now";
  if (size < MINUTE) return relative.format(Math.round(away / SECOND), "second");
  if (size < HOUR) return relative.format(Math.round(away / MINUTE), "minute");
  if (size < DAY) return relative.format(Math.round(away / HOUR), "hour");
  if (size < 30 * DAY) return relative.format(Math.round(away / DAY), "day");
  return dayOf(at);
}

/** `350 ms`, `4.2 s`, `8 m 45 s`, `3 h 5 m`, `2 d 4 h`. */
export function spanOf(milliseconds: number): string {
  if (milliseconds < SECOND) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 10 * SECOND) return `${(milliseconds / SECOND).toFixed(1)} s`;
  if (milliseconds < MINUTE) return `${Math.round(milliseconds / SECOND)} s`;
  if (milliseconds < HOUR) return two(milliseconds, MINUTE, "m", SECOND, "s");
  if (milliseconds < DAY) return two(milliseconds, HOUR, "h", MINUTE, "m");
  return two(milliseconds, DAY, "d", HOUR, "h");
}

function two(value: number, large: number, largeWord: string, small: number, smallWord: string): string {
  const rest = Math.floor((value % large) / small);
  return `${Math.floor(value / large)} ${largeWord}${rest === 0 ? "" : ` ${rest} ${smallWord}`}`;
}

const whole = new Intl.NumberFormat();
const money = new Intl.NumberFormat(undefined, { style: "currency", currency: "USD", maximumFractionDigits: 4 });
const compact = new Intl.NumberFormat(undefined, { notation: "compact", maximumFractionDigits: 1 });
const fraction = new Intl.NumberFormat(undefined, { maximumFractionDigits: 2 });

export function count(value: number): string {
  return Number.isInteger(value) ? whole.format(value) : fraction.format(value);
}

export function short(value: number): string {
  return Math.abs(value) < 10_000 ? count(value) : compact.format(value);
}

export function dollars(value: number): string {
  return money.format(value);
}

export function percent(share: number): string {
  return `${fraction.format(share * 100)} %`;
}

export function counted(value: number, word: string): string {
  return `${count(value)} ${word}${value === 1 ? "" : "s"}`;
}

export const UNKNOWN = "unknown";
