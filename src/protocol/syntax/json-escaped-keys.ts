import { type JsonRecord, type JsonValue, setOwnValue } from "../../shared/json-value.ts";
import { isEscaped, isKeyEnd } from "./json.ts";
import { type JsonPlace, JsonPlaces } from "./json-places.ts";

/**
 * V8 13 (Node 24) can misread a key that is written with escapes: where an earlier record of the same form
 * had a key with a backslash in it, `"\u0073\u0074..."` is taken for that other key. A field could be
 * hidden from us that every other reader sees, or written twice unnoticed. Such keys are rare, so a text
 * that has one is read a second way.
 */
export function hasEscapedKey(text: string): boolean {
  for (let slash = text.indexOf("\\"); slash !== -1;) {
    let end = text.indexOf('"', slash + 2);
    while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
    if (end === -1) return false;
    if (isKeyEnd(text, end)) return true;
    slash = text.indexOf("\\", end + 1);
  }
  return false;
}

/** The value of a text that JSON.parse accepts and that is not nested deeply. */
export function readExactKeys(text: string): JsonValue {
  const places = new JsonPlaces(text);
  return valueAt(places, places.root);
}

function valueAt(places: JsonPlaces, place: JsonPlace): JsonValue {
  const opening = places.text[place.start];
  if (opening === "[") return places.children(place).map((item) => valueAt(places, item));
  if (opening !== "{") return JSON.parse(places.text.slice(place.start, place.end)) as JsonValue;
  const record: JsonRecord = {};
  for (const field of places.children(place)) {
    const key = JSON.parse(places.text.slice(field.keyStart, field.keyEnd)) as string;
    setOwnValue(record, key, valueAt(places, field));
  }
  return record;
}
