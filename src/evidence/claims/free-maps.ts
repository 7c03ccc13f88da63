import type { Handoff } from "../../protocol/handoff.ts";
import { quote } from "../wording.ts";
import { type JsonRecord, type JsonValue, isRecord, ownValue } from "../../shared/json-value.ts";

/** A map of an agent's own choice of names, and where the handoff has it. */
export interface FreeMap {
  readonly where: string;
  readonly values: readonly FreeValue[];
}

export interface FreeValue {
  /** `testsPassed`, `tests-passed` and `Tests Passed` are one name: `tests_passed`. */
  readonly name: string;
  readonly where: string;
  readonly value: JsonValue;
}

export function metricsOf(handoff: Handoff): FreeMap {
  return freeMap("metrics", handoff.metrics);
}

export function resultsOf(handoff: Handoff): FreeMap[] {
  return [
    freeMap("checks.results", handoff.checks?.results),
    freeMap("checks.environment", handoff.checks?.environment),
  ];
}

/** What a dialect has no field for: agents write it beside the known fields, or into the context. */
export function besidesOf(handoff: Handoff): FreeMap[] {
  const { dialect } = handoff;
  const own = handoff.extensions === undefined ? undefined : ownValue(handoff.extensions, dialect);
  const inner = isRecord(own) && isRecord(own["handoff"]) ? own["handoff"] : own;
  return [
    freeMap(`extensions.${dialect}`, isRecord(inner) ? inner : undefined),
    freeMap("context.data", handoff.context?.data),
  ];
}

export function freeMap(where: string, map: JsonRecord | undefined): FreeMap {
  const values: FreeValue[] = [];
  for (const [key, value] of Object.entries(map ?? {}))
    if (value !== undefined && value !== null)
      values.push({ name: snakeCase(key), where: `${where}.${quote(key)}`, value });
  return { where, values };
}

function snakeCase(name: string): string {
  return name
    .slice(0, LONGEST_NAME)
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll(/[\s-]+/g, "_")
    .toLowerCase();
}

const LONGEST_NAME = 100;

/** A whole number that is not negative; `12` and `"12"` are. */
export function countOf(value: JsonValue): number | null {
  const number = typeof value === "string" && /^\s*\d{1,15}\s*$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isSafeInteger(number) && number >= 0 ? number : null;
}
