import { type Interval, IntervalSet } from "../../shared/line-table.ts";
import type { Heading, MarkdownOutline } from "../syntax/markdown-outline.ts";
import {
  type Background,
  type Context,
  NO_CONTEXT,
  backgroundOf,
  contextOf,
  isHandoffTitle,
  levelNamed,
} from "./note-titles.ts";
import { type Mark, STATUS_LINE, isListing, markAt, markAtEnd } from "./note-marks.ts";
import { type NoteSpan, dividedBy, foldedTitle, hideQuoted, plainTitle, trimmed } from "./note-text.ts";

/** A paragraph, list item, table row or heading of the notes, as one contiguous stretch of the text. */
export interface NoteBlock extends NoteSpan {
  readonly kind: "paragraph" | "item" | "row" | "heading";
  /** What the headings and labels above it announce. */
  readonly context: Context;
  /** The list item or label that it belongs to. */
  readonly above: NoteBlock | null;
  /** It announces what follows, and says nothing itself. */
  readonly isLabel: boolean;
  readonly mark: Mark | null;
  /** It does not tell of the work: what was asked, the file's own data. An outcome is looked for here, too. */
  readonly background: Background | null;
  /** The titles of the columns of a table, for its rows. */
  readonly columns: readonly string[];
  /** What a record states besides, by the names of its fields. */
  readonly fields?: readonly { readonly name: string; readonly span: NoteSpan }[];
}

interface Line extends NoteSpan {
  /** Column of the first character that is no blank. */
  readonly indent: number;
  /** The line from that character on. */
  readonly body: string;
}

/** The blocks of a text outside code, quotes of others and comments, in order. */
export function noteBlocks(text: string, outline: MarkdownOutline): NoteBlock[] {
  const builder = new BlockBuilder(text, handoffSections(text, outline), titleOf(outline));
  const skipped = new IntervalSet([...outline.fences, ...hiddenComments(text)]);
  const listings = new IntervalSet(outline.fences.filter(({ start, end }) => isListing(text.slice(start, end))));
  const headings = new Map(outline.headings.map((heading) => [heading.start, heading]));
  const breaks = new Set(outline.breaks.map(({ start }) => start));
  const matter = frontMatterEnd(text, outline);
  for (const line of linesOf(text)) {
    const heading = headings.get(line.start);
    if (line.start < matter) builder.addData(line);
    else if (heading !== undefined) builder.addHeading(heading);
    else if (listings.has(line.start) && STATUS_LINE.test(line.body.trimEnd())) builder.addLine(line);
    else if (skipped.has(line.start) || breaks.has(line.start) || line.body.startsWith(">")) builder.interrupt();
    else builder.addLine(line);
  }
  return builder.finish();
}

/** The only heading of its level above others names the text, and announces nothing; -1 when there is none. */
function titleOf({ headings }: MarkdownOutline): number {
  const [first, ...others] = headings;
  const isTitle = first?.level === 1 && others.length > 0 && others.every(({ level }) => level > 1);
  return isTitle ? first.start : -1;
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
    yield { start, end, body, indent: columnOf(raw.slice(0, raw.length - body.length)) };
    if (end === text.length) return;
    start = lineEnd.lastIndex;
  }
}

function columnOf(blanks: string): number {
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
  mark: Mark | null;
}

interface OpenItem {
  readonly indent: number;
  readonly block: NoteBlock;
}

const MARKER = /^(?:[-*+\u2022\u2023\u25aa\u25e6\u2013]|\d{1,9}[.)])(?:[ \t]+|$)/;

type Role = "label" | "entry" | "statement";

class BlockBuilder {
  readonly #text: string;
  readonly #notes: IntervalSet | null;
  /** Where the heading stands that is the title of the text. */
  readonly #title: number;
  readonly #blocks: NoteBlock[] = [];
  readonly #sections: { level: number; context: Context; background: Background | null }[] = [];
  readonly #items: OpenItem[] = [];
  #open: OpenBlock | null = null;
  #label: NoteBlock | null = null;
  /** The row with the titles of the table that is open. */
  #header: NoteBlock | null = null;
  #columns: readonly string[] = [];
  #afterBlank = true;

  constructor(text: string, sections: readonly Interval[], title: number) {
    this.#text = text;
    this.#title = title;
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
      mark: null,
      background: "other",
      columns: [],
    });
  }

  addHeading(heading: Heading): void {
    this.interrupt();
    while ((this.#sections.at(-1)?.level ?? 0) >= heading.level) this.#sections.pop();
    const outer = this.#sections.at(-1);
    const background = outer?.background ?? backgroundOf(heading.text);
    this.#push({ start: heading.start, end: heading.end }, "heading", NO_CONTEXT, null, true, null);
    const context = background === null && heading.start !== this.#title ? contextOf(heading.text) : null;
    const inherited = { ...(outer?.context ?? NO_CONTEXT), ...levelOf(heading.text, heading) };
    this.#sections.push({ level: heading.level, context: context ?? withoutSummary(inherited), background });
  }

  /** Something that is no part of any block: what went before is complete. */
  interrupt(): void {
    this.#close();
    this.#endTable();
    this.#items.length = 0;
    this.#label = null;
    this.#afterBlank = true;
  }

  addLine(line: Line): void {
    if (line.body.trim() === "") {
      this.#close();
      this.#endTable();
      this.#afterBlank = true;
      return;
    }
    const marker = MARKER.exec(line.body)?.[0] ?? "";
    const isItem = marker !== "" || markAt(line.body).length > 0 || STATUS_LINE.test(line.body.trimEnd());
    if (line.body.startsWith("|")) this.#addRow(line);
    else if (isItem && this.#startsItem(line)) this.#addItem(line, marker);
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
    this.#close(true);
    if (this.#items.length > 0) this.#label = null;
    this.#items.length = 0;
    if (isDivider(line.body)) this.#nameColumns();
    else
      this.#open = { kind: "row", start: line.end - line.body.length, end: line.end, indent: line.indent, mark: null };
  }

  /** The row above the divider holds the titles of the columns. */
  #nameColumns(): void {
    const titles = this.#blocks.at(-1);
    if (titles?.kind !== "row" || this.#header !== null) return;
    this.#header = { ...titles, isLabel: true };
    this.#blocks[this.#blocks.length - 1] = this.#header;
    const { start, end } = { start: titles.start + 1, end: titles.end - (this.#text[titles.end - 1] === "|" ? 1 : 0) };
    this.#columns = dividedBy(this.#text, { start, end }, "|").map((cell) =>
      foldedTitle(plainTitle(this.#text.slice(cell.start, cell.end))),
    );
  }

  #endTable(): void {
    this.#header = null;
    this.#columns = [];
  }

  #addItem(line: Line, marker: string): void {
    this.#close(true);
    if (this.#blocks.at(-1)?.kind === "row") this.#label = null;
    while ((this.#items.at(-1)?.indent ?? -1) >= line.indent) this.#items.pop();
    const { mark, length } = markAt(line.body.slice(marker.length));
    const start = line.end - line.body.length + marker.length + length;
    this.#open = { kind: "item", start, end: line.end, indent: line.indent, mark };
  }

  #addParagraph(line: Line): void {
    this.#close();
    while ((this.#items.at(-1)?.indent ?? -1) >= line.indent) this.#items.pop();
    if (line.indent >= 4 && this.#items.length === 0 && this.#afterBlank) return;
    if (this.#items.length === 0) this.#label = null;
    const start = line.end - line.body.length;
    this.#open = { kind: "paragraph", start, end: line.end, indent: line.indent, mark: null };
  }

  /** A short line that names a topic, right above a list or table, is its title also without a colon. */
  #close(beforeList = false): void {
    const open = this.#open;
    this.#open = null;
    if (open === null) return;
    if (open.kind !== "row") this.#endTable();
    const span = trimmed(this.#text, open);
    if (span.start < span.end) this.#addClosed(open, span, beforeList);
  }

  #addClosed(open: OpenBlock, span: NoteSpan, beforeList: boolean): void {
    const words = this.#text.slice(span.start, span.end);
    const role = this.#roleOf(open, words, beforeList);
    const item = this.#items.at(-1)?.block ?? null;
    const label = open.kind === "paragraph" ? item : (item ?? this.#label);
    const context = this.#contextOfClosed(open, role, label);
    const above = open.kind === "row" ? (this.#header ?? label) : label;
    const block = this.#push(span, open.kind, context, above, role === "label", open.mark ?? markAtEnd(words));
    if (open.kind === "item") this.#items.push({ indent: open.indent, block });
    else if (role !== "statement" && item === null) this.#label = block;
  }

  /** A heading speaks for its lists, and for the paragraphs right below it: what follows a list may be about anything. */
  #contextOfClosed({ kind }: OpenBlock, role: Role, label: NoteBlock | null): Context {
    const isPlain = kind === "paragraph" && role !== "label" && label === null;
    return isPlain && !this.#isProseBelowHeading() ? NO_CONTEXT : this.#contextBelow(label);
  }

  #isProseBelowHeading(): boolean {
    const last = this.#blocks.at(-1);
    return last?.kind === "heading" || (last?.kind === "paragraph" && !last.isLabel && last.context !== NO_CONTEXT);
  }

  /** A label announces what follows; an entry says something itself, and what follows belongs to it. */
  #roleOf({ kind }: OpenBlock, words: string, beforeList: boolean): Role {
    if (kind === "row") return "statement";
    if (!announces(words)) return beforeList && isTitleLine(kind, words) && isNamed(words) ? "label" : "statement";
    // A line in bold is an entry where such things are listed, unless it is a title.
    const mayBeEntry = !/:[*_]*$/.test(words) && (kind === "item" || this.#listsEntries());
    return mayBeEntry && !isNamed(words) ? "entry" : "label";
  }

  #listsEntries(): boolean {
    return this.#sections.at(-1)?.context.topics.some(isEntryTopic) ?? false;
  }

  #contextBelow(above: NoteBlock | null): Context {
    const section = this.#sections.at(-1)?.context ?? NO_CONTEXT;
    if (above === null) return section;
    const title = above.isLabel ? this.#text.slice(above.start, above.end) : "";
    const announced = contextOf(title);
    // `3. Testing:` among the next steps is a group of them.
    const isGroup = above.kind === "item" && above.context.topics.some((topic) => !LOOSE_TOPICS.has(topic));
    if (announced === null || isGroup) return { ...above.context, ...levelOf(title, above) };
    // `Files:` below "What changed" are the files that changed.
    const isPart =
      announced.topics.includes("files") && announced.change === null && above.context.topics.includes("files");
    return isPart ? { ...announced, change: above.context.change } : announced;
  }

  /** `Tried:` and "Previous session:" head a list as headings do a section. */
  #backgroundBelow(above: NoteBlock | null): Background | null {
    const section = this.#sections.at(-1)?.background ?? null;
    if (section !== null || above === null) return section;
    return above.background ?? (above.isLabel ? backgroundOf(this.#text.slice(above.start, above.end)) : null);
  }

  #push(
    span: NoteSpan,
    kind: NoteBlock["kind"],
    context: Context,
    above: NoteBlock | null,
    isLabel: boolean,
    mark: Mark | null,
  ): NoteBlock {
    const outside = this.#notes !== null && !this.#notes.has(span.start);
    const background = outside ? "other" : this.#backgroundBelow(above);
    const columns = kind === "row" ? this.#columns : [];
    const block = { ...span, kind, context, above, isLabel, mark, background, columns };
    this.#blocks.push(block);
    return block;
  }
}

/** `DONE: the stairs` is a statement with a label, and names nothing. */
function isNamed(words: string): boolean {
  return !/:[*_]*\s+\S/.test(words) && contextOf(words) !== null;
}

function isTitleLine(kind: OpenBlock["kind"], words: string): boolean {
  return kind === "paragraph" && words.length <= MAX_TITLE_LINE && /[^.?!]$/.test(words);
}

function levelOf(title: string, { start, end }: NoteSpan): Pick<Context, "level"> {
  const word = levelNamed(title);
  return word === undefined ? {} : { level: { word, start, end } };
}

/** The sections below a summary are about something else. */
function withoutSummary(context: Context): Context {
  return context.topics.includes("summary") ? NO_CONTEXT : context;
}

function isDivider(row: string): boolean {
  return /^[|:\s-]+$/.test(row) && row.includes("-");
}

const ENTRY_TOPICS: ReadonlySet<string> = new Set(["gotcha", "blocker", "question", "decision", "limitation"]);

function isEntryTopic(topic: string): boolean {
  return ENTRY_TOPICS.has(topic);
}

/** What a label in a list below such a heading may say more exactly. */
const LOOSE_TOPICS: ReadonlySet<string> = new Set(["files", "done", "summary", "outcome"]);

const MAX_TITLE_LINE = 60;
const MAX_LABEL = 120;

/** `Files created:` and `**Next steps**` announce what follows them. */
function announces(raw: string): boolean {
  if (raw.length > MAX_LABEL) return false;
  const shown = hideQuoted(raw);
  return /:[*_]*$/.test(shown) || /^\*\*[^*]+\*\*$/.test(shown) || /^__[^_]+__$/.test(shown);
}
