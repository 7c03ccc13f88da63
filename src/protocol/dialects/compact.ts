import type { JsonRecord } from "../../shared/json-value.ts";

/** The record without its absent fields, or nothing when none is left. */
export function compact<T extends object>(record: T): T | undefined {
  let left: JsonRecord | undefined;
  for (const [key, value] of Object.entries(record)) if (value !== undefined) (left ??= {})[key] = value;
  return left as T | undefined;
}

/** The record without its absent fields. */
export function present<T extends object>(record: T): T {
  return compact(record) ?? ({} as T);
}
