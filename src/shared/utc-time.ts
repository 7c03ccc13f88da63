/** The same instant in UTC with Z; a time without a zone is taken as UTC. Null when it is no ISO 8601 time. */
export function toUtc(text: string): string | null {
  const found = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(:\d{2}(?:\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?$/.exec(text);
  if (found === null) return null;
  const [year, month, day, hour, minute] = found.slice(1, 6).map(Number) as [number, number, number, number, number];
  const [seconds = ":00", zone = "Z"] = found.slice(6);
  if (zone === "Z") return text.endsWith("Z") ? text : `${text}Z`;
  const sign = zone.startsWith("-") ? -1 : 1;
  const offset = sign * (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2)));
  const minutes = (daysFromCivil(year, month, day) * 24 + hour) * 60 + minute - offset;
  return `${civilFromMinutes(minutes)}${seconds}Z`;
}

/** Milliseconds since 1970; a time without a zone is taken as UTC. Null when it is no ISO 8601 time. */
export function epochOf(text: string): number | null {
  const found = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2}(?:\.\d+)?))?Z$/.exec(toUtc(text) ?? "");
  if (found === null) return null;
  const [year, month, day, hour, minute] = found.slice(1, 6).map(Number) as [number, number, number, number, number];
  const minutes = (daysFromCivil(year, month, day) * 24 + hour) * 60 + minute;
  return minutes * 60_000 + Math.round(Number(found[6] ?? 0) * 1000);
}

/** `2026-11-16T05:00:21Z`. */
export function utcOf(epoch: number): string {
  const seconds = Math.floor(epoch / 1_000);
  return `${civilFromMinutes(Math.floor(seconds / 60))}:${pad(((seconds % 60) + 60) % 60, 2)}Z`;
}

/** `2026-11-16`, the day in UTC. */
export function dateOf(epoch: number): string {
  return utcOf(epoch).slice(0, "2026-11-16".length);
}

/** Days since 1970-01-01 in the proleptic Gregorian calendar, counting years from March. */
function daysFromCivil(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  return (
    era * 146_097 + yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear - 719_468
  );
}

function civilFromMinutes(minutes: number): string {
  const days = Math.floor(minutes / 1440) + 719_468;
  const era = Math.floor(days / 146_097);
  const dayOfEra = days - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shifted = Math.floor((5 * dayOfYear + 2) / 153);
  const month = shifted < 10 ? shifted + 3 : shifted - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  const day = dayOfYear - Math.floor((153 * shifted + 2) / 5) + 1;
  const rest = ((minutes % 1440) + 1440) % 1440;
  return `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}T${pad(Math.floor(rest / 60), 2)}:${pad(rest % 60, 2)}`;
}

function pad(value: number, length: number): string {
  return String(value).padStart(length, "0");
}

/** `4.2 s`, `3 min 05 s`, `2 h 10 min`, `3 d 04 h`. */
export function printElapsed(milliseconds: number): string {
  const seconds = Math.max(0, milliseconds) / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${padded(Math.floor(seconds % 60))} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${padded(minutes % 60)} min` : `${Math.floor(hours / 24)} d ${padded(hours % 24)} h`;
}

function padded(value: number): string {
  return String(value).padStart(2, "0");
}
