import { isForbidden } from "../../protocol/limits.ts";
import { countJsonKeys, parseJson } from "../../protocol/syntax/json.ts";
import { type JsonRecord, type JsonValue, isRecord, ownValue } from "../../shared/json-value.ts";
import { MAX_REPORT_LEVELS, quoted, refuseReport } from "./report.ts";

/** A JSON report as a value without duplicate keys and without `__proto__`. */
export function parseReportJson(text: string): JsonValue {
  refuseDeep(text);
  const parsed = parseJson(text);
  if (parsed === null) return refuseReport("it is no whole JSON document: it was cut off or is malformed");
  const value = parsed.value as JsonValue;
  if (countKeys(value) !== countJsonKeys(text))
    refuseReport("a key occurs twice in one record, so it is not clear which value counts");
  return value;
}

/** Checked before parsing, because the engine's parser accepts any depth and needs much memory for it. */
function refuseDeep(text: string): void {
  let levels = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      if (++levels > MAX_REPORT_LEVELS) refuseReport(`it is nested deeper than ${MAX_REPORT_LEVELS} levels`);
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) levels--;
  }
}

function endOfString(text: string, quote: number): number {
  for (let at = quote + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at++;
    else if (code === QUOTE) return at;
  }
  return text.length;
}

/** The number of keys in all records of a value. Its depth is known to be small. */
function countKeys(value: JsonValue): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + countKeys(item), 0);
  if (!isRecord(value)) return 0;
  let keys = 0;
  for (const key of Object.keys(value)) {
    if (isForbidden(key)) refuseReport(`it has the key ${quoted(key)}, which no report has`);
    keys += 1 + countKeys(value[key] ?? null);
  }
  return keys;
}

export function reportList(record: JsonRecord, key: string): readonly JsonValue[] {
  const value = ownValue(record, key);
  return Array.isArray(value) ? value : refuseReport(`${key} is no list`);
}

export function reportRecord(record: JsonRecord, key: string): JsonRecord {
  const value = ownValue(record, key);
  return isRecord(value) ? value : refuseReport(`${quoted(key)} is no record`);
}

const QUOTE = 34;
const OPEN_BRACKET = 91;
const BACKSLASH = 92;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;
