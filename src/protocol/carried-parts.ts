import { type JsonRecord, type JsonValue, isRecord } from "../shared/json-value.ts";
import type { Dialect } from "./dialect.ts";

/**
 * Content that a dialect has no field for travels in its free space under this key, as parts of the
 * canonical handoff. It is read back only where it agrees with the dialect's own fields: those are
 * what everybody else reads, so they always win.
 */
export const CARRIED = "carried";

/** What stands in a document where carried parts stand. */
export function findCarried(document: JsonRecord, dialect: Dialect): JsonValue | undefined {
  let inner: JsonValue | undefined = document;
  for (const step of dialect.freeSpace) inner = isRecord(inner) ? inner[step] : undefined;
  return isRecord(inner) ? inner[CARRIED] : undefined;
}
