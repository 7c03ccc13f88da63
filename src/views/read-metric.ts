import { type JsonValue, shown, type JsonRecord, isRecord } from "../shared/json-value.ts";
import type { Handoff } from "../protocol/handoff.ts";
import { cutText } from "../shared/envelope.ts";

/**
 * The parsed value of a metric in a handoff, with its unit. A value that cannot be parsed with certainty stays text.
 */
export type Metric =
  | { readonly kind: "number" | "percent"; readonly value: number }
  /** Milliseconds. */
  | { readonly kind: "duration"; readonly value: number }
  /** `25/25`; the value is null when the whole is zero. */
  | { readonly kind: "ratio"; readonly value: number | null; readonly part: number; readonly whole: number }
  /** A number with a unit, which is kept as it was written: `12 MB`. */
  | { readonly kind: "amount"; readonly value: number; readonly unit: string }
  | { readonly kind: "flag"; readonly value: boolean }
  | { readonly kind: "text"; readonly text: string };

export type MetricKind = Metric["kind"];

export function readMetric(value: JsonValue): Metric {
  if (typeof value === "boolean") return { kind: "flag", value };
  if (typeof value === "number") return isUsable(value) ? { kind: "number", value } : asText(value);
  if (typeof value !== "string" || value.length > MAX_METRIC) return asText(value);
  const text = value.trim();
  return readPlain(text) ?? readRatio(text) ?? readDuration(text) ?? readAmount(text) ?? asText(value);
}

const MAX_METRIC = 100;

function asText(value: JsonValue): Metric {
  return { kind: "text", text: shown(value) };
}

function isUsable(value: number): boolean {
  return Math.abs(value) <= Number.MAX_SAFE_INTEGER;
}

/** Without leading zeros: `007` is a name. */
const NUMBER = String.raw`-?(?:0|[1-9]\d{0,15})(?:\.\d{1,12})?`;
const PLAIN = new RegExp(`^(${NUMBER})(?: ?(%))?$`);
const RATIO = new RegExp(String.raw`^(${NUMBER}) ?/ ?(${NUMBER})$`);
const AMOUNT = new RegExp(String.raw`^(${NUMBER}) ?([A-Za-z]{1,20}(?:/[A-Za-z]{1,20})?)$`);

function numberOf(text: string | undefined): number | null {
  const value = Number(text);
  return isUsable(value) ? value : null;
}

function readPlain(text: string): Metric | null {
  const found = PLAIN.exec(text);
  const value = found === null ? null : numberOf(found[1]);
  if (found === null || value === null) return null;
  return { kind: found[2] === undefined ? "number" : "percent", value };
}

function readRatio(text: string): Metric | null {
  const found = RATIO.exec(text);
  if (found === null) return null;
  const [part, whole] = [numberOf(found[1]), numberOf(found[2])];
  if (part === null || whole === null || part < 0 || whole < 0) return null;
  return { kind: "ratio", value: whole === 0 ? null : part / whole, part, whole };
}

function readAmount(text: string): Metric | null {
  const found = AMOUNT.exec(text);
  const value = found === null ? null : numberOf(found[1]);
  return found === null || value === null ? null : { kind: "amount", value, unit: found[2] ?? "" };
}

function readDuration(text: string): Metric | null {
  const value = readIso(text) ?? readClock(text) ?? readWords(text);
  return value === null || !isUsable(value) ? null : { kind: "duration", value };
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const WEEK = 7 * DAY;

/** `PT8M45S`. Months and years have no fixed length, so they are not parsed. */
function readIso(text: string): number | null {
  const found =
    /^P(?=.)(?:(\d{1,9})W)?(?:(\d{1,9})D)?(?:T(?=.)(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9}(?:\.\d{1,9})?)S)?)?$/.exec(
      text,
    );
  return found === null ? null : sum(found.slice(1), [WEEK, DAY, HOUR, MINUTE, SECOND]);
}

/** `1:02:03`. A value with one colon is ambiguous: hours and minutes, or minutes and seconds. */
function readClock(text: string): number | null {
  const found = /^(\d{1,4}):([0-5]\d):([0-5]\d(?:\.\d{1,9})?)$/.exec(text);
  return found === null ? null : sum(found.slice(1), [HOUR, MINUTE, SECOND]);
}

function sum(parts: readonly (string | undefined)[], lengths: readonly number[]): number {
  return parts.reduce((total, part, index) => total + Number(part ?? 0) * (lengths[index] ?? 0), 0);
}

const LENGTHS: ReadonlyMap<string, number> = new Map(
  (
    [
      [WEEK, ["w", "week", "weeks"]],
      [DAY, ["d", "day", "days"]],
      [HOUR, ["h", "hr", "hrs", "hour", "hours"]],
      [MINUTE, ["m", "min", "mins", "minute", "minutes"]],
      [SECOND, ["s", "sec", "secs", "second", "seconds"]],
      [1, ["ms", "msec", "millisecond", "milliseconds"]],
    ] as const
  ).flatMap(([length, words]) => words.map((word) => [word, length] as const)),
);

const PART = /(\d{1,9}(?:\.\d{1,9})?) ?([a-z]{1,12})(?:$|, ?| and | ?(?=\d))/y;

/** `8m 45s`, `1.5h`, `2 days 4 hours`: from the largest unit to the smallest, each at most once. */
function readWords(text: string): number | null {
  let total = 0;
  let before = Number.POSITIVE_INFINITY;
  for (let at = 0; at < text.length; at = PART.lastIndex) {
    PART.lastIndex = at;
    const found = PART.exec(text);
    const length = LENGTHS.get(found?.[2] ?? "");
    if (found === null || length === undefined || length >= before) return null;
    total += Number(found[1]) * length;
    before = length;
  }
  return text === "" || /[, ]$|and $/.test(text) ? null : total;
}

/** One metric of a handoff: its name, its text and its parsed value. */
export interface SaidFigure {
  readonly name: string;
  readonly text: string;
  readonly metric: Metric;
}

const MAX_NAME = 80;
const MAX_VALUE = 120;
const DEEPEST = 4;
const MAX_OF_A_HANDOFF = 100;

/** All metrics of a handoff. Nested maps are flattened to paths, and null values are skipped. */
export function figuresOf({ metrics }: Handoff): SaidFigure[] {
  const found: SaidFigure[] = [];
  if (metrics !== undefined) collect(metrics, "", 1, found);
  return found;
}

function collect(map: JsonRecord, path: string, depth: number, found: SaidFigure[]): void {
  for (const [key, value] of Object.entries(map)) {
    if (found.length >= MAX_OF_A_HANDOFF) return;
    if (value === undefined || value === null) continue;
    const name = path === "" ? key : `${path}.${key}`;
    if (isRecord(value) && depth < DEEPEST) collect(value, name, depth + 1, found);
    else found.push(said(name, value));
  }
}

function said(name: string, value: JsonValue): SaidFigure {
  const text = cutText(shown(value), MAX_VALUE);
  const metric = readMetric(value);
  return { name: cutText(name, MAX_NAME), text, metric: metric.kind === "text" ? { kind: "text", text } : metric };
}

interface SaidCoverage {
  readonly measure: string | null;
  readonly percent: number;
}

const NAMES = ["test_coverage", "coverage", "coverage_percent", "code_coverage"];
const PARTS = new Set(["lines", "branches", "functions", "statements"]);

/** Test coverage in percent, under the names that the formats use. The formats define a bare number as percent. */
export function coverageSaid({ metrics, checks }: Handoff): SaidCoverage[] {
  for (const map of [metrics, checks?.results])
    for (const name of NAMES) {
      const value = map !== undefined && Object.hasOwn(map, name) ? map[name] : undefined;
      if (value !== undefined && value !== null) return isRecord(value) ? byPart(value) : percentOf(null, value);
    }
  return [];
}

function byPart(value: JsonRecord): SaidCoverage[] {
  return Object.entries(value).flatMap(([name, part]) =>
    part !== undefined && PARTS.has(name) ? percentOf(name, part) : [],
  );
}

function percentOf(measure: string | null, value: JsonValue): SaidCoverage[] {
  const metric = readMetric(value);
  if (metric.kind !== "percent" && metric.kind !== "number") return [];
  return metric.value < 0 || metric.value > 100 ? [] : [{ measure, percent: metric.value }];
}
