import type { Spent, Spread } from "../../../src/api/answers.ts";
import { count, dollars, percent, spanOf, UNKNOWN } from "../../components/format.ts";

/** Figures in words; what is not known is said to be so. */

export function timeOf(spread: Spread | null): string {
  return spread === null ? UNKNOWN : spanOf(spread.median);
}

export function timeNote(spread: Spread | null): string {
  return spread === null
    ? "nothing to measure yet"
    : `median of ${count(spread.count)}, nine in ten within ${spanOf(spread.p90)}`;
}

export function medianOf(spread: Spread | null): string {
  return spread === null ? UNKNOWN : count(spread.median);
}

export function rateOf(rate: number | null): string {
  return rate === null ? UNKNOWN : percent(rate);
}

export function tokensOf({ sum }: Spent): string {
  return sum === null ? UNKNOWN : count(sum);
}

export function moneyOf({ sum }: Spent): string {
  return sum === null ? UNKNOWN : dollars(sum);
}

export function spentNote({ known, unknown }: Spent): string {
  if (known + unknown === 0) return "no attempt yet";
  return unknown === 0
    ? `all ${count(known)} attempts told it`
    : `${count(unknown)} of ${count(known + unknown)} attempts told nothing`;
}

export function shareOf(part: number, whole: number): string {
  return whole === 0 ? UNKNOWN : percent(part / whole);
}
