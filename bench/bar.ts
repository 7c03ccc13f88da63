import { FIGURES_BEFORE } from "./figures-before.ts";

/** One bar of the design, measured. */
export interface Bar {
  readonly what: string;
  /** The two times, or the one that the bar is about, for people. */
  readonly ours: string;
  readonly baseline: string;
  /** What the bar limits, in `unit`. */
  readonly figure: number;
  /** Null: the row has no bar. */
  readonly max: number | null;
  readonly unit: string;
  /** Not asked for, only wished. */
  readonly stretch?: boolean;
}

/** A bar on how many times the baseline's time ours may be; both in nanoseconds. */
export function ratioBar(what: string, ours: number, baseline: number, max: number, against: string): Bar {
  return {
    what,
    ours: printTime(ours),
    baseline: `${printTime(baseline)} ${against}`,
    figure: ours / baseline,
    max,
    unit: "x",
  };
}

export function isMet({ figure, max }: Bar): boolean {
  return max === null || figure <= max;
}

export function printTime(nanoseconds: number): string {
  if (nanoseconds < 1_000) return `${nanoseconds.toFixed(0)} ns`;
  if (nanoseconds < 1_000_000) return `${(nanoseconds / 1_000).toFixed(1)} us`;
  return `${(nanoseconds / 1_000_000).toFixed(2)} ms`;
}

export function printBar(bar: Bar): string {
  return columnsOf(bar).join("  ");
}

export function printTable(bars: readonly Bar[]): string {
  const rows = [["what", "ours", "baseline", "figure", "bar", "before", ""], ...bars.map(columnsOf)];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function columnsOf(bar: Bar): string[] {
  const { what, ours, baseline, figure, max, unit } = bar;
  const before = FIGURES_BEFORE[what];
  return [
    what,
    ours,
    baseline,
    `${figure.toFixed(2)} ${unit}`,
    max === null ? "-" : `${max} ${unit}`,
    before === undefined ? "-" : before.toFixed(2),
    verdict(bar),
  ];
}

function verdict({ figure, max, unit, stretch }: Bar): string {
  if (max === null) return "";
  const words = figure <= max ? "met" : `missed by ${(figure - max).toFixed(2)} ${unit}`;
  return stretch === true ? `${words} (stretch)` : words;
}
