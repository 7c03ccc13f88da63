import { escapeXml, attributes } from "../../shared/xml-text.ts";
import type { ReportPage, Section, Table, Words, Chart, Series } from "./page.ts";
import { utcOf, printElapsed } from "../../shared/utc-time.ts";

/** One self-contained file: no scripts, no fonts, no network requests. It is also well-formed XML. */
export function pageHtml(page: ReportPage): string {
  const { title, tone, status, facts, sections, footer } = page;
  const lines = [
    "<!DOCTYPE html>",
    '<html lang="en" xmlns="http://www.w3.org/1999/xhtml">',
    "<head>",
    '<meta charset="utf-8"/>',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"/>`,
    '<meta name="viewport" content="width=device-width, initial-scale=1"/>',
    '<meta name="color-scheme" content="light dark"/>',
    `<title>${plain(title)}: ${escapeXml(status)}</title>`,
    `<style>${STYLE}</style>`,
    "</head>",
    "<body>",
    "<main>",
    `<h1>${words(title)} <span class="status ${tone}">${escapeXml(status)}</span></h1>`,
    "<dl>",
    ...facts.map(({ name, value }) => `<div><dt>${escapeXml(name)}</dt><dd>${words(value)}</dd></div>`),
    "</dl>",
    ...sections.flatMap(sectionLines),
    `<footer>${words(footer)}</footer>`,
    "</main>",
    "</body>",
    "</html>",
  ];
  return `${lines.join("\n")}\n`;
}

function sectionLines({ heading, about, charts = [], table, items = [] }: Section): string[] {
  return [
    "<section>",
    `<h2>${escapeXml(heading)}</h2>`,
    ...(about === undefined ? [] : [`<p>${words(about)}</p>`]),
    ...(charts.length === 0 ? [] : ['<div class="charts">', ...charts.map(chartSvg), "</div>"]),
    ...(table === undefined ? [] : tableLines(table)),
    ...(items.length === 0 ? [] : ["<ul>", ...items.map((item) => `<li>${words(item)}</li>`), "</ul>"]),
    "</section>",
  ];
}

function tableLines({ columns, rows, more }: Table): string[] {
  const kind = columns.map(({ isNumber, isHash }) =>
    isNumber ? ' class="number"' : isHash === true ? ' class="hash"' : "",
  );
  const head = columns.map(({ name }, index) => `<th scope="col"${kind[index] ?? ""}>${escapeXml(name)}</th>`);
  const row = (cells: readonly Words[]): string =>
    `<tr>${cells.map((cell, index) => `<td${kind[index] ?? ""}>${words(cell)}</td>`).join("")}</tr>`;
  return [
    '<div class="wide" tabindex="0">',
    "<table>",
    `<thead><tr>${head.join("")}</tr></thead>`,
    "<tbody>",
    ...rows.map(row),
    "</tbody>",
    "</table>",
    "</div>",
    ...(more === undefined ? [] : [`<p>${escapeXml(more)}</p>`]),
  ];
}

function words(content: Words): string {
  return content
    .map((part) => (typeof part === "string" ? escapeXml(part) : `<span class="said">${escapeXml(part.said)}</span>`))
    .join("");
}

/** For places that allow no elements. */
function plain(content: Words): string {
  return content.map((part) => escapeXml(typeof part === "string" ? part : part.said)).join("");
}

const WIDTH = 640;
const LEFT = 84;
const RIGHT = 12;
const TOP = 10;
const HEIGHT = 150;
const ROW = 22;
const MAX_LABELS = 6;

type Plot = Extract<Chart, { kind: "bars" | "lines" }>;
type Spans = Extract<Chart, { kind: "spans" }>;

/** A chart as SVG without scripts. The page sets its colours. */
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

/**
 * The top value of the axis. Bars are stacked, so their sum must fit. For integers it is even, so that half of it is an
 * integer.
 */
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
    const shown = escapeXml(print(top * part));
    return `<path class="grid" d="M${LEFT} ${at}H${WIDTH - RIGHT}"/><text x="${LEFT - 6}" y="${at + 4}" text-anchor="end">${shown}</text>`;
  });
}

function axis({ labels }: Plot, { x, step }: Scale): string[] {
  const every = Math.ceil(labels.length / MAX_LABELS);
  const room = Math.max(6, Math.floor((step * every) / 6.5));
  return labels.flatMap((label, index) => {
    if (index % every !== 0) return [];
    const shown = escapeXml(label.length > room ? `${label.slice(0, room - 1)}…` : label);
    return [`<text x="${round(x(index))}" y="${TOP + HEIGHT + 16}" text-anchor="middle">${shown}</text>`];
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
      return [`<rect class="${tone}"${numbers(box)}>${svgTitle(`${label}: ${print(value)} ${name}`)}</rect>`];
    });
  });
}

function points({ labels, print }: Plot, { name, tone, values }: Series, { x, y }: Scale): string[] {
  const known = values.flatMap((value, index) => (value === null ? [] : [{ index, value }]));
  const path = known.map(({ index, value }, at) => `${at === 0 ? "M" : "L"}${round(x(index))} ${round(y(value))}`);
  const dots = known.map(({ index, value }) => {
    const place = numbers({ cx: round(x(index)), cy: round(y(value)), r: 3 });
    return `<circle class="${tone}"${place}>${svgTitle(`${labels[index] ?? ""}: ${print(value)} ${name}`)}</circle>`;
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
    const boxes = spans.map(({ from: begin, to: end, tone, title: text }) => {
      const box = { x: round(x(begin)), y: top + 3, width: round(Math.max(2, x(end) - x(begin))), height: ROW - 6 };
      return `<rect class="${tone}"${numbers(box)}>${svgTitle(text)}</rect>`;
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

function svgTitle(text: string): string {
  return `<title>${escapeXml(text.trim())}</title>`;
}

function numbers(values: Readonly<Record<string, number>>): string {
  return attributes(Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)])));
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** The style of a report: the light or dark theme of the reader, and scrolling for wide tables on narrow screens. */
const STYLE = `
:root { color-scheme: light dark; --page: #ffffff; --text: #1c2430; --quiet: #5b6675; --rule: #d9dee5; --panel: #f5f7f9;
  --good: #1f7a4d; --bad: #b3261e; --warning: #8a5300; --first: #2f5fb3; --second: #a8591c; --idle: #9aa5b1; }
@media (prefers-color-scheme: dark) { :root { --page: #14181d; --text: #e6e9ed; --quiet: #a3adb8; --rule: #333b45;
  --panel: #1c2228; --good: #56c08d; --bad: #f2857d; --warning: #e0a64a; --first: #82aaf0; --second: #e39a5f;
  --idle: #66717d; } }
body { margin: 0; background: var(--page); color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 72rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; }
h1 { font-size: 1.4rem; overflow-wrap: anywhere; } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
.status { font-size: .9rem; font-weight: 600; padding: .15rem .6rem; border: 1px solid; border-radius: 1rem; white-space: nowrap; }
.status.good { color: var(--good); } .status.bad { color: var(--bad); }
.status.warning { color: var(--warning); } .status.plain { color: var(--first); }
dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(11rem, 45%), 1fr)); gap: .5rem; margin: 1rem 0; }
dl div { background: var(--panel); border-radius: .5rem; padding: .5rem .75rem; }
dt { color: var(--quiet); font-size: .8rem; } dd { margin: 0; overflow-wrap: anywhere; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(24rem, 100%), 1fr)); gap: 1rem; }
figure { margin: 0; max-width: 46rem; background: var(--panel); border-radius: .5rem; padding: .75rem; }
figcaption { font-size: .85rem; color: var(--quiet); } svg { display: block; width: 100%; height: auto; }
svg text { fill: var(--quiet); font: 11px system-ui, sans-serif; } .grid { stroke: var(--rule); fill: none; }
rect.good, circle.good { fill: var(--good); } rect.bad, circle.bad { fill: var(--bad); }
rect.first, circle.first { fill: var(--first); } rect.second, circle.second { fill: var(--second); }
rect.quiet, circle.quiet { fill: var(--idle); } .line { fill: none; stroke-width: 2; }
.line.first { stroke: var(--first); } .line.second { stroke: var(--second); } .line.bad { stroke: var(--bad); }
.line.good { stroke: var(--good); } .line.quiet { stroke: var(--idle); }
.key { margin-left: .75rem; white-space: nowrap; }
.key i { display: inline-block; width: .7em; height: .7em; border-radius: 2px; margin-right: .3em; }
.key .good { background: var(--good); } .key .bad { background: var(--bad); } .key .quiet { background: var(--idle); }
.key .first { background: var(--first); } .key .second { background: var(--second); }
.wide { overflow-x: auto; } table { border-collapse: collapse; width: 100%; margin: .75rem 0; font-size: .9rem; }
th, td { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid var(--rule); vertical-align: top; }
th { color: var(--quiet); font-weight: 600; white-space: nowrap; } td { overflow-wrap: break-word; max-width: 32rem; }
.number { text-align: right; font-variant-numeric: tabular-nums; overflow-wrap: normal; white-space: nowrap; }
td.hash { overflow-wrap: anywhere; min-width: 11rem; width: 17rem; font: .8rem/1.4 ui-monospace, monospace; }
.said { white-space: pre-wrap; unicode-bidi: isolate; } li { overflow-wrap: anywhere; }
@media (max-width: 40rem) { td:not(.number, .hash) { min-width: 6rem; } td.hash { min-width: 17rem; } th { white-space: normal; } }
footer { margin-top: 2.5rem; color: var(--quiet); font-size: .8rem; overflow-wrap: anywhere; }
`;
