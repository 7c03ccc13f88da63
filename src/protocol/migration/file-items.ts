import { relativePath } from "../format.ts";
import { type FileClaim, claimsIn, noteAfter } from "./file-claims.ts";
import type { NoteBlock } from "./note-blocks.ts";
import { type NoteItem, type StatedValue, statedText } from "./note-item.ts";
import { CHANGE_WORDS, type Change, type Context } from "./note-topics.ts";
import { type NoteSpan, cellsOf, joinedLines } from "./note-text.ts";
import { type PathMention, findPaths } from "./path-mentions.ts";

/** A file that the notes name without saying what was done to it. */
export interface OpenMention {
  readonly mention: PathMention;
  readonly message: string;
  /** A heading announces a list of files: a person must decide. */
  readonly isHint: boolean;
}

const TYPES: Readonly<Record<Change, string | null>> = {
  created: null,
  modified: "modify",
  deleted: "delete",
  refactored: "refactor",
  extended: "add",
};

/** Collects what the notes say of files; what they say of one file in several places is seen together. */
export class FileItems {
  readonly #text: string;
  readonly #items = new Map<string, NoteItem[]>();
  readonly #open = new Map<string, OpenMention>();
  /** Files of which a heading and the line below it say different things: no other line settles that. */
  readonly #disputed = new Set<string>();

  constructor(text: string) {
    this.#text = text;
  }

  /** True when the sentence says what was done to a file. */
  addSentence(sentence: NoteSpan, block: NoteBlock, isFirst: boolean): boolean {
    const claims = claimsIn(this.#text, sentence, findPaths(this.#text, sentence));
    const context = isFirst && block.ticked !== false && claims.length > 0 ? fileContext(block.context) : null;
    let said = false;
    for (const claim of claims) {
      const announced = context !== null && (claim.leads || claims.length === 1);
      said = this.#addClaim(claim, sentence, announced ? context.change : null, context !== null) || said;
    }
    return said;
  }

  /** A table row: the cell with the file, a cell with the change, one other cell with the note. */
  addRow(row: NoteSpan, block: NoteBlock): void {
    const mentions = findPaths(this.#text, row);
    const cells = cellsOf(this.#text, row);
    const [mention] = mentions;
    if (mention === undefined || mentions.length > 1) {
      for (const other of mentions) this.#leaveOpen(other, undecided(other), true);
      return;
    }
    const others = cells.filter((cell) => mention.start < cell.start || mention.start >= cell.end);
    const own =
      others.map((cell) => CHANGE_WORDS.get(this.#plain(cell))).find((change) => change !== undefined) ?? null;
    const lines = others.map((cell) => this.#plain(cell)).find((cell) => /^\d{1,9}-\d{1,9}$|^all$/.test(cell)) ?? null;
    const notes = others.filter((cell) => !CHANGE_WORDS.has(this.#plain(cell)) && this.#plain(cell) !== lines);
    const [note] = notes.length === 1 ? notes : [];
    const claim = {
      mention: { ...mention, lines: mention.lines ?? lines },
      change: own,
      leads: true,
      note: note ?? null,
    };
    const context = fileContext(block.context);
    this.#addClaim(claim, row, context?.change ?? null, context !== null);
  }

  /** One item for each file that something was said of. Contradictions become open mentions. */
  finish(): { readonly items: readonly (readonly NoteItem[])[]; readonly open: readonly OpenMention[] } {
    const items: NoteItem[][] = [];
    for (const [path, said] of this.#items) {
      if (this.#disputed.has(path)) continue;
      const conflict = said.find((item) => kindOf(item) !== kindOf(said[0]));
      if (conflict === undefined) {
        items.push(said);
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

  #addClaim(claim: FileClaim, statement: NoteSpan, announced: Change | null, inList: boolean): boolean {
    const { mention, change: own } = claim;
    const change = own ?? announced;
    if (own !== null && announced !== null && !agree(own, announced)) {
      const message = `The heading says ${announced}, the line says ${own}: it is not clear what was done to \`${mention.path}\`.`;
      this.#disputed.add(mention.path);
      this.#open.set(mention.path, { mention, message, isHint: false });
    } else if (change === null) this.#leaveOpen(mention, undecided(mention), !inList);
    else if (!relativePath.accepts(mention.path))
      this.#leaveOpen(mention, `The path \`${mention.path}\` must be ${relativePath.description}.`, false);
    else this.#addItem(claim, change, statement);
    return change !== null;
  }

  #addItem({ mention, note }: FileClaim, change: Change, statement: NoteSpan): void {
    const type = TYPES[change];
    const values = new Map<string, StatedValue>([["path", { value: mention.path, span: mention }]]);
    if (mention.lines !== null) values.set("lines", { value: mention.lines, span: mention });
    if (type !== null) values.set("change_type", { value: type, span: statement });
    if (note !== null) values.set(type === null ? "purpose" : "description", statedText(this.#text, note));
    const list = type === null ? "files_created" : "files_modified";
    const item: NoteItem = { list, span: statement, sources: [statement], values, isHint: false };
    const said = this.#items.get(mention.path);
    if (said === undefined) this.#items.set(mention.path, [item]);
    else said.push(item);
  }

  #leaveOpen(mention: PathMention, message: string, isHint: boolean): void {
    const known = this.#open.get(mention.path);
    if (known === undefined || (known.isHint && !isHint)) this.#open.set(mention.path, { mention, message, isHint });
  }
}

function undecided({ path }: PathMention): string {
  return `The notes name \`${path}\`, but do not say whether it was created or modified.`;
}

/** A list of modified files may say of one that it was deleted, but not that it is new. */
function agree(own: Change, announced: Change): boolean {
  return own === announced || (announced === "modified" && own !== "created");
}

function kindOf(item: NoteItem | undefined): string {
  if (item?.list === "files_created") return "created";
  return item?.values.get("change_type")?.value === "delete" ? "deleted" : "modified";
}

function fileContext(context: Context): Context | null {
  return context.topics.length === 1 && context.topics[0] === "files" ? context : null;
}

/** `path — reason`, for lists of files that the next agent should read. */
export function readingItem(text: string, sentence: NoteSpan): NoteItem | null {
  const [claim] = claimsIn(text, sentence, findPaths(text, sentence));
  if (claim === undefined || !claim.leads) return null;
  const values = new Map<string, StatedValue>([["file", { value: claim.mention.path, span: claim.mention }]]);
  const reason = noteAfter(text, claim.mention.end, sentence.end);
  if (reason !== null) values.set("reason", statedText(text, reason));
  return { list: "dependencies_for_next", span: sentence, sources: [sentence], values, isHint: false };
}
