import { type Field, type Shape, field } from "../../protocol/shape.ts";
import type { JsonRecord } from "../../shared/json-value.ts";

/**
 * The shape of exactly `T`: if a type and its shape differ, the program does not compile. Only the functions below
 * create one, and each takes the type that it describes.
 */
export type Stored<T> = Shape & { readonly [EXACT]: (value: T) => T };

declare const EXACT: unique symbol;

/** Every key of the type, including optional ones: a key without a shape would not be decoded. */
export type FieldsOf<T> = {
  readonly [K in keyof T]-?: object extends Pick<T, K> ? Optional<Exclude<T[K], undefined>> : Stored<T[K]>;
};

interface Optional<T> {
  readonly optional: Stored<T>;
}

/** The variants of a union by their tag; the shape of the tag is added automatically. */
type Cases<T extends Tagged> = {
  readonly [Kind in T["kind"]]: FieldsOf<Omit<CaseOf<T, Kind>, "kind">>;
};
interface Tagged {
  readonly kind: string;
}
type CaseOf<T extends Tagged, Kind> = T extends Tagged ? (Kind extends T["kind"] ? T : never) : never;

const text = exactly<string>({ kind: "text" });
const number = exactly<number>({ kind: "number" });
const boolean = exactly<boolean>({ kind: "boolean" });
const isTrue = exactly<true>({ kind: "literal", value: true });
const json = exactly<JsonRecord>({ kind: "map", values: { kind: "anything" } });
const scalar = exactly<string | number | boolean | null>({
  kind: "nullable",
  of: { kind: "union", of: [text, number, boolean] },
});

/** A closed set of words. A table instead of a list, so that the compiler requires every word of the type. */
function words<W extends string>(every: Readonly<Record<W, true>>): Stored<W> {
  return exactly({ kind: "text", oneOf: Object.keys(every) });
}

/** The same from a list from which the type is derived. */
function oneOf<const W extends string>(every: readonly W[]): Stored<W> {
  return exactly({ kind: "text", oneOf: every });
}

function orNull<T>(of: Stored<T>): Stored<T | null> {
  return exactly({ kind: "nullable", of });
}

/** One of two forms that have nothing in common, such as a word and a record. */
function either<A, B>(one: Stored<A>, other: Stored<B>): Stored<A | B> {
  return exactly({ kind: "union", of: [one, other] });
}

function list<T>(item: Stored<T>): Stored<readonly T[]> {
  return exactly({ kind: "list", item });
}

function map<T>(values: Stored<T>): Stored<Readonly<Record<string, T>>> {
  return exactly({ kind: "map", values });
}

/** A value for every word. */
function table<W extends string, T>(keys: readonly W[], values: Stored<T>): Stored<Readonly<Record<W, T>>> {
  return exactly(recordShape(Object.fromEntries(keys.map((key) => [key, values]))));
}

/** A value for some of the words. */
function partialTable<W extends string, T>(
  keys: readonly W[],
  values: Stored<T>,
): Stored<Readonly<Partial<Record<W, T>>>> {
  return exactly(recordShape(Object.fromEntries(keys.map((key) => [key, optional(values)]))));
}

function optional<T>(of: Stored<T>): Optional<T> {
  return { optional: of };
}

function record<T>(fields: FieldsOf<T>): Stored<T> {
  return exactly(recordShape(fields));
}

/** Takes a function if the type is recursive; its argument is the shape being described. */
function tagged<T extends Tagged>(cases: Cases<T> | ((self: Stored<T>) => Cases<T>)): Stored<T> {
  const variants: Shape[] = [];
  const self = exactly<T>({ kind: "union", of: variants });
  for (const [kind, fields] of Object.entries<object>(typeof cases === "function" ? cases(self) : cases))
    variants.push(recordShape({ kind: exactly({ kind: "literal", value: kind }), ...fields }));
  return self;
}

/** Wraps a shape from which the type is inferred, such as that of the handoff. */
function inferred<T>(shape: Shape<T>): Stored<T> {
  return exactly(shape);
}

function exactly<T>(shape: Shape): Stored<T> {
  return shape as Stored<T>;
}

function recordShape(fields: object): Shape {
  const described = Object.entries(fields as Readonly<Record<string, Shape | Optional<unknown>>>);
  return { kind: "record", fields: Object.fromEntries(described.map(([key, value]) => [key, fieldOf(value)])) };
}

function fieldOf(value: Shape | Optional<unknown>): Field {
  return "optional" in value ? field.optional(value.optional, NOTES) : field.required(value, NOTES);
}

const NOTES = { rule: "stored", about: "" };

export const stored = {
  text,
  number,
  boolean,
  isTrue,
  json,
  scalar,
  words,
  oneOf,
  orNull,
  either,
  list,
  map,
  table,
  partialTable,
  optional,
  record,
  tagged,
  inferred,
};
