import type { CoverageMeasure } from "../claim.ts";
import { type CoverageCounts, type Share, refuse } from "./report.ts";

export const COVERAGE_MEASURES = ["lines", "branches", "functions", "statements"] as const satisfies CoverageMeasure[];

/** Measures of which nothing was found are left out: of nothing there is no share. */
export function coverageOf(counts: CoverageCounts): CoverageCounts {
  const kept: Partial<Record<CoverageMeasure, Share>> = {};
  for (const measure of COVERAGE_MEASURES) {
    const share = counts[measure];
    if (share !== undefined && share.found > 0) kept[measure] = share;
  }
  return Object.keys(kept).length > 0 ? kept : refuse("it measures nothing: no line, branch or function is in it");
}

/** Rounded down to hundredths: 99.999 is not 100. */
export function percentOf({ hit, found }: Share): number {
  return Math.floor((hit * 10_000) / found) / 100;
}

export function addShares(left: CoverageCounts, right: CoverageCounts): CoverageCounts {
  const sum: Partial<Record<CoverageMeasure, Share>> = {};
  for (const measure of COVERAGE_MEASURES) {
    const shares = [left[measure], right[measure]].filter((share) => share !== undefined);
    if (shares.length === 0) continue;
    sum[measure] = {
      hit: shares.reduce((total, share) => total + share.hit, 0),
      found: shares.reduce((total, share) => total + share.found, 0),
    };
  }
  return sum;
}
