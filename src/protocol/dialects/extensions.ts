import { type JsonRecord, isRecord, ownValue } from "../../shared/json-value.ts";
import type { DialectName, Handoff } from "../handoff.ts";
import type { RecordShape } from "../shape.ts";

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
