import { isForbidden } from "../../protocol/forbidden-key.ts";
import { countJsonKeys, parseJson } from "../../protocol/syntax/json.ts";
import { type JsonRecord, type JsonValue, isRecord, ownValue } from "../../shared/json-value.ts";
import { MOST_REPORT_LEVELS, quoted, refuse } from "./report.ts";

/** A JSON report as a value in which every key stands once and none can change what a record is. */
export function parseReportJson(text: string): JsonValue {
  refuseDeep(text);
  const parsed = parseJson(text);
  if (parsed === null) return refuse("it is no whole JSON document: it was cut off or is malformed");
  const value = parsed.value as JsonValue;
  if (countKeys(value) !== countJsonKeys(text))
    refuse("a key stands twice in one record: nobody can tell which counts");
  return value;
}

/** Before it is parsed: the engine's parser takes any depth, and much memory for it. */
function refuseDeep(text: string): void {
  let levels = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      if (++levels > MOST_REPORT_LEVELS) refuse(`it is nested deeper than ${MOST_REPORT_LEVELS} levels`);
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

/** How many keys the records of a value have together. Its depth is known to be small. */
function countKeys(value: JsonValue): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + countKeys(item), 0);
  if (!isRecord(value)) return 0;
  let keys = 0;
  for (const key of Object.keys(value)) {
    if (isForbidden(key)) refuse(`it has the key ${quoted(key)}, which no report has`);
    keys += 1 + countKeys(value[key] ?? null);
  }
  return keys;
}

export function listOf(record: JsonRecord, key: string): readonly JsonValue[] {
  const value = ownValue(record, key);
  return Array.isArray(value) ? value : refuse(`${key} is no list`);
}

export function recordOf(record: JsonRecord, key: string): JsonRecord {
  const value = ownValue(record, key);
  return isRecord(value) ? value : refuse(`${quoted(key)} is no record`);
}

const QUOTE = 34;
const OPEN_BRACKET = 91;
const BACKSLASH = 92;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;
