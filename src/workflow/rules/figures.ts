import type { Handoff } from "../../protocol/handoff.ts";
import { type JsonRecord, isRecord, ownValue } from "../../shared/json-value.ts";

/** Percent, wherever a dialect keeps it; `96%` is 96. */
export function coverageOf(handoff: Handoff | null): number | undefined {
  const results = handoff?.checks?.results;
  const found =
    fromMap(handoff?.metrics, ["test_coverage", "coverage", "coverage_percent"]) ??
    fromMap(results, ["coverage", "coverage_percent", "test_coverage"]);
  return numberOf(isRecord(found) ? fromMap(found, ["lines"]) : found);
}

export function fromMap(map: JsonRecord | undefined, names: readonly string[]): unknown {
  if (map === undefined) return undefined;
  for (const name of names) {
    const value = ownValue(map, name);
    if (value !== undefined && value !== null) return value;
  }
  return undefined;
}

export function numberOf(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  const match = typeof value === "string" ? /^\s*(\d+(?:\.\d+)?)\s*%?\s*$/.exec(value) : null;
  return match === null ? undefined : Number(match[1]);
}
