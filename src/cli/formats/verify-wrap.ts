import { splitCells } from "../../shared/printable.ts";

/** A printable text as lines of at most so many columns, broken at spaces; a longer word stays whole. */
export function wrapText(text: string, columns: number): string[] {
  const width = Math.max(columns, NARROWEST);
  const [head = "", ...words] = text.split(" ");
  const lines: string[] = [];
  let line = head;
  let used = widthOf(head);
  for (const word of words) {
    const taken = widthOf(word);
    if (used + 1 + taken <= width || line.trim() === "") [line, used] = [`${line} ${word}`, used + 1 + taken];
    else {
      lines.push(line.trimEnd());
      [line, used] = [word, taken];
    }
  }
  return [...lines, line];
}

const NARROWEST = 20;

function widthOf(text: string): number {
  return splitCells(text).reduce((sum, { width }) => sum + width, 0);
}
