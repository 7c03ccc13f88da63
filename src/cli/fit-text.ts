import { splitCells } from "../shared/printable.ts";

/** What we paint with; texts of others are printable and hold none. */
export const COLOURS = /\u001b\[[\d;]*m/g;

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
  let [line, used, max] = ["", 0, Math.max(MINIMUM, width)];
  for (const word of text.split(" ").flatMap((each) => pieces(each, room))) {
    const wide = widthOf(word);
    if (used > 0 && used + 1 + wide > max) {
      lines.push(line);
      [line, used, max] = ["", 0, room];
    }
    line += used > 0 ? ` ${word}` : word;
    used += wide + (used > 0 ? 1 : 0);
  }
  return [...lines, line].map((each, index) => (index === 0 ? each : `${" ".repeat(indent)}${each}`));
}

/** The same, but a word that is wider than a line stays whole: a path or a hash is no use in pieces. Colours take no room. */
export function wrapWords(text: string, width: number, indent = 0): string[] {
  const max = Math.max(MINIMUM, width);
  const margin = " ".repeat(indent);
  const [head = "", ...words] = text.split(" ");
  const lines: string[] = [];
  let [line, used] = [head, shownWidth(head)];
  for (const word of words) {
    const taken = shownWidth(word);
    const isFresh = lines.length > 0 && line === margin;
    if (isFresh) [line, used] = [margin + word, indent + taken];
    else if (used + 1 + taken <= max || line.trim() === "") [line, used] = [`${line} ${word}`, used + 1 + taken];
    else {
      lines.push(line.trimEnd());
      [line, used] = [margin + word, indent + taken];
    }
  }
  return [...lines, line];
}

const MINIMUM = 20;

function shownWidth(word: string): number {
  return widthOf(word.replaceAll(COLOURS, ""));
}

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
