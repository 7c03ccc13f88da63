/** One bar of the design, measured. */
export interface Bar {
  readonly what: string;
  /** The two times, or the one that the bar is about, for people. */
  readonly ours: string;
  readonly baseline: string;
  /** What the bar limits, in `unit`. */
  readonly figure: number;
  readonly most: number;
  readonly unit: string;
  /** Not asked for, only wished. */
  readonly stretch?: boolean;
}

/** A bar on how many times the baseline's time ours may be; both in nanoseconds. */
export function ratioBar(what: string, ours: number, baseline: number, most: number, against: string): Bar {
  return {
    what,
    ours: printTime(ours),
    baseline: `${printTime(baseline)} ${against}`,
    figure: ours / baseline,
    most,
    unit: "x",
  };
}

export function isMet({ figure, most }: Bar): boolean {
  return figure <= most;
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
  const rows = [["what", "ours", "baseline", "figure", "bar", ""], ...bars.map(columnsOf)];
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
  const verdict = isMet(bar) ? "met" : "missed";
  return [
    bar.what,
    bar.ours,
    bar.baseline,
    `${bar.figure.toFixed(2)} ${bar.unit}`,
    `${bar.most} ${bar.unit}`,
    bar.stretch === true ? `${verdict} (stretch)` : verdict,
  ];
}
