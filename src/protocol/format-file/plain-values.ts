import type { JsonPath, JsonRecord } from "../../shared/json-value.ts";
import type { Problems } from "../file-problems.ts";
import { FORMAT_LIMITS } from "./field-keys.ts";

/** Plain values of a format file; a wrong one is reported and treated as absent. */

export function sentenceAt(record: JsonRecord, key: string, at: JsonPath, problems: Problems): string {
  const value = record[key];
  if (value === undefined) return "";
  if (typeof value === "string" && value.length <= FORMAT_LIMITS.sentence) return value.replaceAll(/\s+/g, " ").trim();
  const message = `\`${key}\` is a sentence of at most ${FORMAT_LIMITS.sentence} characters.`;
  problems.add({ code: "bad-format", path: [...at, key], message, hint: "Say it shorter." });
  return "";
}

export function truthAt(record: JsonRecord, key: string, at: JsonPath, problems: Problems): boolean {
  const value = record[key];
  if (value !== undefined && typeof value !== "boolean")
    problems.add({
      code: "wrong-type",
      path: [...at, key],
      message: `\`${key}\` is true or false.`,
      hint: "Write true or false.",
    });
  return value === true;
}

export function numberAt(record: JsonRecord, key: string, at: JsonPath, problems: Problems): number | null {
  const value = record[key];
  if (typeof value === "number") return value;
  if (value !== undefined)
    problems.add({
      code: "wrong-type",
      path: [...at, key],
      message: `\`${key}\` is a number.`,
      hint: "Write a number.",
    });
  return null;
}
