import type { JsonRecord, JsonValue } from "../shared/json-value.ts";
import type { TextFormat } from "./format.ts";
import type { Severity } from "./handoff-words.ts";
import { sameOutcome } from "./same-outcome.ts";

/**
 * The one description of a document. From it come the checks and their messages, the JSON Schema for
 * editors, the instructions for agents, and (by `Infer`) the TypeScript types.
 */
export type Shape<T = unknown> = (
  | TextShape
  | NumberShape
  | { readonly kind: "boolean" }
  | ListShape
  | RecordShape
  | { readonly kind: "map"; readonly values: Shape }
  | { readonly kind: "nullable"; readonly of: Shape }
  | LiteralShape
  | UnionShape
  | { readonly kind: "anything" }
) & { readonly type?: T };

export interface TextShape {
  readonly kind: "text";
  readonly oneOf?: readonly string[];
  /** Every word that the dialects allow here. It is said in types and documents; each dialect's own rules check it. */
  readonly words?: readonly string[];
  /** Words outside the list that are read all the same, with a warning, and what they stand for. */
  readonly tolerated?: (word: string) => string | null;
  /** Of the field that says how the work ended: the word of the format that another word certainly means. */
  readonly synonym?: (word: string) => string | null;
  readonly format?: TextFormat;
  readonly filled?: boolean;
  readonly maxLength?: number;
  /** What the text must match, where no named format says it. */
  readonly pattern?: string;
  /** Text of any content: nothing in it is taken for a template that was not filled in. */
  readonly verbatim?: boolean;
}

export interface NumberShape {
  readonly kind: "number";
  readonly integer?: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
}

export interface ListShape {
  readonly kind: "list";
  readonly item: Shape;
  readonly minimum?: number;
  /** In XML, the element that holds one item. */
  readonly element?: string;
}

export interface RecordShape {
  readonly kind: "record";
  readonly fields: Readonly<Record<string, Field>>;
  /** Other keys are as welcome as the named ones: none is taken for a misspelling. */
  readonly isOpen?: boolean;
  /** Other keys are errors, which a rule of the dialect reports. */
  readonly isClosed?: boolean;
}

export interface LiteralShape {
  readonly kind: "literal";
  readonly value: string | number | boolean;
}

/** One of several forms. Records are told apart by the keys that are a literal in one of them. */
export interface UnionShape {
  readonly kind: "union";
  readonly of: readonly Shape[];
}

/** One key of a record. The rule decides the severity; `missing` overrides it for the key's absence. */
export interface Field<T = unknown, Required extends boolean = boolean> {
  readonly shape: Shape<T>;
  readonly required: Required;
  readonly rule: string;
  readonly about: string;
  readonly missing?: Severity;
  /** What the format says an absent value means; reading fills it in and says so. */
  readonly default?: JsonValue;
  /** What the authors of the format call it in their own prompts. */
  readonly alsoCalled?: readonly string[];
}

export type Infer<S> = S extends { readonly type?: infer T } ? Exclude<T, undefined> : never;

type FieldValue<F> = F extends Field<infer T> ? T : never;
type RequiredKey<F> = { [K in keyof F]: F[K] extends Field<unknown, true> ? K : never }[keyof F];
type OptionalKey<F> = Exclude<keyof F, RequiredKey<F>>;
export type RecordOf<F> = { [K in RequiredKey<F>]: FieldValue<F[K]> } & {
  [K in OptionalKey<F>]?: FieldValue<F[K]> | undefined;
};

type FieldNotes = Omit<Field, "shape" | "required">;

export const field = {
  required: <T>(shape: Shape<T>, notes: FieldNotes): Field<T, true> => ({ shape, required: true, ...notes }),
  optional: <T>(shape: Shape<T>, notes: FieldNotes): Field<T, false> => ({ shape, required: false, ...notes }),
};

export const shape = {
  text: (options: Omit<TextShape, "kind"> = {}): Shape<string> => ({ kind: "text", ...options }),
  filledText: (): Shape<string> => ({ kind: "text", filled: true }),
  formatted: (format: TextFormat): Shape<string> => ({ kind: "text", format }),
  oneOf: <const W extends string>(oneOf: readonly W[], tolerated?: (word: string) => string | null): Shape<W> =>
    tolerated === undefined ? { kind: "text", oneOf } : { kind: "text", oneOf, tolerated },
  /** The words for how the work ended, with the plain words for success and for failure, if there are such. */
  outcome: <const W extends string>(
    oneOf: readonly W[],
    plain: { readonly done: NoInfer<W>; readonly failed?: NoInfer<W> },
    tolerated?: (word: string) => string | null,
  ): Shape<W> => ({
    kind: "text",
    oneOf,
    ...(tolerated !== undefined && { tolerated }),
    synonym: (word) => sameOutcome(word, plain),
  }),
  words: <const W extends string>(words: readonly W[]): Shape<W> => ({ kind: "text", words }),
  number: (options: Omit<NumberShape, "kind"> = {}): Shape<number> => ({ kind: "number", ...options }),
  integer: (minimum: number): Shape<number> => ({ kind: "number", integer: true, minimum }),
  boolean: (): Shape<boolean> => ({ kind: "boolean" }),
  list: <T>(item: Shape<T>, options: Omit<ListShape, "kind" | "item"> = {}): Shape<T[]> => ({
    kind: "list",
    item,
    ...options,
  }),
  record: <F extends Readonly<Record<string, Field>>>(fields: F): RecordShape & { readonly type?: RecordOf<F> } => ({
    kind: "record",
    fields,
  }),
  openRecord: <F extends Readonly<Record<string, Field>>>(
    fields: F,
  ): RecordShape & { readonly type?: RecordOf<F> } => ({ kind: "record", fields, isOpen: true }),
  map: <T>(values: Shape<T>): Shape<Record<string, T>> => ({ kind: "map", values }),
  nullable: <T>(of: Shape<T>): Shape<T | null> => ({ kind: "nullable", of }),
  anything: (): Shape<JsonValue> => ({ kind: "anything" }),
  freeMap: (): Shape<JsonRecord> => ({ kind: "map", values: { kind: "anything" } }),
};

type DataFields = Readonly<Record<string, Shape | Field<unknown, false>>>;
type DataValue<V> = V extends Field<infer T> ? T : Infer<V>;
type DataOf<F> = {
  readonly [K in keyof F as F[K] extends Field ? never : K]: DataValue<F[K]>;
} & { readonly [K in keyof F as F[K] extends Field ? K : never]?: DataValue<F[K]> | undefined };

type DataRecord<T> = RecordShape & { readonly type?: T };

/**
 * Describes what programs write: stored entries, requests and answers. Unlike a document of a dialect it has no rules
 * and no hints for authors, and its types are read-only. The comment of a key is also the comment of the property.
 */
export const data = {
  /** Every key is required, except those in `optional`. */
  record: <F extends DataFields>(fields: F): DataRecord<DataOf<F>> => ({ kind: "record", fields: dataFields(fields) }),
  /** A record with the keys of another one, and more. */
  extend: <T, F extends DataFields>(base: DataRecord<T>, fields: F): DataRecord<T & DataOf<F>> => ({
    kind: "record",
    fields: { ...base.fields, ...dataFields(fields) },
  }),
  optional: <T>(of: Shape<T>): Field<T, false> => field.optional(of, DATA_NOTES),
  nullable: shape.nullable,
  list: <T>(item: Shape<T>): Shape<readonly T[]> => ({ kind: "list", item }),
  map: <T>(values: Shape<T>): Shape<Readonly<Record<string, T>>> => ({ kind: "map", values }),
  /** A record with a value for each of the words. */
  table: <const W extends string, T>(words: readonly W[], values: Shape<T>): DataRecord<Readonly<Record<W, T>>> => ({
    kind: "record",
    fields: dataFields(Object.fromEntries(words.map((word) => [word, values]))),
  }),
  union: <const S extends readonly Shape[]>(...of: S): Shape<Infer<S[number]>> => ({ kind: "union", of }),
  literal: <const V extends string | number | boolean>(value: V): Shape<V> => ({ kind: "literal", value }),
  text: (options: Pick<TextShape, "filled" | "maxLength" | "pattern"> = {}): Shape<string> => ({
    kind: "text",
    verbatim: true,
    ...options,
  }),
  oneOf: <const W extends string>(words: readonly W[]): Shape<W> => ({ kind: "text", oneOf: words }),
  /** A word of a set that may grow: the type names the words of today, the description allows any. */
  word: <W extends string>(): Shape<W> => ({ kind: "text", verbatim: true }),
  sha256: (): Shape<string> => ({ kind: "text", verbatim: true, pattern: "^[0-9a-f]{64}$" }),
  boolean: shape.boolean,
  number: shape.number,
  integer: (): Shape<number> => ({ kind: "number", integer: true }),
  /** Milliseconds since 1970, or a number of things. */
  count: (): Shape<number> => ({ kind: "number", integer: true, minimum: 0 }),
  anything: (): Shape<unknown> => ({ kind: "anything" }),
};

const DATA_NOTES: FieldNotes = { rule: "data", about: "" };

function dataFields(fields: DataFields): Record<string, Field> {
  const entries = Object.entries(fields).map(([key, value]): [string, Field] => [
    key,
    "kind" in value ? field.required(value, DATA_NOTES) : value,
  ]);
  return Object.fromEntries(entries);
}
