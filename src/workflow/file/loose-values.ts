import { type JsonRecord, type JsonValue, isRecord } from "../../shared/json-value.ts";
import { parseDuration, parseSize } from "./words.ts";

/**
 * Values of a file that was already judged. Where one is wrong the reader goes on as if it were absent: the
 * workflow is then refused, but the rest of it can still be checked.
 */

type Value = JsonValue | undefined;

export function recordOr(value: Value): JsonRecord {
  return isRecord(value) ? value : {};
}

export function listOr(value: Value): JsonValue[] {
  return Array.isArray(value) ? value : [];
}

export function textOr<F>(value: Value, fallback: F): string | F {
  return typeof value === "string" ? value : fallback;
}

/** What is no text stands as an empty one: what is told of the others names their own places. */
export function textsOr(value: Value, fallback: readonly string[] = []): readonly string[] {
  return Array.isArray(value) ? value.map((item) => textOr(item, "")) : fallback;
}

/** A number that was meant as an id is known by its digits, so that nothing follows from its missing quotes. */
export function idOr(value: Value, fallback: string): string {
  return typeof value === "number" ? String(value) : textOr(value, fallback);
}

export function numberOr<F>(value: Value, fallback: F): number | F {
  return typeof value === "number" ? value : fallback;
}

export function wordOr<W extends string, F extends W | null>(value: Value, words: readonly W[], fallback: F): W | F {
  return words.find((word) => word === value) ?? fallback;
}

/** Milliseconds. */
export function durationOr<F>(value: Value, fallback: F): number | F {
  return (typeof value === "string" ? parseDuration(value) : null) ?? fallback;
}

/** Bytes. */
export function sizeOr<F>(value: Value, fallback: F): number | F {
  return (typeof value === "string" ? parseSize(value) : null) ?? fallback;
}
