import { attributes, escapeXml } from "../../shared/xml-text.ts";
import { utcOf } from "../../shared/utc-time.ts";
import { printElapsed } from "../../shared/elapsed.ts";
import type { Chart, Series } from "./page.ts";

const WIDTH = 640;
const LEFT = 84;
const RIGHT = 12;
const TOP = 10;
const HEIGHT = 150;
const ROW = 22;
const MOST_LABELS = 6;

type Plot = Extract<Chart, { kind: "bars" | "lines" }>;
type Spans = Extract<Chart, { kind: "spans" }>;

/** A chart as a picture that needs no script; its colours come from the page. */
export function chartSvg(chart: Chart): string {
  const { body, height } = chart.kind === "spans" ? spansBody(chart) : plotBody(chart);
  const frame = attributes({ viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": chart.title });
  return `<figure><figcaption>${escapeXml(chart.title)}${legend(chart)}</figcaption><svg xmlns="http://www.w3.org/2000/svg"${frame}>${body.join("")}</svg></figure>`;
}

function legend(chart: Chart): string {
  if (chart.kind === "spans" || chart.series.length < 2) return "";
  const names = chart.series.map(
    ({ name, tone }) => `<span class="key"><i class="${tone}"></i>${escapeXml(name)}</span>`,
  );
  return ` ${names.join(" ")}`;
}

interface Drawn {
  readonly body: readonly string[];
  readonly height: number;
}

function plotBody(chart: Plot): Drawn {
  const top = roof(chart);
  const scale: Scale = {
    x: (index) => LEFT + ((index + 0.5) * (WIDTH - LEFT - RIGHT)) / Math.max(1, chart.labels.length),
    y: (value) => TOP + HEIGHT - (value / top) * HEIGHT,
    step: (WIDTH - LEFT - RIGHT) / Math.max(1, chart.labels.length),
  };
  const marks =
    chart.kind === "bars" ? bars(chart, scale) : chart.series.flatMap((series) => points(chart, series, scale));
  return { body: [...grid(chart, top, scale), ...marks, ...axis(chart, scale)], height: TOP + HEIGHT + 24 };
}

interface Scale {
  readonly x: (index: number) => number;
  readonly y: (value: number) => number;
  readonly step: number;
}

/** Bars stand on each other, so their sum has to fit. Of whole numbers the half of it is one, too. */
function roof({ kind, series, labels }: Plot): number {
  const values =
    kind === "lines"
      ? series.flatMap((each) => each.values.map((value) => value ?? 0))
      : labels.map((_, index) => series.reduce((sum, each) => sum + (each.values[index] ?? 0), 0));
  const most = values.reduce((high, value) => Math.max(high, value), 0);
  return most > 0 && !values.every(Number.isInteger) ? most : Math.max(2, most + (most % 2));
}

function grid({ print }: Plot, top: number, { y }: Scale): string[] {
  return [0, 0.5, 1].map((part) => {
    const at = round(y(top * part));
    const words = escapeXml(print(top * part));
    return `<path class="grid" d="M${LEFT} ${at}H${WIDTH - RIGHT}"/><text x="${LEFT - 6}" y="${at + 4}" text-anchor="end">${words}</text>`;
  });
}

function axis({ labels }: Plot, { x, step }: Scale): string[] {
  const every = Math.ceil(labels.length / MOST_LABELS);
  const room = Math.max(6, Math.floor((step * every) / 6.5));
  return labels.flatMap((label, index) => {
    if (index % every !== 0) return [];
    const words = escapeXml(label.length > room ? `${label.slice(0, room - 1)}…` : label);
    return [`<text x="${round(x(index))}" y="${TOP + HEIGHT + 16}" text-anchor="middle">${words}</text>`];
  });
}

function bars({ labels, series, print }: Plot, { x, y, step }: Scale): string[] {
  const width = Math.max(1, Math.min(40, step * 0.7));
  return labels.flatMap((label, index) => {
    let below = 0;
    return series.flatMap(({ name, tone, values }) => {
      const value = values[index] ?? 0;
      if (value <= 0) return [];
      const [low, high] = [y(below), y(below + value)];
      below += value;
      const box = { x: round(x(index) - width / 2), y: round(high), width: round(width), height: round(low - high) };
      return [`<rect class="${tone}"${numbers(box)}>${title(`${label}: ${print(value)} ${name}`)}</rect>`];
    });
  });
}

function points({ labels, print }: Plot, { name, tone, values }: Series, { x, y }: Scale): string[] {
  const known = values.flatMap((value, index) => (value === null ? [] : [{ index, value }]));
  const path = known.map(({ index, value }, at) => `${at === 0 ? "M" : "L"}${round(x(index))} ${round(y(value))}`);
  const dots = known.map(({ index, value }) => {
    const place = numbers({ cx: round(x(index)), cy: round(y(value)), r: 3 });
    return `<circle class="${tone}"${place}>${title(`${labels[index] ?? ""}: ${print(value)} ${name}`)}</circle>`;
  });
  return [...(path.length < 2 ? [] : [`<path class="line ${tone}" d="${path.join("")}"/>`]), ...dots];
}

function spansBody({ rows, from, to }: Spans): Drawn {
  const span = Math.max(1, to - from);
  const left = 150;
  const x = (at: number): number => left + ((at - from) / span) * (WIDTH - left - RIGHT);
  const body = rows.flatMap(({ label, spans }, index) => {
    const top = TOP + index * ROW;
    const short = label.length > 22 ? `${label.slice(0, 21)}…` : label;
    const name = `<text x="${left - 8}" y="${top + 14}" text-anchor="end">${escapeXml(short)}</text>`;
    const boxes = spans.map(({ from: begin, to: end, tone, title: words }) => {
      const box = { x: round(x(begin)), y: top + 3, width: round(Math.max(2, x(end) - x(begin))), height: ROW - 6 };
      return `<rect class="${tone}"${numbers(box)}>${title(words)}</rect>`;
    });
    return [name, ...boxes];
  });
  const bottom = TOP + rows.length * ROW + 14;
  const ends = [
    `<text x="${left}" y="${bottom}">${utcOf(from).slice(11, 19)}</text>`,
    `<text x="${WIDTH - RIGHT}" y="${bottom}" text-anchor="end">+ ${printElapsed(span)}</text>`,
  ];
  return { body: [...body, ...ends], height: bottom + 8 };
}

function title(words: string): string {
  return `<title>${escapeXml(words.trim())}</title>`;
}

function numbers(values: Readonly<Record<string, number>>): string {
  return attributes(Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)])));
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
