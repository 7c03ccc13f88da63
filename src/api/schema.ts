import type { JsonRecord, JsonValue } from "../shared/json-value.ts";

/** JSON Schema (2020-12) in few words. Records are closed: an answer has the keys it is said to have, and no others. */
export type Schema = JsonRecord;

export const text: Schema = { type: "string" };
export const flag: Schema = { type: "boolean" };
export const figure: Schema = { type: "number" };
export const whole: Schema = { type: "integer" };
export const count: Schema = { type: "integer", minimum: 0 };
/** Milliseconds since 1970. */
export const time: Schema = { type: "integer", minimum: 0 };
export const anything: Schema = {};
export const hash: Schema = { type: "string", pattern: "^[0-9a-f]{64}$" };

export function orNull(schema: Schema): Schema {
  return { anyOf: [schema, { type: "null" }] };
}

export function list(items: Schema): Schema {
  return { type: "array", items };
}

export function map(values: Schema): Schema {
  return { type: "object", additionalProperties: values };
}

export function oneOf(words: readonly string[]): Schema {
  return { type: "string", enum: [...words] };
}

export function constant(value: JsonValue): Schema {
  return { const: value };
}

/** Every key is always there, but for the optional ones. */
export function record(
  fields: Readonly<Record<string, Schema>>,
  optional: Readonly<Record<string, Schema>> = {},
): Schema {
  return {
    type: "object",
    properties: { ...fields, ...optional },
    required: Object.keys(fields),
    additionalProperties: false,
  };
}

export function anyOf(...schemas: readonly Schema[]): Schema {
  return { anyOf: [...schemas] };
}

/** Another one of the table, by its name. */
export function named(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}
