import { cutText, visibleLine } from "../shared/envelope.ts";
import { type JsonPath, type JsonValue, isRecord, printPath } from "../shared/json-value.ts";

const MAX_FIELD = 4_000;
const MAX_KEY = 100;
const MAX_ITEMS = 100;

/** A value as it fits into a prompt, and what of it was left out. */
interface Shortened {
  readonly value: JsonValue;
  /** `2900 of 3000 entries of context.decisions`; empty when the value is whole. */
  readonly leftOut: readonly string[];
}

/** Caps each field, so that one huge field does not push the others out. */
export function shorten(value: unknown): Shortened {
  // Most handoffs fit, and then need no copy.
  if (fits(value)) return { value: value as JsonValue, leftOut: [] };
  const leftOut: string[] = [];
  return { value: capped(value, [], leftOut), leftOut };
}

function fits(value: unknown): boolean {
  if (typeof value === "string") return value.length <= MAX_FIELD;
  if (typeof value !== "object" || value === null) return true;
  const keys = Object.keys(value);
  return keys.length <= MAX_ITEMS && keys.every((key) => key.length <= MAX_KEY && fits((value as never)[key]));
}

function capped(value: unknown, path: JsonPath, leftOut: string[]): JsonValue {
  if (typeof value === "string") {
    if (value.length > MAX_FIELD) leftOut.push(count(value.length - MAX_FIELD, value.length, "characters", path));
    return cutText(value, MAX_FIELD);
  }
  if (Array.isArray(value)) {
    if (value.length > MAX_ITEMS) leftOut.push(count(value.length - MAX_ITEMS, value.length, "entries", path));
    return value.slice(0, MAX_ITEMS).map((item, at) => capped(item, [...path, at], leftOut));
  }
  if (!isRecord(value)) return (value ?? null) as JsonValue;
  const entries = Object.entries(value).filter(([, part]) => part !== undefined);
  if (entries.length > MAX_ITEMS) leftOut.push(count(entries.length - MAX_ITEMS, entries.length, "fields", path));
  return Object.fromEntries(
    entries.slice(0, MAX_ITEMS).map(([key, part]) => [cutText(key, MAX_KEY), capped(part, [...path, key], leftOut)]),
  );
}

function count(left: number, all: number, what: string, path: JsonPath): string {
  return `${left} of ${all} ${what} of ${cutText(visibleLine(printPath(path)), MAX_KEY)}`;
}
