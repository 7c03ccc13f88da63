import type { CoverageMeasure } from "../claim.ts";
import type { TestFigures } from "../sightings.ts";

/** What one report file has shown. With a problem it shows nothing: half a report is no evidence. */
export interface ReportReading {
  readonly path: string;
  /** Null when it is none of them. */
  readonly format: ReportFormat | null;
  readonly tests: TestFigures | null;
  readonly coverage: CoverageCounts | null;
  readonly problem: string | null;
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

/** So many of so many. */
export interface Share {
  readonly hit: number;
  readonly found: number;
}

/** What a report of a format shows. */
export interface Shown {
  readonly tests: TestFigures | null;
  readonly coverage: CoverageCounts | null;
}

/** A larger file is not even opened by whoever reads reports. */
export const MOST_REPORT_BYTES = 32 * 1024 * 1024;

export const MOST_REPORT_LEVELS = 64;

/** Why a report is not believed. It never leaves this folder: `readReport` makes a problem of it. */
export class ReportRefusal extends Error {}

export function refuse(reason: string): never {
  throw new ReportRefusal(reason);
}

/** A count as a report writes it, in digits or as a JSON number; nothing else is one. */
export function readCount(value: unknown, name: string): number {
  const count = typeof value === "string" && /^\d{1,9}$/.test(value) ? Number(value) : value;
  if (typeof count === "number" && Number.isInteger(count) && count >= 0 && count <= MOST_COUNTED) return count;
  return refuse(`${name} is ${quoted(value)}, which is no count`);
}

const MOST_COUNTED = 999_999_999;

/** How often something was executed; only whether it was is ever asked. Tools count up to 64 bits. */
export function wasHit(value: unknown, name: string): boolean {
  if (typeof value === "string" && /^\d{1,20}$/.test(value)) return !/^0+$/.test(value);
  if (typeof value === "number" && Number.isFinite(value) && value >= 0 && value < 1e20) return value > 0;
  return refuse(`${name} is ${quoted(value)}, which is no count`);
}

/** A piece of the report inside a sentence. */
export function quoted(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing");
  return JSON.stringify(text.length > MOST_QUOTED ? `${text.slice(0, MOST_QUOTED)}...` : text);
}

const MOST_QUOTED = 60;
