import { type JsonRecord, isRecord, ownValue } from "../../shared/json-value.ts";
import type { DialectName, Handoff } from "../handoff.ts";
import type { RecordShape } from "../shape.ts";

/** The record without its absent fields, or nothing when none is left. A record without absent fields is not copied. */
export function compact<T extends object>(record: T): T | undefined {
  const given = record as JsonRecord;
  for (const key in given) if (given[key] === undefined) return compactCopy(given) as T | undefined;
  return record;
}

function compactCopy(record: JsonRecord): JsonRecord | undefined {
  let left: JsonRecord | undefined;
  for (const key in record) if (record[key] !== undefined) (left ??= {})[key] = record[key];
  return left;
}

/** The record without its absent fields. */
export function present<T extends object>(record: T): T {
  return compact(record) ?? ({} as T);
}

/** The list with each item changed; an absent list stays absent. */
export function each<From, To>(
  list: readonly From[] | undefined,
  change: (item: From, index: number) => To,
): To[] | undefined {
  return list === undefined ? undefined : list.map(change);
}

/**
 * Fields of a document that its dialect does not name, as a part of the same document: what is left
 * when everything known is taken away. Items of lists are open and keep their unknown keys themselves.
 */
export function unknownFields(document: JsonRecord, shape: RecordShape): JsonRecord | undefined {
  let unknown: JsonRecord | undefined;
  for (const key in document) {
    const known = ownValue(shape.fields, key);
    let kept = document[key];
    if (known !== undefined) {
      const shapeOfValue = known.shape.kind === "nullable" ? known.shape.of : known.shape;
      kept = shapeOfValue.kind === "record" && isRecord(kept) ? unknownFields(kept, shapeOfValue) : undefined;
    }
    if (kept !== undefined) (unknown ??= {})[key] = kept;
  }
  return unknown;
}

/** The handoff with the unknown fields of its document as extensions, if there are any. */
export function extended(handoff: Handoff, unknown: JsonRecord | undefined): Handoff {
  return unknown === undefined ? handoff : { ...handoff, extensions: { [handoff.dialect]: unknown } };
}

/** Puts the dialect's own unknown fields back where they were. */
export function withExtensions(document: JsonRecord, handoff: Handoff, dialect: DialectName): JsonRecord {
  const own = handoff.extensions?.[dialect];
  return isRecord(own) ? merge(document, own) : document;
}

function merge(into: JsonRecord, from: JsonRecord): JsonRecord {
  const merged: JsonRecord = { ...into };
  for (const [key, value] of Object.entries(from)) {
    const before = ownValue(merged, key);
    if (before === undefined) merged[key] = value;
    else if (isRecord(before) && isRecord(value)) merged[key] = merge(before, value);
  }
  return merged;
}

/** `BackendBuilder` and `Iron Man` as `backend-builder` and `iron-man`. */
export function kebabCase(name: string): string {
  const kebab = name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1-$2")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^[-0-9]+|-+$/g, "");
  return kebab === "" ? UNKNOWN_AGENT : kebab;
}

/** Stands for an author or receiver that a handoff does not name. */
export const UNKNOWN_AGENT = "unknown-agent";
