import { escapeXml } from "../../shared/xml-text.ts";
import { chartSvg } from "./chart-svg.ts";
import type { Page, Section, Table, Words } from "./page.ts";
import { STYLE } from "./style.ts";

/** One file that needs nothing else: no script, no font, nothing that is fetched. It is well-formed XML, too. */
export function pageHtml(page: Page): string {
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

/** Where no element may stand. */
function plain(content: Words): string {
  return content.map((part) => escapeXml(typeof part === "string" ? part : part.said)).join("");
}
