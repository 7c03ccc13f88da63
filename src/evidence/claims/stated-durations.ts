/** A duration as it may be meant: without a unit, a number may be one of milliseconds, seconds or minutes. */
interface StatedDuration {
  /** In milliseconds, the shortest first. */
  readonly readings: readonly number[];
  /** The smallest unit that is named, in milliseconds: the figure may be rounded to it. */
  readonly unit: number;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `6m 10s`, `1 day 3 hours`, `00:06:10`, `PT6M10S`, `~5 min`, `370`; null for anything else. */
export function readDuration(value: number | string, unit: string | null): StatedDuration | null {
  const text = String(value)
    .trim()
    .toLowerCase()
    .replace(/^(?:~|≈|<|about |approx\.? |ca\.? )\s*/, "")
    .slice(0, 100);
  if (/^\d{1,12}(?:\.\d{1,9})?$/.test(text)) return plainNumber(Number(text), unit);
  const clock = /^(\d{1,3}):([0-5]\d)(?::([0-5]\d)(?:\.\d+)?)?$/.exec(text);
  if (clock !== null) return clockTime(Number(clock[1]), Number(clock[2]), clock[3]);
  const iso = /^p(?:\d+d)?(?:t(?:\d+h)?(?:\d+m)?(?:[\d.]+s)?)?$/.test(text) ? text.replaceAll(/[pt]/g, " ") : text;
  return sumOfParts(iso);
}

function plainNumber(number: number, unit: string | null): StatedDuration {
  const size = unit === null ? undefined : sizeOf(unit);
  if (size !== undefined) return { readings: [number * size], unit: size };
  return { readings: [number, number * SECOND, number * MINUTE], unit: MINUTE };
}

/** `6:10` is minutes and seconds, or hours and minutes. */
function clockTime(first: number, second: number, third: string | undefined): StatedDuration {
  if (third !== undefined) return { readings: [first * HOUR + second * MINUTE + Number(third) * SECOND], unit: SECOND };
  return { readings: [first * MINUTE + second * SECOND, first * HOUR + second * MINUTE], unit: MINUTE };
}

const PART = /(\d{1,9}(?:\.\d{1,9})?)\s*([a-z]+)/g;

function sumOfParts(text: string): StatedDuration | null {
  let sum = 0;
  let smallest = Infinity;
  for (const [, number = "", word = ""] of text.matchAll(PART)) {
    const size = sizeOf(word);
    if (size === undefined) return null;
    sum += Number(number) * size;
    smallest = Math.min(smallest, size);
  }
  const isAll = /^[\s,]*(?:and[\s,]*)?$/.test(text.replaceAll(PART, "").replaceAll(/\band\b/g, ""));
  return smallest === Infinity || !isAll ? null : { readings: [sum], unit: smallest };
}

function sizeOf(word: string): number | undefined {
  return UNITS.find(([pattern]) => pattern.test(word))?.[1];
}

const UNITS: readonly (readonly [RegExp, number])[] = [
  [/^(?:ms|msecs?|milliseconds?)$/, 1],
  [/^(?:s|secs?|seconds?)$/, SECOND],
  [/^(?:m|mins?|minutes?)$/, MINUTE],
  [/^(?:h|hrs?|hours?)$/, HOUR],
  [/^(?:d|days?)$/, DAY],
  [/^(?:w|weeks?)$/, 7 * DAY],
];
