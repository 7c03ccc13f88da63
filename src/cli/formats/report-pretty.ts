import type { Page, Section } from "../../runtime/operations/report-runs.ts";
import { defuseLines } from "../../shared/printable.ts";
import { wrapText } from "../fit-text.ts";
import { paint } from "../paint.ts";
import { type PrettyStyle, plainWords, tableLines } from "./pretty-table.ts";

/** A report for the terminal: aligned, within its width, nothing in it obeyed. */
export function reportPretty({ title, tone, status, facts, sections, footer }: Page, style: PrettyStyle): string {
  const { colour, width } = style;
  const lines = [
    `${paint(plainWords(title), "plain", colour)}  ${paint(status, tone, colour)}`,
    ...factLines(facts, style),
    ...sections.flatMap((section) => sectionLines(section, style)),
    "",
    ...wrapText(plainWords(footer), width, 0).map((line) => paint(line, "quiet", colour)),
  ];
  return `${defuseLines(lines)}\n`;
}

function factLines(facts: Page["facts"], { colour, width }: PrettyStyle): string[] {
  const wide = Math.max(0, ...facts.map(({ name }) => name.length));
  return facts.flatMap(({ name, value }) => {
    const [first = "", ...rest] = wrapText(plainWords(value), width - wide - 4, 0);
    const indent = " ".repeat(wide + 4);
    return [`  ${paint(name.padEnd(wide), "quiet", colour)}  ${first}`, ...rest.map((line) => `${indent}${line}`)];
  });
}

function sectionLines({ heading, about, table, items = [] }: Section, style: PrettyStyle): string[] {
  if (table === undefined && items.length === 0) return [];
  const { colour, width } = style;
  return [
    "",
    paint(heading, "plain", colour),
    ...(about === undefined ? [] : indented(plainWords(about), width, 2).map((line) => paint(line, "quiet", colour))),
    ...(table === undefined ? [] : tableLines(table, style)),
    ...items.flatMap((item) => indented(plainWords(item), width, 4)),
  ];
}

/** The first line stands two columns in, all others as far as they are told to. */
function indented(text: string, width: number, indent: number): string[] {
  return wrapText(text, width - 2, indent - 2).map((line) => `  ${line}`);
}
