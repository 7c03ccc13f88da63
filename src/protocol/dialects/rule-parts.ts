import type { Sample, ReportDetails } from "../dialect.ts";
import type { JsonPath } from "../../shared/json-value.ts";

type Changes = Extract<Sample, { set: unknown }>["set"];

/** A sample made by changing the dialect's example. */
export function changed(changes: Changes, path?: string): Sample {
  return path === undefined ? { set: changes } : { set: changes, path };
}

/** The example as it is. */
export const unchanged: Sample = { set: {} };

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** What a rule adds when it reports a missing field: where the field could stand. A misspelled key is looked for there. */
export function lacking(...places: readonly JsonPath[]): ReportDetails {
  return { code: "missing-field", lacks: places };
}

/** Ruling 35: an empty text or list, and a list of empty texts, does not satisfy a condition that demands content. */
export function hasContent(value: unknown): boolean {
  if (typeof value === "string") return value.trim() !== "";
  return Array.isArray(value) ? value.some(hasContent) : value !== undefined && value !== null;
}

/** The same of a text, for editors. */
export const FILLED_TEXT = { pattern: "\\S" } as const;
