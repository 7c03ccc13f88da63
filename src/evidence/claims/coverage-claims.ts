import { isRecord, shown } from "../../shared/json-value.ts";
import { quote } from "../wording.ts";
import type { Claim, CoverageMeasure } from "../claim.ts";
import { type FreeMap, type FreeValue, freeMap } from "./free-maps.ts";
import { readPercent } from "./stated-results.ts";

/** Percent covered, under any of its names, by one measure or several. */
export function coverageClaims({ values }: FreeMap): Claim[] {
  return values.flatMap(coverageClaim);
}

function coverageClaim(figure: FreeValue): Claim[] {
  const measure = MEASURES.get(figure.name);
  if (measure === undefined) return [];
  if (isRecord(figure.value)) return freeMap(figure.where, figure.value).values.flatMap(claimOfPart);
  const percent = readPercent(figure.value);
  return [claimOf(figure, measure, percent)];
}

function claimOfPart(part: FreeValue): Claim[] {
  const measure = PARTS.get(part.name);
  const percent = readPercent(part.value);
  return measure === undefined || percent === null ? [] : [claimOf(part, measure, percent)];
}

function claimOf({ where, value }: FreeValue, measure: CoverageMeasure | null, percent: number | null): Claim {
  const of = measure === null ? "Coverage" : `Coverage of ${measure}`;
  if (percent === null)
    return { kind: "coverage", where, says: `${of}: ${quote(shown(value))}.`, about: { of: "words" } };
  return { kind: "coverage", where, says: `${of} is ${percent} %.`, about: { of: "coverage", measure, percent } };
}

const PARTS: ReadonlyMap<string, CoverageMeasure | null> = new Map([
  ...(["lines", "branches", "functions", "statements"] as const).map((name) => [name, name] as const),
  ["line", "lines"],
  ["branch", "branches"],
  ["function", "functions"],
  ["statement", "statements"],
  ["total", null],
  ["overall", null],
]);

const MEASURES: ReadonlyMap<string, CoverageMeasure | null> = new Map([
  ...["coverage", "test_coverage", "coverage_percent", "code_coverage", "coverage_percentage"].map(
    (name) => [name, null] as const,
  ),
  ...[...PARTS].flatMap(([name, measure]) =>
    measure === null ? [] : [[`${name}_coverage`, measure] as const, [`coverage_${name}`, measure] as const],
  ),
]);
