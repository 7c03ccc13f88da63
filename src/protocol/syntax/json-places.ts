import { isEscaped, isKeyEnd } from "./json.ts";
import { type JsonRecord, type JsonValue, setOwnValue } from "../../shared/json-value.ts";

/**
 * Where the values of a JSON text stand, looked up as they are asked for. The text must be one that
 * JSON.parse accepts: then brackets match and strings are closed. A tree of a large text would cost far
 * more memory than the text and its value together; here only the records and lists on the way are kept.
 */
export class JsonPlaces {
  readonly text: string;
  readonly root: JsonPlace;
  readonly #children = new Map<number, readonly JsonPlace[]>();
  readonly #fields = new Map<number, ReadonlyMap<string, JsonPlace>>();

  constructor(text: string) {
    this.text = text;
    this.root = { keyStart: -1, keyEnd: -1, start: afterSpace(text, 0), end: text.trimEnd().length };
  }

  child(place: JsonPlace, step: string | number): JsonPlace | undefined {
    const opening = this.text[place.start];
    if (typeof step === "number") return opening === "[" ? this.children(place)[step] : undefined;
    if (opening !== "{") return undefined;
    const fields = this.children(place);
    return fields.length > FEW ? this.#fieldsOf(place).get(step) : this.#lastNamed(fields, step);
  }

  /** The members of a record or the items of a list, in order. */
  children(place: JsonPlace): readonly JsonPlace[] {
    const known = this.#children.get(place.start);
    if (known !== undefined) return known;
    const children = readChildren(this.text, place.start);
    this.#children.set(place.start, children);
    return children;
  }

  /** Of a few fields, the last with this name. */
  #lastNamed(fields: readonly JsonPlace[], name: string): JsonPlace | undefined {
    return fields.findLast(({ keyStart, keyEnd }) => {
      const written = this.text.slice(keyStart + 1, keyEnd - 1);
      return written.includes("\\") ? keyAt(this.text, keyStart, keyEnd) === name : written === name;
    });
  }

  /** By name, the last of several: it is the one that JSON.parse keeps. */
  #fieldsOf(record: JsonPlace): ReadonlyMap<string, JsonPlace> {
    let fields = this.#fields.get(record.start);
    if (fields === undefined) {
      fields = new Map(this.children(record).map((field) => [keyAt(this.text, field.keyStart, field.keyEnd), field]));
      this.#fields.set(record.start, fields);
    }
    return fields;
  }
}

/** Up to so many fields are looked through one by one. */
const FEW = 40;

/** A value, and its key when it stands in a record; both with their quotes. */
export interface JsonPlace {
  /** -1 in a list. */
  readonly keyStart: number;
  readonly keyEnd: number;
  readonly start: number;
  readonly end: number;
}

/** Every key that its record has already, in order of the text. */
export function* repeatedKeys(text: string): Iterable<{ name: string; start: number; end: number }> {
  const open: (Set<string> | null)[] = [];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === OPEN_BRACE) open.push(new Set());
    else if (code === OPEN_BRACKET) open.push(null);
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) open.pop();
    else if (code === QUOTE) {
      const end = afterString(text, at);
      const keys = isKeyEnd(text, end - 1) ? open.at(-1) : null;
      if (keys) {
        const name = keyAt(text, at, end);
        if (keys.has(name)) yield { name, start: at, end };
        keys.add(name);
      }
      at = end - 1;
    }
  }
}

function readChildren(text: string, opening: number): JsonPlace[] {
  const isRecord = text.charCodeAt(opening) === OPEN_BRACE;
  const children: JsonPlace[] = [];
  let at = afterSpace(text, opening + 1);
  while (text.charCodeAt(at) !== CLOSE_BRACE && text.charCodeAt(at) !== CLOSE_BRACKET && at < text.length) {
    const keyStart = isRecord ? at : -1;
    const keyEnd = isRecord ? afterString(text, at) : -1;
    const start = isRecord ? afterSpace(text, afterSpace(text, keyEnd) + 1) : at;
    const end = afterValue(text, start);
    children.push({ keyStart, keyEnd, start, end });
    at = afterSpace(text, end);
    if (text.charCodeAt(at) === COMMA) at = afterSpace(text, at + 1);
  }
  return children;
}

function keyAt(text: string, start: number, end: number): string {
  const written = text.slice(start + 1, end - 1);
  return written.includes("\\") ? String(JSON.parse(text.slice(start, end))) : written;
}

function afterSpace(text: string, from: number): number {
  let at = from;
  let code = text.charCodeAt(at);
  while (code === SPACE || code === LINE_FEED || code === RETURN || code === TAB) code = text.charCodeAt(++at);
  return at;
}

function afterString(text: string, quote: number): number {
  let end = text.indexOf('"', quote + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end + 1;
}

function afterValue(text: string, start: number): number {
  const first = text.charCodeAt(start);
  if (first === QUOTE) return afterString(text, start);
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return afterBracket(text, start);
  let at = start;
  while (at < text.length && !ENDS_SCALAR.has(text.charCodeAt(at))) at++;
  return at;
}

function afterBracket(text: string, opening: number): number {
  let depth = 0;
  for (let at = opening; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = afterString(text, at) - 1;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) depth++;
    else if ((code === CLOSE_BRACE || code === CLOSE_BRACKET) && --depth === 0) return at + 1;
  }
  return text.length;
}

const TAB = 9;
const LINE_FEED = 10;
const RETURN = 13;
const SPACE = 32;
const QUOTE = 34;
const COMMA = 44;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;
const ENDS_SCALAR = new Set([TAB, LINE_FEED, RETURN, SPACE, COMMA, CLOSE_BRACKET, CLOSE_BRACE]);

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
