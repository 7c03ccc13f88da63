import { isRecord } from "../shared/json-value.ts";
import type { JsonRecord, JsonValue } from "../shared/json-value.ts";
import { LineSplitter } from "./process-group/line-splitter.ts";

/** A client's stream of JSON records, one a line. Anything else that it prints goes to `onText`. */
export function jsonLines(onRecord: (record: JsonRecord) => void, onText: (line: string) => void): LineSplitter {
  return new LineSplitter((line) => {
    const record = parseRecord(line);
    if (record === null) onText(line);
    else onRecord(record);
  }, LONGEST_LINE);
}

/** A tool may have read a large file; more than this is no message of a client in its senses. */
const LONGEST_LINE = 32 << 20;

function parseRecord(line: string): JsonRecord | null {
  if (!line.startsWith("{")) return null;
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

export function textOf(value: JsonValue | undefined): string | null {
  return typeof value === "string" ? value : null;
}

export function amountOf(value: JsonValue | undefined): number | null {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null;
}

export function recordOf(value: JsonValue | undefined): JsonRecord {
  return isRecord(value) ? value : {};
}

export function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}
