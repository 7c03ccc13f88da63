import { defuseLines, defuseLogCommands } from "../shared/printable.ts";
import { COLOURS, widthOf, wrapWords } from "./fit-text.ts";
import type { Terminal } from "./terminal.ts";

/**
 * Lines for people, each broken between words where it is wider than the screen. What goes on stands below what it
 * belongs to. Names, paths and hashes stay whole, whatever there is room for. Words of agents may stand in them, and no
 * CI system that shows them may take these for a command.
 */
export function fitLines(text: string, width: number): string {
  const lines = text.split("\n");
  return defuseLines(width === Infinity ? lines : lines.flatMap((line) => fitLine(line, width)));
}

export function fitLine(line: string, width: number): string[] {
  const plain = line.replaceAll(COLOURS, "");
  if (widthOf(plain) <= width) return [line];
  // A break must not put at the beginning of a line what was harmless inside of it.
  return wrapWords(line, width, hangingIndent(plain, width)).map(defuseLogCommands);
}

/** For sentences beside the data. */
export function say({ note, room }: Pick<Terminal, "note" | "room">, text: string): void {
  note(fitLines(text, room.notes));
}

/** For data that people read. */
export function display({ out, room }: Pick<Terminal, "out" | "room">, text: string): void {
  out(fitLines(text, room.out));
}

/** At the beginning of an item. */
const MARK = /^ *(?:[-=·!?✓✗▶] (?:[a-z]+: )?)?/u;
/** Between columns, unlike the dots between remarks. */
const GAP = /(?<=[^·\s]) {2,}(?!· {2})/gu;
/** Of the screen, which a column may take from its text. */
const MAX_INDENT = 0.6;
const NO_COLUMN = 4;

/** Below the last column that leaves enough of the screen; where there are none, below the text behind its mark. */
function hangingIndent(line: string, width: number): number {
  const columns = [...line.matchAll(GAP)].map(({ index, 0: gap }) => widthOf(line.slice(0, index)) + gap.length);
  const mark = MARK.exec(line)?.[0].length ?? 0;
  if (columns.length === 0) return mark;
  return columns.findLast((start) => start <= width * MAX_INDENT) ?? Math.max(mark, NO_COLUMN);
}
