import { count } from "../../shared/count.ts";
import { utcOf, printElapsed } from "../../shared/utc-time.ts";
import type { Measures, Spent, Spread } from "../metrics.ts";
import type { Column, PageTone } from "./page.ts";

/** The word for unknown values in every report. */
export const UNKNOWN = "unknown";

export function printTime(at: number | null): string {
  return at === null ? UNKNOWN : utcOf(at).replace("T", " ").replace("Z", " UTC");
}

/** The same without the time zone, for a column whose heading names it. */
export function printMoment(at: number): string {
  return utcOf(at).replace("T", " ").replace("Z", "");
}

/** The median and the 90th percentile; a single value is shown alone. */
export function printSpread(spread: Spread | null, print: (value: number) => string): string {
  if (spread === null) return UNKNOWN;
  const { median, p90, count: known } = spread;
  if (known === 1) return print(median);
  return `${print(median)} median, ${print(p90)} p90`;
}

export function printNumber(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(2);
}

function printPercent(value: number): string {
  return `${printNumber(value)} %`;
}

export function printShare(part: number, whole: number): string {
  return whole === 0 ? UNKNOWN : `${Math.floor((100 * part) / whole)} % (${part} of ${whole})`;
}

export function printSpent({ sum, unknown }: Spent, print: (value: number) => string): string {
  if (sum === null) return unknown === 0 ? "none" : `${UNKNOWN} (${count(unknown, "attempt")})`;
  return unknown === 0 ? print(sum) : `${print(sum)} (and ${count(unknown, "attempt")} unknown)`;
}

function printMoney(value: number): string {
  return `${value.toFixed(2)} USD`;
}

export function printClaims({ confirmed, refuted, unverifiable }: Measures["claims"]): string {
  return `${confirmed} confirmed, ${refuted} refuted, ${unverifiable} unverifiable`;
}

export const CLAIM_MARKS = "confirmed ✓, refuted ✗, unverifiable ?";

/** In the form that `CLAIM_MARKS` explains. */
export function markClaims({ confirmed, refuted, unverifiable }: Measures["claims"]): string {
  return `${confirmed}✓ ${refuted}✗ ${unverifiable}?`;
}

/** Share of confirmed claims among those that could be judged. */
export function printTruth({ confirmed, refuted }: Measures["claims"]): string {
  return printShare(confirmed, confirmed + refuted);
}

export function toneOf(status: string): PageTone {
  if (status === "completed") return "good";
  if (status === "failed" || status === "cancelled") return "bad";
  return status === "waiting" ? "warning" : "plain";
}

/** Columns by name: a leading `#` marks a column of numbers, a leading `%` a column of hashes. */
export function columns(...names: readonly string[]): Column[] {
  return names.map((name) => ({
    name: name.replace(/^[#%]/, ""),
    isNumber: name.startsWith("#"),
    isHash: name.startsWith("%"),
  }));
}

export const PRINT = { elapsed: printElapsed, number: printNumber, percent: printPercent, money: printMoney };
