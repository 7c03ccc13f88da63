import { type JsonRecord, type JsonValue, sortedKeys } from "../shared/json-value.ts";

/** The one text of a value: keys sorted by code unit, no blanks, absent keys left out. Equal values, equal texts. */
export function canonicalJson(value: JsonValue | undefined): string {
  if (typeof value === "string") return quote(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value ?? null);
  return Array.isArray(value) ? canonicalList(value) : canonicalRecord(value);
}

function canonicalList(list: readonly JsonValue[]): string {
  let items = "";
  for (let at = 0; at < list.length; at++) items += at === 0 ? canonicalJson(list[at]) : `,${canonicalJson(list[at])}`;
  return `[${items}]`;
}

function canonicalRecord(record: JsonRecord): string {
  let fields = "";
  for (const key of sortedKeys(record)) {
    const value = record[key];
    if (value !== undefined) fields += `${fields === "" ? "" : ","}${quote(key)}:${canonicalJson(value)}`;
  }
  return `{${fields}}`;
}

/** As JSON.stringify does, without the way there for the many texts that hold nothing to escape. */
function quote(text: string): string {
  return text.length < SHORT && PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}

const SHORT = 200;
const PLAIN = /^[ !#-[\]-~]*$/;
