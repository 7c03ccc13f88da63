import {
  type JsonPath,
  type JsonRecord,
  type JsonValue,
  isRecord,
  ownValue,
  printPath,
} from "../../shared/json-value.ts";
import { numberAsWritten } from "../syntax/syntax.ts";
import type { NumberSpelling } from "../syntax/written-number.ts";
import type { FieldModel } from "./format-model.ts";

const NUMBER = /^-?\d{1,15}(?:\.\d{1,15})?(?:[eE][+-]?\d{1,3})?$/;

/** A number of an XML text, in any spelling of it: `81.50`, `1e2`. A whole number is written as it prints. */
export function numberInText(text: string, isWhole: boolean): number | null {
  const value = isWhole ? numberAsWritten(text) : NUMBER.test(text) ? Number(text) : null;
  if (value === null || Math.abs(value) > Number.MAX_SAFE_INTEGER) return null;
  return isWhole && !Number.isInteger(value) ? null : value;
}

/** The numbers of an XML document that do not print as they are written; null when all of them do. */
export function spellingInTexts(document: JsonRecord, fields: readonly FieldModel[]): NumberSpelling | null {
  const found = Object.fromEntries(fields.flatMap((field) => spelledIn(document[field.name], field, [field.name])));
  return Object.keys(found).length === 0 ? null : found;
}

function spelledIn(value: JsonValue | undefined, { value: model }: FieldModel, path: JsonPath): [string, string][] {
  if (model.type === "record" && isRecord(value))
    return model.fields.flatMap((field) => spelledIn(value[field.name], field, [...path, field.name]));
  if (model.type === "list" && Array.isArray(value))
    return value.flatMap((item, index) => spelledIn(item, model.item, [...path, index]));
  if (model.type !== "number" || typeof value !== "string") return [];
  const number = numberInText(value, model.integer);
  return number === null || String(number) === value ? [] : [[printPath(path), value]];
}

/** The document with its numbers as they were written, where they still have the value. */
export function withTextSpelling(document: JsonRecord, spelling: NumberSpelling): JsonRecord {
  const walk = (value: JsonValue | undefined, path: JsonPath): JsonValue | undefined => {
    if (typeof value === "string") {
      const written = ownValue(spelling, printPath(path));
      return written !== undefined && numberInText(written, false) === numberInText(value, false) ? written : value;
    }
    if (Array.isArray(value)) return value.map((item, index) => walk(item, [...path, index]) ?? null);
    return isRecord(value) ? walkRecord(value, path) : value;
  };
  const walkRecord = (record: JsonRecord, path: JsonPath): JsonRecord =>
    Object.fromEntries(Object.entries(record).map(([key, inner]) => [key, walk(inner, [...path, key])]));
  return walkRecord(document, []);
}
