import type { Table, Words, Page, Section } from "../../runtime/operations/report-runs.ts";
import { printable, defuseLines } from "../../shared/printable.ts";
import { cutTo, widthOf, wrapText } from "../fit-text.ts";
import { paint } from "../paint.ts";

export interface PrettyStyle {
  readonly colour: boolean;
  readonly width: number;
  /** Where sentences are broken; nowhere when it is not given. */
  readonly room?: number;
}

/**
 * A table within the width. Names of columns are broken first; then long words are cut, but never to nothing; then
 * figures go on in the next line: no part of them is ever left out.
 */
export function tableLines({ columns, rows, more }: Table, { colour, width }: PrettyStyle): string[] {
  const texts = rows.map((row) => row.map(plainWords));
  const widths = fittingWidths(columns, texts, width - INDENT.length);
  const lines = (cells: readonly (readonly string[])[]): string[] =>
    Array.from({ length: Math.max(1, ...cells.map(({ length }) => length)) }, (_, at) => {
      const parts = columns.map(({ isNumber }, index) =>
        aligned(cells[index]?.[at] ?? "", widths[index] ?? 0, isNumber),
      );
      return `${INDENT}${parts.join(GAP)}`.trimEnd();
    });
  const row = (cells: readonly string[]): string[] =>
    lines(
      columns.map(({ isNumber }, index) => {
        const [text, room] = [cells[index] ?? "", widths[index] ?? 0];
        return isNumber ? broken(text, room) : [cutTo(text, room)];
      }),
    );
  return [
    ...lines(columns.map(({ name }, index) => broken(name, widths[index] ?? 0))).map((line) =>
      paint(line, "quiet", colour),
    ),
    ...texts.flatMap(row),
    ...(more === undefined ? [] : [`${INDENT}${more}`]),
  ];
}

export function plainWords(content: Words): string {
  return content
    .map((part) => (typeof part === "string" ? part : printable(part.said.replaceAll(/\s+/g, " ").trim())))
    .join("");
}

const INDENT = "  ";
const GAP = "  ";
/** Of a name, fewer signs tell nothing. */
const LEAST = 9;

function fittingWidths(columns: Table["columns"], rows: readonly (readonly string[])[], room: number): number[] {
  const cells = columns.map((_, index) => Math.max(0, ...rows.map((row) => widthOf(row[index] ?? ""))));
  const whole = columns.map(({ name }, index) => Math.max(widthOf(name), cells[index] ?? 0));
  if (spanOf(whole) <= room) return whole;
  const slim = columns.map(({ name }, index) => Math.max(longestWord(name), cells[index] ?? 0));
  const floors = columns.map(({ name, isNumber }, index) =>
    isNumber ? Math.max(longestWord(name), ...rows.map((row) => longestWord(row[index] ?? ""))) : LEAST,
  );
  const texts = floors.map((floor, index) => (columns[index]?.isNumber === true ? Infinity : floor));
  const widths = shrunk(shrunk(slim, texts, room), floors, room).map((width, index) => {
    // Broken figures may need less than they were given.
    const lines = rows.flatMap((row) => broken(row[index] ?? "", width).map(widthOf));
    return columns[index]?.isNumber === true ? Math.max(longestWord(columns[index].name), ...lines) : width;
  });
  return widened(widths, columns, room);
}

/** What room is left goes to the names of columns that take most lines. */
function widened(whole: readonly number[], columns: Table["columns"], room: number): number[] {
  const widths = [...whole];
  for (let spare = room - spanOf(widths); spare > 0; spare--) {
    const lines = columns.map(({ name }, index) => broken(name, widths[index] ?? 0).length);
    const max = Math.max(...lines);
    if (max < 2) break;
    const tallest = lines.indexOf(max);
    widths[tallest] = (widths[tallest] ?? 0) + 1;
  }
  return widths;
}

/** The widest gives way first, and none more than it has to. */
function shrunk(whole: readonly number[], floors: readonly number[], room: number): number[] {
  const widths = [...whole];
  for (let over = spanOf(widths) - room; over > 0; over = spanOf(widths) - room) {
    const spare = widths.map((width, index) => (width > (floors[index] ?? 0) ? width : 0));
    const own = Math.max(...spare);
    const widest = spare.indexOf(own);
    if (own === 0) break;
    const second = Math.max(floors[widest] ?? 0, ...spare.filter((_, index) => index !== widest));
    widths[widest] = own - Math.max(1, Math.min(over, own - second));
  }
  return widths;
}

function spanOf(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1));
}

function longestWord(text: string): number {
  return Math.max(0, ...text.split(" ").map(widthOf));
}

/** In lines of whole words. */
function broken(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && widthOf(last) + 1 + widthOf(word) <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(cutTo(word, width));
  }
  return lines;
}

function aligned(text: string, width: number, isNumber: boolean): string {
  const space = " ".repeat(Math.max(0, width - widthOf(text)));
  return isNumber ? space + text : text + space;
}

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
