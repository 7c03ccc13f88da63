import UPlot from "uplot";
import type { Meaning } from "./badge.tsx";
import { dayOf, hourOf, short } from "./format.ts";
import { dashOf } from "./chart-dash.ts";

export interface Axis {
  readonly label: string;
  readonly values: readonly number[];
  readonly kind: "time" | "number";
}

/** How a value is said. */
export type ChartText = (value: number) => string;

interface Drawn {
  readonly label: string;
  readonly meaning: Meaning;
  readonly kind: "line" | "bars";
  readonly values: readonly (number | null)[];
}

/** As a name that the browser resolves; the canvas needs what comes out of it. */
export function inkOf(meaning: Meaning): string {
  return `var(--${meaning})`;
}

export function chartOptions(
  x: Axis,
  series: readonly Drawn[],
  place: HTMLElement,
  size: { readonly width: number; readonly height: number },
  text: ChartText = short,
): UPlot.Options {
  const ink = inkReader(place);
  const quiet = {
    stroke: ink("var(--ink-soft)"),
    grid: { stroke: ink("var(--line)"), width: 1 },
    ticks: { show: false },
  };
  return {
    ...size,
    legend: { show: false },
    cursor: { show: false },
    padding: [8, x.kind === "time" ? 44 : 12, 0, 0],
    scales: { x: { time: x.kind === "time", range: rangeOf(x) }, y: { range: fromZero } },
    axes: [
      {
        ...quiet,
        ...(x.kind === "number" ? { splits: () => wholeSteps(x.values), incrs: [1] } : { values: moments }),
        space: 96,
        size: 32,
        gap: 8,
      },
      {
        ...quiet,
        ...(isWhole(series) ? { incrs: WHOLE_STEPS } : {}),
        size: 62,
        space: 34,
        values: (_plot, values) => values.map((value) => text(value)),
      },
    ],
    series: [
      {},
      ...(series.map(({ label, meaning, kind }, index) => ({
        label,
        stroke: ink(inkOf(meaning)),
        width: 2,
        dash: kind === "line" ? dashOf(index) : [],
        points: { show: kind === "line" && x.values.length <= 40, size: 6, fill: ink(inkOf(meaning)) },
        ...(kind === "bars" ? { paths: UPlot.paths.bars?.({ size: [0.6, 40] }), fill: ink(inkOf(meaning)) } : {}),
      })) as UPlot.Series[]),
    ],
  };
}

/** Days, each once; within less than two of them hours. */
function moments(_plot: UPlot, values: readonly number[]): string[] {
  const isShort = (values.at(-1) ?? 0) - (values[0] ?? 0) < 172_800;
  const names = values.map((value) => (isShort ? hourOf(value * 1_000) : dayOf(value * 1_000)));
  return names.map((name, index) => (name === names[index - 1] ? "" : name));
}

/** Half an issue is none. */
function isWhole(series: readonly Drawn[]): boolean {
  return series.every(({ values }) => values.every((value) => value === null || Number.isInteger(value)));
}

const WHOLE_STEPS = [1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9].flatMap((step) => [step, 2 * step, 5 * step]);

function wholeSteps(values: readonly number[]): number[] {
  const every = Math.max(1, Math.ceil(values.length / 12));
  return values.filter((_value, index) => index % every === 0);
}

/** One point alone still needs some room around it. */
function rangeOf({ values, kind }: Axis): () => [number, number] {
  const scale = kind === "time" ? 1_000 : 1;
  const least = Math.min(...values) / scale;
  const most = Math.max(...values) / scale;
  const room = most > least ? (most - least) * 0.04 : kind === "time" ? 43_200 : 0.5;
  return () => [least - room, most + room];
}

function fromZero(_plot: UPlot, _least: number, most: number): [number, number] {
  return [0, most > 0 ? most * 1.1 : 1];
}

/** What a colour of ours is on this ground, light or dark. */
function inkReader(place: HTMLElement): (name: string) => string {
  return (name) => {
    const probe = document.createElement("span");
    probe.style.color = name;
    place.append(probe);
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  };
}
