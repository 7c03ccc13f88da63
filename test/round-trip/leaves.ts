import { type JsonPath, type JsonValue, isRecord } from "../../src/shared/json-value.ts";

/** Every text, number, boolean and null of a value, with its path. */
export function* leavesOf(value: JsonValue | undefined, path: JsonPath = []): Iterable<[JsonPath, JsonValue]> {
  if (value === undefined) return;
  if (Array.isArray(value)) for (const [at, item] of value.entries()) yield* leavesOf(item, [...path, at]);
  else if (isRecord(value)) for (const [key, inner] of Object.entries(value)) yield* leavesOf(inner, [...path, key]);
  else yield [path, value];
}
