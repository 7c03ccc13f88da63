import type { Page, Section, Table, Words } from "../../runtime/operations/report-runs.ts";
import { defuseLines, printable } from "../../shared/printable.ts";
import { cutTo, widthOf } from "../fit-text.ts";
import { paint } from "../paint.ts";

export interface PrettyStyle {
  readonly colour: boolean;
  readonly width: number;
}

/** A report for the terminal: aligned, within its width, nothing in it obeyed. */
export function reportPretty({ title, tone, status, facts, sections, footer }: Page, style: PrettyStyle): string {
  const wide = Math.max(0, ...facts.map(({ name }) => name.length));
  const lines = [
    `${paint(words(title), "plain", style.colour)}  ${paint(status, tone, style.colour)}`,
    ...facts.map(({ name, value }) => `  ${paint(name.padEnd(wide), "quiet", style.colour)}  ${words(value)}`),
    ...sections.flatMap((section) => sectionLines(section, style)),
    "",
    paint(words(footer), "quiet", style.colour),
  ];
  return `${defuseLines(lines)}\n`;
}

function sectionLines({ heading, about, table, items = [] }: Section, style: PrettyStyle): string[] {
  if (table === undefined && items.length === 0) return [];
  return [
    "",
    `${paint(heading, "plain", style.colour)}${about === undefined ? "" : `  ${paint(words(about), "quiet", style.colour)}`}`,
    ...(table === undefined ? [] : tableLines(table, style)),
    ...items.map((item) => `  ${words(item)}`),
  ];
}

/** Long words make room: the widest column of text is cut until the line fits, but never to nothing. */
function tableLines({ columns, rows, more }: Table, { colour, width }: PrettyStyle): string[] {
  const texts = rows.map((row) => row.map(words));
  const widths = columns.map(({ name }, index) =>
    Math.max(widthOf(name), ...texts.map((row) => widthOf(row[index] ?? ""))),
  );
  shrink(
    widths,
    columns.map(({ isNumber }) => isNumber),
    width - 2,
  );
  const line = (cells: readonly string[]): string =>
    `  ${columns.map(({ isNumber }, index) => fitted(cells[index] ?? "", widths[index] ?? 0, isNumber)).join("  ")}`.trimEnd();
  return [
    paint(line(columns.map(({ name }) => name)), "quiet", colour),
    ...texts.map(line),
    ...(more === undefined ? [] : [`  ${more}`]),
  ];
}

const LEAST = 8;

function shrink(widths: number[], isNumber: readonly boolean[], room: number): void {
  const total = (): number => widths.reduce((sum, each) => sum + each + 2, -2);
  for (let over = total() - room; over > 0; over = total() - room) {
    const widest = widths.reduce(
      (best, each, index) =>
        isNumber[index] !== true && each > (best < 0 ? LEAST : (widths[best] ?? 0)) ? index : best,
      -1,
    );
    if (widest < 0) return;
    const second = Math.max(LEAST, ...widths.filter((_, index) => index !== widest && isNumber[index] !== true));
    const own = widths[widest] ?? 0;
    widths[widest] = Math.max(LEAST, own - Math.max(1, Math.min(over, own - second)));
  }
}

function fitted(text: string, width: number, isNumber: boolean): string {
  const shown = cutTo(text, width);
  const space = " ".repeat(Math.max(0, width - widthOf(shown)));
  return isNumber ? space + shown : shown + space;
}

function words(content: Words): string {
  return content
    .map((part) => (typeof part === "string" ? part : printable(part.said.replaceAll(/\s+/g, " ").trim())))
    .join("");
}
