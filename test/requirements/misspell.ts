import fc from "fast-check";
import type { Dialect } from "../../src/protocol/dialect.ts";
import type { Shape } from "../../src/protocol/shape.ts";
import { type JsonPath, type JsonRecord, type JsonValue, isRecord } from "../../src/shared/json-value.ts";

/** A field that a document has, and that its shape names. */
export interface Known {
  readonly path: JsonPath;
  readonly name: string;
  readonly value: JsonValue;
  /** All that its record may have. */
  readonly siblings: readonly string[];
}

/**
 * The fields of a document whose names have a word long enough that one edit hardly makes another word of it. Not
 * those by which the dialect is known; nor lists in XML, whose items are printed by the name of the list.
 */
export function knownFields(document: JsonRecord, { shape, mark, syntax }: Dialect): Known[] {
  return fieldsOf(document, shape, []).filter(
    ({ path, name, value }) =>
      longWords(name).length > 0 && (path.length > 0 || name !== mark) && !(syntax === "xml" && Array.isArray(value)),
  );
}

function fieldsOf(value: JsonValue | undefined, shape: Shape, path: JsonPath): Known[] {
  if (shape.kind === "nullable") return fieldsOf(value, shape.of, path);
  if (shape.kind === "list" && Array.isArray(value))
    return value.flatMap((item, index) => fieldsOf(item, shape.item, [...path, index]));
  if (shape.kind !== "record" || !isRecord(value)) return [];
  const siblings = Object.keys(shape.fields);
  return Object.entries(shape.fields).flatMap(([name, field]) => {
    const own = value[name];
    if (own === undefined || name.startsWith("#")) return [];
    const inner = fieldsOf(own, field.shape, [...path, name]);
    return shape.isOpen === true ? inner : [{ path, name, value: own, siblings }, ...inner];
  });
}

interface Word {
  readonly start: number;
  readonly end: number;
}

function longWords(name: string): Word[] {
  return [...name.matchAll(/[a-z]{5,}/g)].map(({ 0: word, index }) => ({ start: index, end: index + word.length }));
}

const letter = fc.constantFrom(..."abcdefghijklmnopqrstuvwxyz");

/** The name with one letter of a long word changed, added, left out or swapped with the next. */
export function misspelled(name: string): fc.Arbitrary<string> {
  return fc
    .record({ word: fc.constantFrom(...longWords(name)), edit: fc.nat(3), at: fc.nat(1000), other: letter })
    .map(({ word, edit, at, other }) => {
      const place = word.start + (at % (word.end - word.start - 1));
      const [before, here, next] = [name.slice(0, place), name[place] ?? "", name[place + 1] ?? ""];
      if (edit === 0) return before + other + name.slice(place + 1);
      if (edit === 1) return before + other + name.slice(place);
      return edit === 2 ? before + name.slice(place + 1) : before + next + here + name.slice(place + 2);
    })
    .filter((key) => key !== name);
}

/** The document with a key called by another name, at its place. */
export function renamed(document: JsonRecord, { path, name }: Known, key: string): JsonRecord {
  const rename = (value: JsonValue | undefined, rest: JsonPath): JsonValue | undefined => {
    const [step, ...further] = rest;
    if (Array.isArray(value))
      return value.map((item, index) => (index === step ? (rename(item, further) ?? item) : item));
    if (!isRecord(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([own, inner]) => {
        if (step === undefined) return own === name ? [key, inner] : [own, inner];
        return own === step ? [own, rename(inner, further)] : [own, inner];
      }),
    );
  };
  return rename(document, path) as JsonRecord;
}
