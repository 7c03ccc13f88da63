import type { JsonRecord } from "../../shared/json-value.ts";

/** The record without its absent fields, or nothing when none is left. */
export function compact<T extends object>(record: T): T | undefined {
  let left: JsonRecord | undefined;
  for (const [key, value] of Object.entries(record) as [string, JsonRecord[string]][])
    if (value !== undefined) (left ??= {})[key] = value;
  return left as T | undefined;
}

/** The record without its absent fields. */
export function present<T extends object>(record: T): T {
  return compact(record) ?? ({} as T);
}

/** The list with each item changed; an absent list stays absent. */
export function each<From, To>(
  list: readonly From[] | undefined,
  change: (item: From, index: number) => To,
): To[] | undefined {
  return list === undefined ? undefined : list.map(change);
}
