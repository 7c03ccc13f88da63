import type { JsonRecord, JsonValue } from "../shared/json-value.ts";
import type { Severity } from "./diagnostic.ts";
import type { TextFormat } from "./format.ts";

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
  | { readonly kind: "anything" }
) & { readonly type?: T };

export interface TextShape {
  readonly kind: "text";
  readonly oneOf?: readonly string[];
  /** Words outside the list that are read all the same, with a warning, and what they stand for. */
  readonly tolerated?: (word: string) => string | null;
  readonly format?: TextFormat;
  readonly filled?: boolean;
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
