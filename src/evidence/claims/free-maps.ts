import type { Handoff } from "../../protocol/handoff.ts";
import { type ClaimPlace, standsAt } from "../claim.ts";
import { quote } from "../wording.ts";
import { type JsonRecord, type JsonValue, isRecord, ownValue } from "../../shared/json-value.ts";

/** A map whose keys the agent has chosen. */
export interface FreeMap {
  readonly values: readonly FreeValue[];
}

/** A value of such a map, and its place in the handoff. */
export interface FreeValue extends ClaimPlace {
  /** `testsPassed`, `tests-passed` and `Tests Passed` are one name: `tests_passed`. */
  readonly name: string;
  readonly value: JsonValue;
}

export function metricsOf(handoff: Handoff): FreeMap {
  return freeMap(standsAt(["metrics"]), handoff.metrics);
}

export function resultsOf(handoff: Handoff): FreeMap[] {
  return [
    freeMap(standsAt(["checks", "results"]), handoff.checks?.results),
    freeMap(standsAt(["checks", "environment"]), handoff.checks?.environment),
  ];
}

/** Fields that the dialect does not define, which agents write beside the known fields or into the context. */
export function freeMapsOf(handoff: Handoff): FreeMap[] {
  const { dialect } = handoff;
  const own = handoff.extensions === undefined ? undefined : ownValue(handoff.extensions, dialect);
  const beside = standsAt(["extensions", dialect]);
  const inner = isRecord(own) ? own["handoff"] : undefined;
  return [
    isRecord(inner)
      ? freeMap({ ...beside, path: [...beside.path, "handoff"] }, inner)
      : freeMap(beside, isRecord(own) ? own : undefined),
    freeMap(standsAt(["context", "data"]), handoff.context?.data),
  ];
}

export function freeMap({ where, path }: ClaimPlace, map: JsonRecord | undefined): FreeMap {
  const values: FreeValue[] = [];
  for (const [key, value] of Object.entries(map ?? {}))
    if (value !== undefined && value !== null)
      values.push({ name: snakeCase(key), where: `${where}.${quote(key)}`, path: [...path, key], value });
  return { values };
}

/** The place of an item in a list that is a value of such a map. */
export function placeOfItem({ where, path }: ClaimPlace, at: number): ClaimPlace {
  return { where: `${where}.${at}`, path: [...path, at] };
}

function snakeCase(name: string): string {
  return name
    .slice(0, MAX_NAME)
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll(/[\s-]+/g, "_")
    .toLowerCase();
}

const MAX_NAME = 100;

/** Reads a whole number that is not negative, such as `12` or `"12"`. */
export function countOf(value: JsonValue): number | null {
  const number = typeof value === "string" && /^\s*\d{1,15}\s*$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isSafeInteger(number) && number >= 0 ? number : null;
}
