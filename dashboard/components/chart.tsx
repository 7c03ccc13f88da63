import "uplot/dist/uPlot.min.css";
import "./chart.css";
import { useComputedColorScheme } from "@mantine/core";
import { type ReactNode, useEffect, useMemo, useRef } from "react";
import UPlot from "uplot";
import type { Meaning } from "./badge.tsx";
import { dashOf } from "./chart-dash.ts";
import { type Axis, type ChartText, chartOptions, inkOf } from "./chart-options.ts";
import { exactTime } from "./format.ts";
import { type Column, ScrollTable } from "./table.tsx";

export interface Series {
  readonly label: string;
  /** Null is not known: the line is cut there. */
  readonly values: readonly (number | null)[];
  readonly meaning: Meaning;
  readonly kind: "line" | "bars";
}

interface Drawn {
  readonly x: Axis;
  readonly series: readonly Series[];
}

const HEIGHT = 190;

/** A chart in the colours of the page; below it the same as a table, for readers who cannot see it. */
export function Chart({
  label,
  x,
  series,
  text,
}: {
  readonly label: string;
  readonly x: Axis;
  readonly series: readonly Series[];
  readonly text?: ChartText;
}): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme();
  // Data that say the same must not draw anew: every live update makes new arrays.
  const told = JSON.stringify({ x, series });
  useEffect(() => {
    const place = box.current;
    if (place === null) return undefined;
    const drawn = JSON.parse(told) as Drawn;
    const options = chartOptions(drawn.x, drawn.series, place, { width: place.clientWidth, height: HEIGHT }, text);
    const plot = new UPlot(options, dataOf(drawn), place);
    const watch = new ResizeObserver(() => plot.setSize({ width: place.clientWidth, height: HEIGHT }));
    watch.observe(place);
    return () => {
      watch.disconnect();
      plot.destroy();
    };
  }, [told, scheme, text]);
  return (
    <figure className="chart">
      <Legend series={series} />
      <div ref={box} className="chart__box" role="img" aria-label={`${label}. The figures are in the table below.`} />
      <FigureTable label={label} x={x} series={series} {...(text === undefined ? {} : { text })} />
    </figure>
  );
}

/** Seconds for uPlot where it is time. */
function dataOf({ x, series }: Drawn): UPlot.AlignedData {
  const at = x.kind === "time" ? x.values.map((value) => value / 1_000) : [...x.values];
  return [at, ...series.map(({ values }) => [...values])];
}

function Legend({ series }: { readonly series: readonly Series[] }): ReactNode {
  return (
    <ul className="chart__legend" aria-hidden="true">
      {series.map(({ label, meaning, kind }, index) => (
        <li key={label}>
          <svg width="22" height="8" viewBox="0 0 22 8">
            <line
              x1="1"
              x2="21"
              y1="4"
              y2="4"
              stroke={inkOf(meaning)}
              strokeWidth={kind === "bars" ? 7 : 2.5}
              strokeDasharray={dashOf(index).join(" ")}
            />
          </svg>
          {label}
        </li>
      ))}
    </ul>
  );
}

function FigureTable({
  label,
  x,
  series,
  text,
}: {
  readonly label: string;
  readonly x: Axis;
  readonly series: readonly Series[];
  readonly text?: ChartText;
}): ReactNode {
  const columns = useMemo(() => columnsOf(x, series, text ?? String), [x, series, text]);
  return (
    <details className="chart__table">
      <summary>As a table</summary>
      <ScrollTable
        label={`${label}, figures`}
        columns={columns}
        rows={x.values.map((_value, row) => row)}
        keyOf={(row) => row}
      />
    </details>
  );
}

/** The rows are the indices of the values. */
function columnsOf(x: Axis, series: readonly Series[], say: (value: number) => string): Column<number>[] {
  const first: Column<number> = {
    title: x.label,
    isHead: true,
    cell: (row) => {
      const value = x.values[row] ?? 0;
      return x.kind === "time" ? exactTime(value) : value;
    },
  };
  const others = series.map(({ label, values }): Column<number> => ({
    title: label,
    isNumber: true,
    cell: (row) => {
      const value = values[row];
      return value === null || value === undefined ? "unknown" : say(value);
    },
  }));
  return [first, ...others];
}
