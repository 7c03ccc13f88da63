import type { CoverageMeasure } from "../claim.ts";
import { quote } from "../wording.ts";
import { type Court, type Finding, NO_PROCEDURE, ON_SIGHT, confirmed, refuted, unverifiable } from "./finding.ts";

/** Who does not say of what, means the lines, or what many tools print first, the statements. */
const UNSAID: readonly CoverageMeasure[] = ["lines", "statements"];
const ROUNDING = 0.05;

/** Coverage is claimed as a floor: true when the measured figure, rounded as the claim is, is not below it. */
export function judgeCoverage(measure: CoverageMeasure | null, percent: number, { gates }: Court): Finding {
  if (percent < 0 || percent > 100) return refuted(ON_SIGHT, "Coverage is between 0 and 100 percent.");
  const wanted = measure === null ? UNSAID : [measure];
  const seen = gates.flatMap(({ gate, figures }) =>
    wanted.flatMap((name) => {
      const value = figures?.coverage?.[name];
      return value === undefined ? [] : [{ gate, name, value }];
    }),
  );
  if (seen.length === 0) return unverifiable(NO_PROCEDURE, "No gate has left a report of this coverage.");
  const procedure = `read the coverage report of ${[...new Set(seen.map(({ gate }) => `gate ${quote(gate)}`))].join(" and ")}`;
  const enough = seen.find(({ value }) => reaches(value, isFraction(percent) ? percent * 100 : percent));
  const evidence = (enough === undefined ? seen : [enough])
    .map(({ name, value }) => `${shown(value)} % of ${name} are covered`)
    .join(", ");
  if (enough !== undefined) return confirmed(procedure, `${evidence}.`);
  return isFraction(percent) && seen.some(({ value }) => reaches(value, percent))
    ? unverifiable(procedure, `${evidence}; it does not say whether ${percent} is a percentage or a part of 1.`)
    : refuted(procedure, `Only ${evidence}.`);
}

/** `0.95` may be meant as 95 percent, and `1` as all. */
function isFraction(percent: number): boolean {
  return percent > 0 && percent <= 1;
}

function reaches(measured: number, claimed: number): boolean {
  const decimals = /\.(\d+)$/.exec(String(claimed))?.[1]?.length ?? 0;
  const scale = 10 ** Math.min(decimals, 6);
  return measured >= claimed - ROUNDING || Math.round(measured * scale) / scale >= claimed;
}

function shown(value: number): string {
  return String(Math.round(value * 100) / 100);
}
