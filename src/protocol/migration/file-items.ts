import { type FileClaim, claimsIn, noteAfter } from "./file-claims.ts";
import type { NoteBlock } from "./note-blocks.ts";
import { type NoteItem, type StatedValue, statedText } from "./note-item.ts";
import { type Change, type Context, changeNamed, contextOf } from "./note-titles.ts";
import { type NoteSpan, cellsOf, joinedLines, labelOf, valueSpan } from "./note-text.ts";
import { type PathMention, findPaths } from "./path-mentions.ts";

/** A file that the notes name without saying what was done to it. */
export interface OpenMention {
  readonly mention: PathMention;
  readonly message: string;
  /** It is only named, which is no question. */
  readonly isHint: boolean;
}

const TYPES: Readonly<Record<Change, string | null>> = {
  created: null,
  modified: "modify",
  deleted: "delete",
  refactored: "refactor",
  extended: "add",
  changed: null,
};

/** Collects what the notes say of files; what they say of one file in several places is seen together. */
export class FileItems {
  readonly #text: string;
  readonly #items = new Map<string, NoteItem[]>();
  readonly #open = new Map<string, OpenMention>();
  /** Files of which a heading and the line below it say different things: no other line settles that. */
  readonly #disputed = new Set<string>();
  #last: NoteItem | null = null;

  constructor(text: string) {
    this.#text = text;
  }

  /** True when the sentence says what was done to a file. */
  addSentence(sentence: NoteSpan, block: NoteBlock, isFirst: boolean): boolean {
    const claims = claimsIn(this.#text, sentence, findPaths(this.#text, sentence));
    if (claims.length === 0) return false;
    const listed = this.#listedBy(sentence, claims) ?? this.#statusLine(sentence, claims);
    if (listed !== null) return this.#addAll(listed, sentence);
    const announced = isFirst && block.mark !== "unticked" ? (fileContext(block.context)?.change ?? null) : null;
    const isOnly = claims.length === 1 && announced !== "changed";
    const said = claims.map((claim) => this.#addClaim(claim, sentence, claim.leads || isOnly ? announced : null));
    return said.includes(true);
  }

  /** `Files created: a.ts (what it is for), b.ts`: the label speaks for each of them. */
  #listedBy(sentence: NoteSpan, claims: readonly FileClaim[]): FileClaim[] | null {
    const label = labelOf(this.#text, sentence);
    const context = label === null ? null : contextOf(label.name);
    if (context === null || context.change === null || !context.topics.includes("files")) return null;
    const { change } = context;
    const [only, other] = claims;
    if (only !== undefined && other === undefined) return [this.#labelled(only, label?.value ?? sentence, change)];
    return claims.map((claim) => ({
      ...claim,
      change: claim.change ?? change,
      note: this.#remarkAfter(claim.mention),
    }));
  }

  /** `new: a.ts, what it does` and `added: the test (a.ts)`: what stands around one file tells of it. */
  #labelled(claim: FileClaim, value: NoteSpan, change: Change): FileClaim {
    const { mention } = claim;
    const before = this.#text.slice(value.start, mention.start);
    if (/^[\s`*_(]*(?:only )?$/i.test(before))
      return { ...claim, change: claim.change ?? change, note: noteAfter(this.#text, mention.end, value.end) };
    const end = value.start + before.replace(/[\s(`*_]+$/, "").length;
    const note = valueSpan(this.#text, { start: value.start, end });
    // What was added need not be the file.
    return { ...claim, change: claim.change ?? (change === "created" ? "extended" : change), note };
  }

  #remarkAfter({ end }: NoteSpan): NoteSpan | null {
    const remark = /^[`*_]{0,3}\s?\(([^()\n]{3,200})\)/.exec(this.#text.slice(end, end + 210));
    if (remark === null) return null;
    const start = end + remark[0].indexOf("(") + 1;
    return valueSpan(this.#text, { start, end: start + (remark[1]?.length ?? 0) });
  }

  /** `M src/a.ts`, as git lists it. */
  #statusLine(sentence: NoteSpan, claims: readonly FileClaim[]): FileClaim[] | null {
    const letter = /^(?:([MAD])|\?\?)[ \t]+`?$/.exec(this.#text.slice(sentence.start, claims[0]?.mention.start));
    if (letter === null || claims.length > 1) return null;
    const change = STATUS_LETTERS[letter[1] ?? "A"] ?? null;
    return claims.map((claim) => ({ ...claim, change, note: null }));
  }

  #addAll(claims: readonly FileClaim[], statement: NoteSpan): boolean {
    for (const claim of claims) this.#addClaim(claim, statement, null);
    return true;
  }

  /** A table row: the cell with the file, a cell with the change, one other cell with the note. */
  addRow(row: NoteSpan, block: NoteBlock): boolean {
    const mentions = findPaths(this.#text, row);
    const cells = cellsOf(this.#text, row);
    // A cell that holds the file and little else; files in the other cells are only named.
    const own = cells.find(({ start, end }) =>
      mentions.some((file) => file.start >= start && file.end <= end && end - start < file.path.length + 16),
    );
    const mention = mentions.find(({ start }) => own !== undefined && start >= own.start && start < own.end);
    if (mention === undefined) {
      for (const other of mentions) this.#leaveOpen(other);
      return false;
    }
    const others = cells.filter((cell) => cell !== own);
    const changes = others.map((cell) => changeInCell(this.#plain(cell)));
    const change = changes.find((stated) => stated !== null) ?? null;
    const lines = others.map((cell) => this.#plain(cell)).find((cell) => /^\d{1,9}-\d{1,9}$|^all$/.test(cell)) ?? null;
    const notes = others.filter((cell) => {
      const words = this.#plain(cell);
      return changeNamed(words) === undefined && words !== lines && /\p{L}{3}/u.test(words);
    });
    const claim = {
      mention: { ...mention, lines: mention.lines ?? lines },
      change,
      leads: true,
      note: notes[0] ?? null,
    };
    return this.#addClaim(claim, row, fileContext(block.context)?.change ?? null);
  }

  /** One item for each file that something was said of. Contradictions become open mentions. */
  finish(): { readonly items: readonly (readonly NoteItem[])[]; readonly open: readonly OpenMention[] } {
    const items: NoteItem[][] = [];
    for (const [path, said] of this.#items) {
      if (this.#disputed.has(path)) continue;
      const deleted = said.find((item) => kindOf(item) === "deleted");
      const conflict = said.find((item) => kindOf(item) !== kindOf(said[0]));
      if (deleted === undefined || conflict === undefined) {
        // A new file that was changed afterwards is a new file.
        const created = said.filter((item) => kindOf(item) === "created");
        items.push(created.length > 0 ? created : said);
        this.#open.delete(path);
      } else {
        const message = `The notes say different things of \`${path}\`: was it created, modified or deleted?`;
        this.#open.set(path, { mention: { ...conflict.span, path, lines: null }, message, isHint: false });
      }
    }
    return { items, open: [...this.#open.values()] };
  }

  #plain(span: NoteSpan): string {
    return joinedLines(this.#text.slice(span.start, span.end).toLowerCase());
  }

  #addClaim(claim: FileClaim, statement: NoteSpan, announced: Change | null): boolean {
    const { mention, change: own } = claim;
    const change = own ?? announced;
    if (own !== null && announced !== null && !agree(own, announced)) {
      const message = `The heading says ${announced}, the line says ${own}: it is not clear what was done to \`${mention.path}\`.`;
      this.#disputed.add(mention.path);
      this.#open.set(mention.path, { mention, message, isHint: false });
    } else if (change === null) this.#leaveOpen(mention);
    else this.#addItem(claim, change, statement);
    return change !== null;
  }

  #addItem({ mention, note }: FileClaim, change: Change, statement: NoteSpan): void {
    const type = TYPES[change];
    const isNew = change === "created";
    const values = new Map<string, StatedValue>([["path", { value: mention.path, span: mention }]]);
    if (mention.lines !== null) values.set("lines", { value: mention.lines, span: mention });
    if (type !== null) values.set("change_type", { value: type, span: statement });
    if (note !== null) values.set(isNew ? "purpose" : "description", statedText(this.#text, note));
    const item: NoteItem = {
      list: isNew ? "files_created" : "files_modified",
      span: statement,
      sources: [statement],
      values,
    };
    this.#last = item;
    const said = this.#items.get(mention.path);
    if (said === undefined) this.#items.set(mention.path, [item]);
    else said.push(item);
  }

  /** "It now opens below the button.": a sentence about the file that the one before it names. */
  describeLast(sentence: NoteSpan): boolean {
    const item = this.#last;
    const isAbout = /^(?:it|this) (?:now |also )?\p{Ll}/iu.test(this.#text.slice(sentence.start, sentence.start + 40));
    if (item === null || !isAbout) return false;
    const key = item.list === "files_created" ? "purpose" : "description";
    if (item.values.has(key)) return false;
    item.values.set(key, statedText(this.#text, valueSpan(this.#text, sentence)));
    item.sources.push(sentence);
    return true;
  }

  /** A block below the line of the file that was named last. */
  extendLast(line: NoteSpan, block: NoteSpan): boolean {
    const item = this.#last;
    if (item === null || item.span.start !== line.start) return false;
    const key = item.list === "files_created" ? "purpose" : "description";
    const start = item.values.get(key)?.span.start ?? block.start;
    if (start < line.end && start !== block.start) return false;
    if (block.end - start > MAX_DESCRIPTION) return true;
    item.values.set(key, statedText(this.#text, valueSpan(this.#text, { start, end: block.end })));
    item.sources.push(block);
    return true;
  }

  #leaveOpen(mention: PathMention): void {
    if (this.#open.has(mention.path)) return;
    const message = `The notes name \`${mention.path}\`, but do not say that it was created or changed: it was left out.`;
    this.#open.set(mention.path, { mention, message, isHint: true });
  }
}

const MAX_DESCRIPTION = 2000;
const STATUS_LETTERS: Readonly<Record<string, Change>> = { M: "modified", A: "created", D: "deleted" };

/** `created`, `New helper`, `Added the retry`: what a cell says was done to the file of its row. */
function changeInCell(words: string): Change | null {
  const whole = changeNamed(words);
  if (whole !== undefined) return whole;
  const change = changeNamed(/^\p{L}+/u.exec(words)?.[0] ?? "");
  if (change === undefined) return null;
  if (change === "deleted") return "modified";
  if (/^new\b/.test(words))
    return /^new (?:file|module|component|script|test|helper|class|service|page|config)/.test(words) ? change : null;
  return /^added\b/.test(words) ? "extended" : change;
}

/** The word of a line is nearer to its file than the heading; but a deleted file is not one that was created. */
function agree(own: Change, announced: Change): boolean {
  return own === announced || (announced !== "deleted" && (own !== "deleted" || announced !== "created"));
}

function kindOf(item: NoteItem | undefined): string {
  if (item?.list === "files_created") return "created";
  return item?.values.get("change_type")?.value === "delete" ? "deleted" : "modified";
}

function fileContext(context: Context): Context | null {
  return context.topics[0] === "files" ? context : null;
}

/** `path — reason`, for lists of files that the next agent should read. */
export function readingItem(text: string, sentence: NoteSpan): NoteItem | null {
  const [claim] = claimsIn(text, sentence, findPaths(text, sentence));
  if (claim === undefined || !claim.leads) return null;
  const values = new Map<string, StatedValue>([["file", { value: claim.mention.path, span: claim.mention }]]);
  const reason = noteAfter(text, claim.mention.end, sentence.end);
  if (reason !== null) values.set("reason", statedText(text, reason));
  return { list: "dependencies_for_next", span: sentence, sources: [sentence], values };
}
