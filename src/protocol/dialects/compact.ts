import type { JsonRecord } from "../../shared/json-value.ts";

/** The record without its absent fields, or nothing when none is left. A record without absent fields is not copied. */
export function compact<T extends object>(record: T): T | undefined {
  const given = record as JsonRecord;
  for (const key in given) if (given[key] === undefined) return compactCopy(given) as T | undefined;
  return record;
}

function compactCopy(record: JsonRecord): JsonRecord | undefined {
  let left: JsonRecord | undefined;
  for (const key in record) if (record[key] !== undefined) (left ??= {})[key] = record[key];
  return left;
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
