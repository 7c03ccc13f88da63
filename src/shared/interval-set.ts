export interface Interval {
  readonly start: number;
  readonly end: number;
}

/** Answers in logarithmic time whether an offset lies inside one of many stretches. */
export class IntervalSet {
  readonly #merged: Interval[] = [];

  constructor(intervals: readonly Interval[]) {
    const sorted = [...intervals].sort((left, right) => left.start - right.start);
    for (const { start, end } of sorted) {
      const last = this.#merged.at(-1);
      if (last !== undefined && start <= last.end)
        this.#merged[this.#merged.length - 1] = { start: last.start, end: Math.max(last.end, end) };
      else this.#merged.push({ start, end });
    }
  }

  has(offset: number): boolean {
    const index = lastStartingAt(this.#merged, offset);
    return index !== -1 && offset < (this.#merged[index]?.end ?? 0);
  }
}

/** Index of the last of the sorted intervals that starts at or before the offset, or -1. */
export function lastStartingAt(sorted: readonly Interval[], offset: number): number {
  let low = -1;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((sorted[middle]?.start ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}
