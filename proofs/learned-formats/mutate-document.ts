import { type JsonPath, type JsonRecord, type JsonValue, isRecord } from "../../src/shared/json-value.ts";

/** A copy of a document with one fault, and what the fault is. */
export interface Mutant {
  readonly kind: "removed" | "retyped" | "reworded";
  readonly path: string;
  readonly document: JsonRecord;
}

/** What one place of all documents of a family holds; lists are not walked into. */
interface FamilyPlace {
  readonly path: readonly string[];
  readonly documents: number;
  /** Documents that have the record around it. */
  readonly around: number;
  readonly kinds: ReadonlySet<string>;
  readonly words: ReadonlyMap<string, number>;
}

/**
 * The places of a family that faults are put at. They are found in all documents of the family, by rules of their own:
 * nothing here is asked of what was learned.
 */
export function familyPlaces(documents: readonly JsonRecord[]): FamilyPlace[] {
  const places = new Map<string, { -readonly [Key in keyof FamilyPlace]: FamilyPlace[Key] }>();
  const aroundOf = new Map<string, number>();
  const walk = (record: JsonRecord, before: readonly string[]): void => {
    const around = before.join("\0");
    aroundOf.set(around, (aroundOf.get(around) ?? 0) + 1);
    for (const [key, value] of Object.entries(record)) {
      if (value === undefined) continue;
      const path = [...before, key];
      const id = path.join("\0");
      const place = places.get(id) ?? { path, documents: 0, around: 0, kinds: new Set(), words: new Map() };
      place.documents++;
      place.kinds = new Set([...place.kinds, kindOf(value)]);
      if (typeof value === "string")
        place.words = new Map([...place.words, [value, (place.words.get(value) ?? 0) + 1]]);
      places.set(id, place);
      if (isRecord(value) && path.length < 4) walk(value, path);
    }
  };
  for (const document of documents) walk(document, []);
  return [...places.values()].map((place) => ({
    ...place,
    around: aroundOf.get(place.path.slice(0, -1).join("\0")) ?? 0,
  }));
}

/** Every copy of a document with one fault: a field removed that all have, a type changed, a word invented. */
export function mutantsOf(document: JsonRecord, places: readonly FamilyPlace[], total: number): Mutant[] {
  return places.flatMap((place): Mutant[] => {
    const value = valueAt(document, place.path);
    if (value === undefined) return [];
    const path = place.path.join(".");
    const mutants: Mutant[] = [];
    if (isAlways(place)) mutants.push({ kind: "removed", path, document: changed(document, place.path, undefined) });
    if (isSettled(place, total))
      mutants.push({ kind: "retyped", path, document: changed(document, place.path, otherType(value)) });
    if (isEnumeration(place, total))
      mutants.push({ kind: "reworded", path, document: changed(document, place.path, "zzz_invented") });
    return mutants;
  });
}

/** In every record around it, of six documents at least. */
function isAlways({ documents, around }: FamilyPlace): boolean {
  return documents === around && around >= 6;
}

/** Of one kind wherever it is, in half of the documents at least. */
function isSettled({ documents, kinds }: FamilyPlace, total: number): boolean {
  return kinds.size === 1 && !kinds.has("null") && documents * 2 >= total && documents >= 6;
}

const OPEN = /(?:agent|author|owner|name|title|id|path|file|branch|version|model|session|from|to|by|date|time|at)$/i;

/** A few short words that come again and again. Names of agents and things are not closed, however few there are. */
function isEnumeration({ path, documents, kinds, words }: FamilyPlace, total: number): boolean {
  const isClosed = [...words].every(([word, times]) => times > 1 && /^\p{L}[\p{L}_-]{0,30}$/u.test(word));
  return (
    kinds.size === 1 &&
    kinds.has("text") &&
    isClosed &&
    documents * 2 >= total &&
    documents >= 12 &&
    words.size <= documents / 4 &&
    !OPEN.test(path.at(-1) ?? "")
  );
}

function kindOf(value: JsonValue): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "list";
  return typeof value === "string" ? "text" : typeof value === "object" ? "record" : typeof value;
}

function otherType(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return "a text where a list belongs";
  if (typeof value === "string") return [value];
  return typeof value === "object" ? "a text where a record belongs" : { was: value };
}

function valueAt(document: JsonRecord, path: JsonPath): JsonValue | undefined {
  let value: JsonValue | undefined = document;
  for (const step of path) value = isRecord(value) ? value[step] : undefined;
  return value;
}

function changed(document: JsonRecord, path: readonly string[], value: JsonValue | undefined): JsonRecord {
  const [key = "", ...rest] = path;
  const inner = document[key];
  const next = rest.length === 0 ? value : isRecord(inner) ? changed(inner, rest, value) : inner;
  const { [key]: _old, ...others } = document;
  return next === undefined ? others : { ...document, [key]: next };
}
