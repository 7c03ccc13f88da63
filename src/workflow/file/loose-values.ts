import { type JsonRecord, type JsonValue, isRecord } from "../../shared/json-value.ts";
import { parseDuration, parseSize } from "./words.ts";

/**
 * Accessors for the values of a file that was already checked. An invalid value is treated as absent: the workflow is
 * rejected anyway, but the rest of it can still be checked.
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

/** An item that is not text becomes an empty string, so that the indexes of the other items stay correct. */
export function textsOr(value: Value, fallback: readonly string[] = []): readonly string[] {
  return Array.isArray(value) ? value.map((item) => textOr(item, "")) : fallback;
}

/** Accepts a number as an id, so that missing quotes cause no further errors. */
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
