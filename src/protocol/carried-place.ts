import { type JsonRecord, type JsonValue, isRecord } from "../shared/json-value.ts";
import type { Dialect } from "./dialect.ts";
import { jsonForXml } from "./syntax/xml.ts";

/**
 * Content that a dialect has no field for travels in its free space under this key, as parts of the
 * canonical handoff. It is read back only where it agrees with the dialect's own fields: those are
 * what everybody else reads, so they always win.
 */
export const CARRIED = "carried";

/** What stands in a document where carried parts stand. */
function findCarried(document: JsonRecord, dialect: Dialect): JsonValue | undefined {
  let inner: JsonValue | undefined = document;
  for (const step of dialect.freeSpace) inner = isRecord(inner) ? inner[step] : undefined;
  return isRecord(inner) ? inner[CARRIED] : undefined;
}

export function putCarried(document: JsonRecord, dialect: Dialect, carried: JsonRecord): JsonRecord {
  return putAt(document, dialect.freeSpace, dialect.syntax === "xml" ? jsonForXml(carried) : carried);
}

function putAt(record: JsonRecord, path: readonly string[], value: JsonValue): JsonRecord {
  const [step, ...rest] = path;
  if (step === undefined) return { ...record, [CARRIED]: value };
  const inner = record[step];
  return { ...record, [step]: putAt(isRecord(inner) ? inner : {}, rest, value) };
}

/** Takes the carried parts out of a document; a container that was made only for them goes too. */
export function takeCarried(
  document: JsonRecord,
  dialect: Dialect,
): { document: JsonRecord; carried: JsonRecord | null } {
  const found = findCarried(document, dialect);
  if (found === undefined) return { document, carried: null };
  const value = typeof found === "string" ? parseRecord(found) : found;
  if (!isRecord(value)) return { document, carried: null };
  return { document: removeAt(document, dialect.freeSpace), carried: value };
}

function parseRecord(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function removeAt(record: JsonRecord, path: readonly string[]): JsonRecord {
  const [step, ...rest] = path;
  if (step === undefined) {
    const { [CARRIED]: _carried, ...kept } = record;
    return kept;
  }
  const inner = removeAt(record[step] as JsonRecord, rest);
  const { [step]: _emptied, ...others } = record;
  const made = Object.keys(inner).length === 0 && step === "context";
  return made ? others : { ...record, [step]: inner };
}
