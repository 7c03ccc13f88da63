import { type JsonRecord, type JsonValue, isRecord, ownValue } from "../../shared/json-value.ts";
import { handoffShape } from "../handoff.ts";
import type { RecordShape, Shape } from "../shape.ts";

/** Steps from a record of the canonical handoff to a value; 0 is the first entry of a list. */
type MappedPath = readonly (string | 0)[];

/** What stands at a place of the canonical handoff, and the way there. */
export interface MappedPlace {
  readonly path: MappedPath;
  /** Null in a record that takes any key. */
  readonly shape: Shape | null;
}

export const HANDOFF_PLACE: MappedPlace = { path: [], shape: handoffShape };

/** The place that `is` names, from the place around it. The names were checked when the file was read. */
export function mappedPlace(is: readonly string[], from: Shape | null): MappedPlace {
  const path: (string | 0)[] = [];
  let shape = from;
  for (const step of is) {
    if (shape?.kind === "list") {
      path.push(0);
      shape = shape.item;
    }
    path.push(step);
    const next: Shape | null = shape?.kind === "record" ? (ownValue(shape.fields, step)?.shape ?? null) : null;
    shape = next?.kind === "nullable" ? next.of : next;
  }
  return { path, shape };
}

export function getMapped(record: JsonRecord, path: MappedPath): JsonValue | undefined {
  let value: JsonValue | undefined = record;
  for (const step of path)
    value =
      step === 0 ? (Array.isArray(value) ? value[0] : undefined) : isRecord(value) ? ownValue(value, step) : undefined;
  return value;
}

/** Puts a value there, with the records and lists on the way. */
export function setMapped(record: JsonRecord, path: MappedPath, value: JsonValue): void {
  let inner: JsonRecord = record;
  for (const [index, step] of path.entries()) {
    if (step === 0) continue;
    if (index === path.length - 1) {
      inner[step] = value;
      return;
    }
    inner = path[index + 1] === 0 ? firstEntry(inner, step) : recordAt(inner, step);
  }
}

function recordAt(record: JsonRecord, key: string): JsonRecord {
  const found = ownValue(record, key);
  return isRecord(found) ? found : (record[key] = {});
}

function firstEntry(record: JsonRecord, key: string): JsonRecord {
  const found = ownValue(record, key);
  const first = Array.isArray(found) ? found[0] : undefined;
  if (isRecord(first)) return first;
  const entry: JsonRecord = {};
  record[key] = [entry];
  return entry;
}

/** The fields that the canonical handoff has in an entry of a list. */
export function entryShape(shape: Shape | null): RecordShape | null {
  return shape?.kind === "list" && shape.item.kind === "record" ? shape.item : null;
}
