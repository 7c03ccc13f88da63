import type { CoverageMeasure } from "../claim.ts";
import type { TestFigures } from "../observations.ts";
import type { TestCase } from "../test-cases.ts";

/** The content of one report file. With a problem it has no figures: half a report is no evidence. */
export interface ReportReading {
  readonly path: string;
  /** Null when it is in no known format. */
  readonly format: ReportFormat | null;
  readonly tests: TestFigures | null;
  readonly coverage: CoverageCounts | null;
  readonly problem: string | null;
  /** The tests one by one, where the format names them. */
  readonly cases?: readonly TestCase[];
  /** The files whose coverage is in it. */
  readonly covered?: readonly string[];
}

export const REPORT_FORMATS = {
  junit: { name: "JUnit XML", shows: "tests" },
  tap: { name: "TAP", shows: "tests" },
  jest: { name: "Jest or Vitest JSON", shows: "tests" },
  mocha: { name: "Mocha JSON", shows: "tests" },
  lcov: { name: "lcov", shows: "coverage" },
  cobertura: { name: "Cobertura XML", shows: "coverage" },
  istanbul: { name: "Istanbul coverage", shows: "coverage" },
  "istanbul-summary": { name: "Istanbul coverage summary", shows: "coverage" },
} as const;
export type ReportFormat = keyof typeof REPORT_FORMATS;

export type CoverageCounts = Readonly<Partial<Record<CoverageMeasure, Share>>>;

export interface Share {
  readonly hit: number;
  readonly found: number;
}

export interface Shown extends Pick<ReportReading, "tests" | "coverage" | "cases" | "covered"> {}

/** A larger file is not opened. */
export const MAX_REPORT_BYTES = 32 * 1024 * 1024;

export const MAX_REPORT_LEVELS = 64;

/** Why a report is refused. It never leaves this folder: `readReport` turns it into a problem. */
export class ReportRefusal extends Error {}

export function refuseReport(reason: string): never {
  throw new ReportRefusal(reason);
}

/** Reads a count in digits or as a JSON number; anything else is refused. */
export function readCount(value: unknown, name: string): number {
  const count = typeof value === "string" && /^\d{1,9}$/.test(value) ? Number(value) : value;
  if (typeof count === "number" && Number.isInteger(count) && count >= 0 && count <= MAX_COUNTED) return count;
  return refuseReport(`${name} is ${quoted(value)}, which is no count`);
}

const MAX_COUNTED = 999_999_999;

/** Whether something was executed. Tools write counts of up to 64 bits. */
export function wasHit(value: unknown, name: string): boolean {
  if (typeof value === "string" && /^\d{1,20}$/.test(value)) return !/^0+$/.test(value);
  if (typeof value === "number" && Number.isFinite(value) && value >= 0 && value < 1e20) return value > 0;
  return refuseReport(`${name} is ${quoted(value)}, which is no count`);
}

/** A part of the report, quoted inside a sentence. */
export function quoted(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing");
  return JSON.stringify(text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}...` : text);
}

const MAX_QUOTED = 60;

/** Node gives a test file without a test the name of the file. */
export function looksLikeFile(name: string): boolean {
  return /^[^\0]*[^\s/\\]\.[cm]?[jt]sx?$/.test(name);
}

/** The figures, with the number of test files without a test where there are some. */
export function withEmpty({ passed, failed, skipped }: TestFigures, empty: number): TestFigures {
  return { passed, failed, skipped, ...(empty > 0 && { empty }) };
}

export const COVERAGE_MEASURES = ["lines", "branches", "functions", "statements"] as const satisfies CoverageMeasure[];

/** Leaves out measures without any item, which have no percentage. */
export function coverageOf(counts: CoverageCounts): CoverageCounts {
  const kept: Partial<Record<CoverageMeasure, Share>> = {};
  for (const measure of COVERAGE_MEASURES) {
    const share = counts[measure];
    if (share !== undefined && share.found > 0) kept[measure] = share;
  }
  return Object.keys(kept).length > 0
    ? kept
    : refuseReport("it measures nothing: no line, branch or function is in it");
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
