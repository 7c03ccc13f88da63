import { splitCells } from "../shared/printable.ts";

/** Columns that a printable text takes on a screen. */
export function widthOf(text: string): number {
  return splitCells(text).reduce((sum, cell) => sum + cell.width, 0);
}

/** The beginning that fits, with `…` where something is missing. */
export function cutTo(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let [shown, used] = ["", 1];
  for (const cell of splitCells(text)) {
    if (used + cell.width > width) break;
    shown += cell.shown;
    used += cell.width;
  }
  return width < 1 ? "" : `${shown}…`;
}

/** In lines that fit, broken between words; all but the first begin with some room. */
export function wrapText(text: string, width: number, indent: number): string[] {
  if (widthOf(text) <= width) return [text];
  const room = Math.max(MINIMUM, width - indent);
  const lines: string[] = [];
  let [line, used, most] = ["", 0, Math.max(MINIMUM, width)];
  for (const word of text.split(" ").flatMap((each) => pieces(each, room))) {
    const wide = widthOf(word);
    if (used > 0 && used + 1 + wide > most) {
      lines.push(line);
      [line, used, most] = ["", 0, room];
    }
    line += used > 0 ? ` ${word}` : word;
    used += wide + (used > 0 ? 1 : 0);
  }
  return [...lines, line].map((each, index) => (index === 0 ? each : `${" ".repeat(indent)}${each}`));
}

const MINIMUM = 20;

/** A word that is wider than a line is broken anywhere. */
function pieces(word: string, width: number): string[] {
  if (widthOf(word) <= width) return [word];
  const found: string[] = [];
  let [piece, used] = ["", 0];
  for (const cell of splitCells(word)) {
    if (used + cell.width > width) {
      found.push(piece);
      [piece, used] = ["", 0];
    }
    piece += cell.shown;
    used += cell.width;
  }
  return [...found, piece];
}
