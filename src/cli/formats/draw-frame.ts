import type { TextRange } from "../../shared/line-table.ts";
import { type ScreenCell, isPlainLine, splitCells } from "../../shared/printable.ts";

export interface FrameLine {
  readonly kind: "source" | "caret" | "note";
  /** The line number, or as many blanks. */
  readonly gutter: string;
  readonly body: string;
}

interface SourceLine {
  readonly cells: readonly ScreenCell[];
  /** The cells to underline, as indexes: first, and one past the last. */
  readonly from: number;
  readonly to: number;
  readonly cutLeft: boolean;
  readonly cutRight: boolean;
}

const NARROWEST = 20;
const TAB = "    ";
const LEAD = 8;
const GUTTER_EDGES = " ".length + " | ".length;

/** The line where the range begins with carets under it; both lines fit into the width. */
export function drawFrame(text: string, range: TextRange, width: number): readonly FrameLine[] {
  if (text === "") return [];
  const number = String(range.start.line);
  const room = Math.max(NARROWEST, width) - number.length - GUTTER_EDGES;
  const { source, carets } = drawPlainLine(text, range, room) ?? fitIntoRoom(readLine(text, range, room), room);
  const gutter = " ".repeat(number.length);
  const frame: FrameLine[] = [
    { kind: "source", gutter: number, body: source },
    { kind: "caret", gutter, body: carets },
  ];
  if (goesOn(range)) {
    frame.push({ kind: "note", gutter, body: `... to line ${range.end.line}, column ${range.end.column}` });
  }
  return frame;
}

/** The short way for a line that fits as it is: each character is one column. */
function drawPlainLine(text: string, range: TextRange, room: number): { source: string; carets: string } | null {
  const start = stepOutOfLineEnd(text, Math.min(range.start.offset, text.length));
  const { left, right, cutLeft, cutRight } = findLine(text, start, room);
  const line = text.slice(left, right);
  if (cutLeft || cutRight || line.length >= room || !isPlainLine(line)) return null;
  const length = Math.max(1, Math.min(range.end.offset, right) - start);
  return { source: line.trimEnd(), carets: " ".repeat(start - left) + "^".repeat(length) };
}

/** The line of the range's start as cells, with those of the range marked. */
function readLine(text: string, range: TextRange, room: number): SourceLine {
  const start = stepOutOfLineEnd(text, Math.min(range.start.offset, text.length));
  const { left, right, cutLeft, cutRight } = findLine(text, start, room);
  const cells = splitCells(text.slice(left, right), TAB);
  if (start === right) cells.push({ offset: right - left, shown: " ", width: 1 });
  const from = cells.findLastIndex((cell) => cell.offset <= start - left);
  const end = cells.findIndex((cell) => cell.offset >= range.end.offset - left);
  return { cells, from, to: Math.max(from + 1, end === -1 ? cells.length : end), cutLeft, cutRight };
}

/** Looks only as far as could be shown: a frame costs the same in a line of a megabyte. */
function findLine(text: string, start: number, reach: number) {
  const leftmost = Math.max(0, start - reach);
  const rightmost = Math.min(text.length, start + reach);
  let left = start;
  while (left > leftmost && !isLineEnd(text, left - 1)) left -= 1;
  let right = start;
  while (right < rightmost && !isLineEnd(text, right)) right += 1;

  const cutLeft = left > 0 && !isLineEnd(text, left - 1);
  const cutRight = right < text.length && !isLineEnd(text, right);
  if (cutLeft && isSurrogatePair(text, left - 1)) left += 1;
  if (cutRight && isSurrogatePair(text, right - 1)) right -= 1;
  return { left, right, cutLeft, cutRight };
}

function fitIntoRoom(line: SourceLine, room: number): { source: string; carets: string } {
  const [first, last] = chooseCells(line, room);
  const before = first > 0 || line.cutLeft ? "…" : "";
  const after = last < line.cells.length || line.cutRight ? "…" : "";
  const shown = line.cells.slice(first, last).map((cell) => cell.shown);
  const gap = before.length + columns(line.cells.slice(first, line.from));
  const carets = columns(line.cells.slice(line.from, Math.min(line.to, last)));
  return {
    source: `${before}${shown.join("")}${after}`.trimEnd(),
    carets: " ".repeat(gap) + "^".repeat(Math.max(1, carets)),
  };
}

/** All cells when they fit; otherwise a little before the range, the range, then what else there is room for. */
function chooseCells({ cells, from, to, cutLeft, cutRight }: SourceLine, room: number): [number, number] {
  if (!cutLeft && !cutRight && columns(cells) <= room) return [0, cells.length];
  const widthAt = (index: number) => cells[index]?.width ?? Infinity;
  let free = room - "……".length;
  let first = from;
  let last = from;
  while (from - first < LEAD && widthAt(first - 1) <= free / 4) free -= widthAt(--first);
  while (last < to && widthAt(last) <= free) free -= widthAt(last++);
  for (let grew = true; grew;) {
    grew = false;
    if (widthAt(first - 1) <= free) {
      free -= widthAt(--first);
      grew = true;
    }
    if (widthAt(last) <= free) {
      free -= widthAt(last++);
      grew = true;
    }
  }
  return [first, last];
}

function columns(cells: readonly ScreenCell[]): number {
  return cells.reduce((sum, cell) => sum + cell.width, 0);
}

/** A range that ends at the very start of the next line took only its line end along. */
function goesOn({ start, end }: TextRange): boolean {
  return end.line > start.line + 1 || (end.line === start.line + 1 && end.column > 1);
}

/** Between CR and LF is still the end of the same line. */
function stepOutOfLineEnd(text: string, offset: number): number {
  return offset > 0 && text.startsWith("\r\n", offset - 1) ? offset - 1 : offset;
}

function isLineEnd(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  return unit === 10 || unit === 13;
}

function isSurrogatePair(text: string, index: number): boolean {
  return (text.codePointAt(index) ?? 0) > 0xffff;
}
