import fc from "fast-check";
import { type JsonPath, type JsonRecord, type JsonValue, isRecord } from "../../src/shared/json-value.ts";

/** A document with one place changed. */
interface MutatedDocument {
  readonly document: JsonRecord;
  readonly path: JsonPath;
}

/** What can happen to one value; `undefined` takes it away. */
type Change = (value: JsonValue) => JsonValue | undefined;

const REPLACEMENTS: readonly JsonValue[] = [
  null,
  true,
  false,
  0,
  1,
  -1,
  2.5,
  101,
  "",
  "   ",
  "x",
  "None",
  "@x",
  "completed",
  "complete",
  "partial",
  "blocked",
  "failed",
  "needs-review",
  "approved by all",
  "2026-02-30T10:00:00Z",
  "2026-03-09",
  "9-3",
  "/etc/passwd",
  "../up.ts",
  "a | b",
  [],
  {},
  ["x"],
  [1],
  [null],
  [{}],
  { x: 1 },
];

const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 2, arbitrary: fc.constant<Change>(() => undefined) },
  {
    weight: 4,
    arbitrary: fc.constantFrom(...REPLACEMENTS).map(
      (value): Change =>
        () =>
          structuredClone(value),
    ),
  },
  { weight: 3, arbitrary: fc.constantFrom<Change>(otherCase, padded, cut, doubled, listed, emptied, extended) },
);

/** One random change at one random place of a document. */
export function mutated(documents: fc.Arbitrary<JsonRecord>): fc.Arbitrary<MutatedDocument> {
  return fc.tuple(documents, fc.nat(), change).map(([source, choice, apply]) => {
    const document = structuredClone(source);
    const places = placesOf(document);
    const path = places[choice % places.length] ?? [];
    changeAt(document, path, apply);
    return { document, path };
  });
}

export function valueAt(document: unknown, path: JsonPath): unknown {
  let value = document;
  for (const step of path) value = (value as Record<string | number, unknown> | null | undefined)?.[step];
  return value;
}

function placesOf(value: JsonValue, prefix: JsonPath = []): JsonPath[] {
  const entries = Array.isArray(value) ? [...value.entries()] : isRecord(value) ? Object.entries(value) : [];
  return entries.flatMap(([step, inner]) => {
    const path = [...prefix, step];
    return inner === undefined ? [] : [path, ...placesOf(inner, path)];
  });
}

function changeAt(document: JsonRecord, path: JsonPath, apply: Change): void {
  const last = path.at(-1);
  if (last === undefined) return;
  const holder = valueAt(document, path.slice(0, -1)) as JsonRecord | JsonValue[];
  const before = (holder as JsonRecord)[last];
  const after = before === undefined ? undefined : apply(before);
  if (after !== undefined) (holder as JsonRecord)[last] = after;
  else if (Array.isArray(holder)) holder.splice(Number(last), 1);
  else delete holder[last];
}

function otherCase(value: JsonValue): JsonValue {
  if (typeof value !== "string") return value;
  return value === value.toUpperCase() ? value.toLowerCase() : value.toUpperCase();
}

function padded(value: JsonValue): JsonValue {
  return typeof value === "string" ? ` ${value} ` : value;
}

function cut(value: JsonValue): JsonValue {
  return typeof value === "string" || Array.isArray(value) ? value.slice(1) : value;
}

function doubled(value: JsonValue): JsonValue {
  if (typeof value === "string") return value + value;
  return Array.isArray(value) ? [...value, ...structuredClone(value)] : value;
}

function listed(value: JsonValue): JsonValue {
  return [value];
}

function emptied(value: JsonValue): JsonValue {
  if (typeof value === "string") return "";
  return Array.isArray(value) ? [] : {};
}

function extended(value: JsonValue): JsonValue {
  return isRecord(value) ? { ...value, unheard_of: true } : value;
}
