import type { Diagnostic } from "../../src/api/answers.ts";

/** A long line is shown in pieces of this length: one line of a megabyte is a thousand rows, not one. */
const MAX_ROW = 1_000;
/** Notes that are shown for one line; a thousand would hide the text. */
const MAX_NOTES = 20;

export type TextRow =
  | {
      readonly kind: "text";
      readonly line: number;
      /** The first piece of its line: only it has a number. */
      readonly isFirst: boolean;
      readonly text: string;
      /** Parts that a note is about, from and to. */
      readonly marks: readonly Mark[];
    }
  | { readonly kind: "note"; readonly line: number; readonly note: Diagnostic };

export interface Mark {
  readonly from: number;
  readonly to: number;
  readonly severity: Diagnostic["severity"];
}

/** The rows of a text, each note below the line that it is about. */
export function textRows(text: string, notes: readonly Diagnostic[]): TextRow[] {
  const byLine = Map.groupBy(notes, (note) => note.range.start.line);
  const rows: TextRow[] = [];
  let offset = 0;
  for (const [index, line] of splitLines(text).entries()) {
    const number = index + 1;
    for (let at = 0; at === 0 || at < line.text.length; at += MAX_ROW) {
      const piece = line.text.slice(at, at + MAX_ROW);
      const marks = marksIn(notes, offset + at, offset + at + piece.length);
      rows.push({ kind: "text", line: number, isFirst: at === 0, text: piece, marks });
    }
    for (const note of (byLine.get(number) ?? []).slice(0, MAX_NOTES)) rows.push({ kind: "note", line: number, note });
    offset += line.text.length + line.ending;
  }
  return rows;
}

interface Line {
  readonly text: string;
  /** Length of what ends it. */
  readonly ending: number;
}

function splitLines(text: string): Line[] {
  const lines: Line[] = [];
  let from = 0;
  for (const { index, 0: ending } of text.matchAll(/\r\n|\n|\r/g)) {
    lines.push({ text: text.slice(from, index), ending: ending.length });
    from = index + ending.length;
  }
  if (from < text.length || lines.length === 0) lines.push({ text: text.slice(from), ending: 0 });
  return lines;
}

/** Without overlaps: where two meet, the first one has it. */
function marksIn(notes: readonly Diagnostic[], from: number, to: number): Mark[] {
  if (notes.length > 500) return [];
  const marks: Mark[] = [];
  let free = 0;
  const inside = notes.filter(({ range }) => range.start.offset < to && range.end.offset > from);
  for (const { range, severity } of inside.toSorted(
    (left, right) => left.range.start.offset - right.range.start.offset,
  )) {
    const begin = Math.max(range.start.offset - from, free);
    const end = Math.min(range.end.offset - from, to - from);
    if (end <= begin) continue;
    marks.push({ from: begin, to: end, severity });
    free = end;
  }
  return marks;
}
