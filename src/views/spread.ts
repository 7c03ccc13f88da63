import type { Spent, Spread } from "./metrics.ts";

/** Null of nothing. The p90 is one of the values: the smallest that nine in ten do not exceed. */
export function spreadOf(values: readonly number[]): Spread | null {
  const sorted = Float64Array.from(values).sort();
  const [least] = sorted;
  const most = sorted.at(-1);
  if (least === undefined || most === undefined) return null;
  const sum = sorted.reduce((total, value) => total + value, 0);
  return {
    count: sorted.length,
    sum,
    mean: sum / sorted.length,
    least,
    median: medianOf(sorted),
    p90: sorted[Math.ceil(sorted.length * 0.9) - 1] ?? most,
    most,
  };
}

function medianOf(sorted: Float64Array): number {
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1] ?? 0, sorted[Math.floor(middle)] ?? 0];
  return low + (high - low) / 2;
}

/** A sum of what is known, and how often nobody knows. */
export function spentOf(sum: number, attempts: number, unknown: number): Spent {
  const known = attempts - unknown;
  return { sum: known === 0 ? null : sum, known, unknown };
}
