import { type Field, type Shape, field } from "../../protocol/shape.ts";
import type { JsonValue } from "../../shared/json-value.ts";

/** A field of the workflow file with a default value. Unlike `Field.default`, using it is not reported. */
export interface FileField<T = unknown, Required extends boolean = boolean> extends Field<T, Required> {
  readonly fallback?: JsonValue;
}

export function must<T>(of: Shape<T>, about: string): FileField<T, true> {
  return field.required(of, { rule: "workflow", about });
}

export function may<T>(of: Shape<T>, about: string, fallback?: JsonValue): FileField<T, false> {
  const plain = field.optional(of, { rule: "workflow", about });
  return fallback === undefined ? plain : { ...plain, fallback };
}
