import { isRecord, type JsonRecord, type JsonValue } from "../shared/json-value.ts";

/** The one text of a value: keys sorted by code unit, no blanks, absent keys left out. Equal values, equal texts. */
export function canonicalJson(value: JsonValue | undefined): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (isRecord(value)) return `{${canonicalFields(value)}}`;
  if (typeof value === "string") return quote(value);
  return JSON.stringify(value ?? null);
}

function canonicalFields(record: JsonRecord): string {
  let fields = "";
  for (const key of Object.keys(record).sort()) {
    const value = record[key];
    if (value === undefined) continue;
    fields += `${fields === "" ? "" : ","}${quote(key)}:${canonicalJson(value)}`;
  }
  return fields;
}

/** As JSON.stringify does, without the way there for the many texts that hold nothing to escape. */
function quote(text: string): string {
  return text.length < SHORT && PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}

const SHORT = 200;
const PLAIN = /^[ !#-[\]-~]*$/;
