import { IntervalSet, lastStartingAt } from "../../shared/interval-set.ts";
import type { MarkdownOutline } from "../syntax/markdown-outline.ts";
import type { NoteBlock } from "./note-blocks.ts";
import { type Span, sentencesIn } from "./note-text.ts";

/** What became of the statements of the notes. */
export interface Fate {
  /** Where statements begin that the document now holds. */
  readonly taken: ReadonlySet<number>;
  /** Places that somebody must still decide, in order. */
  readonly undecided: readonly Span[];
  /** The words that say how the work ended. */
  readonly outcome: Span | null;
}

/** The lines of a section that the document does not hold: they would be lost when the section is replaced. */
export function leftoverLines(
  text: string,
  place: Span,
  outline: MarkdownOutline,
  blocks: readonly NoteBlock[],
  fate: Fate,
): string[] {
  if (place.start === place.end) return [];
  const inside = blocks.filter(({ start }) => start >= place.start && start < place.end);
  const held = new IntervalSet([...heldBlocks(text, inside, fate)]);
  const headings = new Map(outline.headings.map((heading) => [heading.start, heading]));
  const lines: string[] = [];
  let titles: { level: number; line: string }[] = [];
  for (const { start, line } of linesFrom(text, place)) {
    const heading = headings.get(start);
    if (heading !== undefined) {
      titles = titles.filter(({ level }) => level < heading.level);
      if (start !== place.start) titles.push({ level: heading.level, line });
    } else if (line.trim() !== "" && !held.has(start + line.trimEnd().length - 1)) {
      lines.push(...titles.map((title) => title.line), line);
      titles = [];
    }
  }
  return lines;
}

function* linesFrom(text: string, place: Span): Generator<{ start: number; line: string }> {
  let start = place.start;
  for (const line of text.slice(place.start, place.end).split(/\r\n|\r|\n/)) {
    yield { start, line };
    start += line.length;
    start += text.startsWith("\r\n", start) ? 2 : 1;
  }
}

function heldBlocks(text: string, blocks: readonly NoteBlock[], fate: Fate): Set<NoteBlock> {
  const held = new Set<NoteBlock>();
  const parents = new Map<NoteBlock, boolean>();
  // From the end, so that a label is seen after everything that it announces.
  for (const block of blocks.toReversed()) {
    const isHeld = block.isLabel ? parents.get(block) === true : allTaken(text, block, fate);
    if (isHeld) held.add(block);
    if (block.above !== null) parents.set(block.above, (parents.get(block.above) ?? true) && isHeld);
  }
  return held;
}

function allTaken(text: string, block: NoteBlock, { taken, undecided, outcome }: Fate): boolean {
  if (block.kind === "heading") return false;
  if (outcome !== null && saysNothingElse(text, block, outcome)) return true;
  const statements = block.kind === "row" ? [block] : sentencesIn(text, block);
  return statements.every(({ start, end }) => {
    const last = undecided[lastStartingAt(undecided, end - 1)];
    return taken.has(start) && (last === undefined || last.start < start);
  });
}

/** `Status: done`, and no other line or word. */
function saysNothingElse(text: string, block: Span, { start, end }: Span): boolean {
  if (start < block.start || !/^[\s|]*$/.test(text.slice(end, block.end))) return false;
  return /^\W*(?:partially )?\w+\W*$/i.test(text.slice(start, end)) && !text.slice(block.start, start).includes("\n");
}
