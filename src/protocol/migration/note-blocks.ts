import { type Interval, IntervalSet } from "../../shared/line-table.ts";
import type { Heading, MarkdownOutline } from "../syntax/markdown-outline.ts";
import { type Context, NO_CONTEXT, contextOf, isBackground, isHandoffTitle } from "./note-topics.ts";
import { type NoteSpan, hideQuoted, trimmed } from "./note-text.ts";

/** A paragraph, list item, table row or heading of the notes, as one contiguous stretch of the text. */
export interface NoteBlock extends NoteSpan {
  readonly kind: "paragraph" | "item" | "row" | "heading";
  /** What the headings and labels above it announce. */
  readonly context: Context;
  /** The list item or label that it belongs to. */
  readonly above: NoteBlock | null;
  /** It announces what follows, and says nothing itself. */
  readonly isLabel: boolean;
  /** The box of a task list; null when it has none. */
  readonly ticked: boolean | null;
  /** It stands outside the notes: what was asked, the file's own data. Only an outcome is looked for here. */
  readonly isBackground: boolean;
}

interface Line extends NoteSpan {
  /** Column of the first character that is no blank. */
  readonly indent: number;
  /** The line from that character on. */
  readonly body: string;
}

/** The blocks of a text outside code, quotes of others and comments, in order. */
export function noteBlocks(text: string, outline: MarkdownOutline): NoteBlock[] {
  const builder = new BlockBuilder(text, handoffSections(text, outline));
  const skipped = new IntervalSet([...outline.fences, ...hiddenComments(text)]);
  const headings = new Map(outline.headings.map((heading) => [heading.start, heading]));
  const breaks = new Set(outline.breaks.map(({ start }) => start));
  const matter = frontMatterEnd(text, outline);
  for (const line of linesOf(text)) {
    const heading = headings.get(line.start);
    if (line.start < matter) builder.addData(line);
    else if (heading !== undefined) builder.addHeading(heading);
    else if (skipped.has(line.start) || breaks.has(line.start) || line.body.startsWith(">")) builder.interrupt();
    else builder.addLine(line);
  }
  return builder.finish();
}

interface HandoffSection extends Interval {
  readonly heading: Heading;
}

/** The sections called "Handoff" or "Handoff Notes", each up to the next heading of its level. */
export function handoffSections(text: string, outline: MarkdownOutline): HandoffSection[] {
  const sections: HandoffSection[] = [];
  // By level: where the nearest heading of that level or above begins, seen from the end.
  const nextAt = Array.from({ length: 7 }, () => text.length);
  for (const heading of outline.headings.toReversed()) {
    const { start, level } = heading;
    if (isHandoffTitle(heading.text)) sections.push({ heading, start, end: nextAt[level] ?? text.length });
    nextAt.fill(start, level);
  }
  return sections.reverse();
}

function* linesOf(text: string): Generator<Line> {
  const lineEnd = /\r\n|\r|\n/g;
  let start = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  while (start < text.length) {
    lineEnd.lastIndex = start;
    const end = lineEnd.exec(text)?.index ?? text.length;
    const raw = text.slice(start, end);
    const body = raw.trimStart();
    yield { start, end, body, indent: columns(raw.slice(0, raw.length - body.length)) };
    if (end === text.length) return;
    start = lineEnd.lastIndex;
  }
}

function columns(blanks: string): number {
  let column = 0;
  for (const blank of blanks) column += blank === "\t" ? 4 - (column % 4) : 1;
  return column;
}

function hiddenComments(text: string): NoteSpan[] {
  const comments: NoteSpan[] = [];
  for (let start = text.indexOf("<!--"); start !== -1;) {
    const end = text.indexOf("-->", start + 4);
    if (end === -1) break;
    comments.push({ start, end: end + 3 });
    start = text.indexOf("<!--", end + 3);
  }
  return comments;
}

/** The end of the data between `---` lines at the very beginning, or 0. */
function frontMatterEnd(text: string, outline: MarkdownOutline): number {
  const [first, second] = outline.breaks;
  const opens = first !== undefined && text.slice(0, first.start).trim() === "" && text.startsWith("---", first.start);
  return opens && second !== undefined ? second.end + 1 : 0;
}

interface OpenBlock {
  kind: "paragraph" | "item" | "row";
  start: number;
  end: number;
  indent: number;
  ticked: boolean | null;
}

interface OpenItem {
  readonly indent: number;
  readonly block: NoteBlock;
}

const MARKER = /^(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|$)/;
const BOX = /^\[([ xX])\][ \t]+/;

class BlockBuilder {
  readonly #text: string;
  readonly #notes: IntervalSet | null;
  readonly #blocks: NoteBlock[] = [];
  readonly #sections: { level: number; context: Context; isBackground: boolean }[] = [];
  readonly #items: OpenItem[] = [];
  #open: OpenBlock | null = null;
  #label: NoteBlock | null = null;
  #afterBlank = true;

  constructor(text: string, sections: readonly Interval[]) {
    this.#text = text;
    this.#notes = sections.length === 0 ? null : new IntervalSet(sections);
  }

  finish(): NoteBlock[] {
    this.#close();
    return this.#blocks;
  }

  addData(line: Line): void {
    const span = trimmed(this.#text, line);
    if (span.start === span.end) return;
    this.#blocks.push({
      ...span,
      kind: "paragraph",
      context: NO_CONTEXT,
      above: null,
      isLabel: false,
      ticked: null,
      isBackground: true,
    });
  }

  addHeading(heading: Heading): void {
    this.interrupt();
    while ((this.#sections.at(-1)?.level ?? 0) >= heading.level) this.#sections.pop();
    const outer = this.#sections.at(-1);
    const background = (outer?.isBackground ?? false) || isBackground(heading.text);
    this.#push({ start: heading.start, end: heading.end }, "heading", NO_CONTEXT, null, true, null);
    const context = contextOf(heading.text) ?? outer?.context ?? NO_CONTEXT;
    this.#sections.push({ level: heading.level, context, isBackground: background });
  }

  /** Something that is no part of any block: what went before is complete. */
  interrupt(): void {
    this.#close();
    this.#items.length = 0;
    this.#label = null;
    this.#afterBlank = true;
  }

  addLine(line: Line): void {
    if (line.body.trim() === "") {
      this.#close();
      this.#afterBlank = true;
      return;
    }
    const marker = MARKER.exec(line.body);
    if (line.body.startsWith("|")) this.#addRow(line);
    else if (marker !== null && this.#startsItem(line)) this.#addItem(line, marker[0]);
    else if (this.#open !== null && this.#open.kind !== "row" && !this.#isTitle(line, this.#open))
      this.#open.end = line.end;
    else this.#addParagraph(line);
    this.#afterBlank = false;
  }

  /** `Next steps:` right below a list, without a blank line between them, is none of its items. */
  #isTitle(line: Line, open: OpenBlock): boolean {
    if (!line.body.trimEnd().endsWith(":") || !announces(line.body.trim())) return false;
    if (open.kind === "item" && line.indent < open.indent) return true;
    return (open.kind === "paragraph" || line.indent === open.indent) && contextOf(line.body) !== null;
  }

  /** Four columns and more are code, unless a list is open. */
  #startsItem(line: Line): boolean {
    return line.indent < 4 || this.#items.length > 0 || this.#open !== null;
  }

  #addRow(line: Line): void {
    this.#close();
    if (this.#items.length > 0) this.#label = null;
    this.#items.length = 0;
    if (!/^[|:\s-]+$/.test(line.body))
      this.#open = {
        kind: "row",
        start: line.end - line.body.length,
        end: line.end,
        indent: line.indent,
        ticked: null,
      };
  }

  #addItem(line: Line, marker: string): void {
    this.#close();
    if (this.#blocks.at(-1)?.kind === "row") this.#label = null;
    while ((this.#items.at(-1)?.indent ?? -1) >= line.indent) this.#items.pop();
    const box = BOX.exec(line.body.slice(marker.length));
    const start = line.end - line.body.length + marker.length + (box?.[0].length ?? 0);
    const ticked = box === null ? null : box[1] !== " ";
    this.#open = { kind: "item", start, end: line.end, indent: line.indent, ticked };
  }

  #addParagraph(line: Line): void {
    this.#close();
    while ((this.#items.at(-1)?.indent ?? -1) >= line.indent) this.#items.pop();
    if (line.indent >= 4 && this.#items.length === 0 && this.#afterBlank) return;
    if (this.#items.length === 0) this.#label = null;
    const start = line.end - line.body.length;
    this.#open = { kind: "paragraph", start, end: line.end, indent: line.indent, ticked: null };
  }

  #close(): void {
    const open = this.#open;
    this.#open = null;
    if (open === null) return;
    const span = trimmed(this.#text, open);
    if (span.start < span.end) this.#addClosed(open, span);
  }

  #addClosed(open: OpenBlock, span: NoteSpan): void {
    const isLabel = open.kind !== "row" && announces(this.#text.slice(span.start, span.end));
    const item = this.#items.at(-1)?.block ?? null;
    const above = open.kind === "paragraph" ? item : (item ?? this.#label);
    const context = isLabel || open.kind !== "paragraph" ? this.#contextBelow(above) : this.#paragraphContext(above);
    const block = this.#push(span, open.kind, context, above, isLabel, open.ticked);
    if (open.kind === "item") this.#items.push({ indent: open.indent, block });
    else if (isLabel && item === null) this.#label = block;
  }

  /** A heading speaks for its lists, and for the paragraph right below it. */
  #paragraphContext(above: NoteBlock | null): Context {
    const isHeaded = above !== null || this.#blocks.at(-1)?.kind === "heading";
    return isHeaded ? this.#contextBelow(above) : NO_CONTEXT;
  }

  #contextBelow(above: NoteBlock | null): Context {
    const section = this.#sections.at(-1)?.context ?? NO_CONTEXT;
    if (above === null) return section;
    const announced = above.isLabel ? contextOf(this.#text.slice(above.start, above.end)) : null;
    return announced ?? above.context;
  }

  #push(
    span: NoteSpan,
    kind: NoteBlock["kind"],
    context: Context,
    above: NoteBlock | null,
    isLabel: boolean,
    ticked: boolean | null,
  ): NoteBlock {
    const outside = this.#notes !== null && !this.#notes.has(span.start);
    const isBackgroundBlock = outside || (this.#sections.at(-1)?.isBackground ?? false);
    const block = { ...span, kind, context, above, isLabel, ticked, isBackground: isBackgroundBlock };
    this.#blocks.push(block);
    return block;
  }
}

const MAX_LABEL = 120;

/** `Files created:` and `**Next steps**` announce what follows them. */
function announces(raw: string): boolean {
  if (raw.length > MAX_LABEL) return false;
  const shown = hideQuoted(raw);
  return /:[*_]*$/.test(shown) || /^\*\*[^*]+\*\*$/.test(shown) || /^__[^_]+__$/.test(shown);
}
