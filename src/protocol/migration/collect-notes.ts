import type { MarkdownOutline } from "../syntax/markdown-outline.ts";
import { dataNotes } from "./data-notes.ts";
import { FileItems, type OpenMention, readingItem } from "./file-items.ts";
import { type NoteBlock, noteBlocks } from "./note-blocks.ts";
import type { NoteItem } from "./note-item.ts";
import { type NoteSpan, labelOf, sentencesIn } from "./note-text.ts";
import type { Topic } from "./note-titles.ts";
import { ownTopic } from "./note-topics.ts";
import { type OutcomeStatement, outcomeStatements } from "./stated-outcome.ts";
import { type NoteStatement, goesOn, isDetail, mayBeAboutFile, topicOf } from "./statement-topic.ts";
import { rowItem } from "./table-rows.ts";
import {
  type OpenItem,
  attachFields,
  continueItem,
  makeItem,
  setStatedField,
  setLevel,
  shownStatement,
} from "./topic-items.ts";

/** Everything that the notes say, before it is decided what of it a handoff can hold. */
export interface CollectedNotes {
  readonly outcomes: readonly OutcomeStatement[];
  /** Each list holds what was said of one thing. */
  readonly items: readonly (readonly NoteItem[])[];
  readonly files: readonly OpenMention[];
  readonly blocks: readonly NoteBlock[];
}

export function collectNotes(text: string, outline: MarkdownOutline): CollectedNotes {
  const data = dataNotes(text);
  const blocks = data?.blocks ?? noteBlocks(text, outline);
  const collector = new Collector(text);
  for (const block of blocks) if (block.kind !== "heading") collector.addBlock(block);
  const { items, open } = collector.files.finish();
  return {
    blocks,
    outcomes: data?.outcomes ?? outcomeStatements(text, blocks),
    items: [...items, ...collector.items.map((item) => [item])],
    files: open,
  };
}

class Collector {
  readonly #text: string;
  readonly files: FileItems;
  readonly items: NoteItem[] = [];
  /** What the blocks below an item may complete. */
  readonly #openAt = new Map<NoteBlock, OpenItem>();
  /** Labels that name a file of which they say what was done to it. */
  readonly #fileAt = new Set<NoteBlock>();

  constructor(text: string) {
    this.#text = text;
    this.files = new FileItems(text);
  }

  addBlock(block: NoteBlock): void {
    if (block.background !== null) this.#addBoxed(block);
    else if (block.kind === "row") this.#addRow(block);
    else if (block.isLabel) this.#addLabel(block);
    else if (!this.#describesFile(block) && !this.#text.startsWith("~~", block.start)) this.#addSentences(block);
  }

  #addRow(block: NoteBlock): void {
    if (!block.isLabel && !this.files.addRow(block, block)) this.#keep(rowItem(this.#text, block));
  }

  #addLabel(block: NoteBlock): void {
    // "I finished the import. Here is a summary:" announces only with its end.
    const last = sentencesIn(this.#text, block).at(-1);
    if (last !== undefined && last.start > block.start)
      this.#addSentences({ ...block, end: last.start, isLabel: false });
    if (this.files.addSentence(block, block, block.kind === "item")) this.#fileAt.add(block);
    else this.#addBoxed(block);
  }

  /** What stands below `- src/a.ts:` in a list says what was done in it. */
  #describesFile(block: NoteBlock): boolean {
    const { above } = block;
    if (above === null || !this.#fileAt.has(above)) return false;
    const own = ownTopic(this.#text.slice(block.start, block.end), null);
    return own?.isLead !== true && this.files.extendLast(above, block);
  }

  /** Of what was asked for or planned, only boxes say what became of it. */
  #addBoxed(block: NoteBlock): void {
    const topic = block.mark === "ticked" ? "done" : "step";
    const counts = block.background !== "other" && (block.background !== "asked" || topic === "done");
    if (!counts || (block.mark !== "ticked" && block.mark !== "unticked")) return;
    this.#keep(makeItem(this.#text, block, null, topic));
  }

  #addSentences(block: NoteBlock): void {
    const outer = block.above === null ? undefined : this.#openAt.get(block.above);
    // What stands below an item belongs to it; with a box of its own it is an item of its own.
    const parent = block.mark === null && isDetail(block) ? outer : undefined;
    const own = this.#addEach(block, outer, parent);
    const open = own ?? outer;
    if (open !== undefined) this.#openAt.set(block, open);
    if (own !== undefined) for (const { name, span } of block.fields ?? []) setStatedField(this.#text, name, span, own);
  }

  /** The last item that the sentences of the block have made. */
  #addEach(block: NoteBlock, outer: OpenItem | undefined, parent: OpenItem | undefined): OpenItem | undefined {
    let last: OpenItem | "file" | null = null;
    let own: OpenItem | undefined;
    for (const [index, sentence] of sentencesIn(this.#text, block).entries()) {
      if (this.#completes(sentence, own ?? outer, last === "file")) continue;
      const label = labelOf(this.#text, sentence);
      const shown = shownStatement(this.#text, sentence, label);
      last = this.#addStatement({ block, sentence, label, shown, isFirst: index === 0 }, own ?? parent);
      if (last !== null && last !== "file" && last !== parent) own = last;
    }
    return own;
  }

  /** A sentence that states a field of the item before it, or describes the file before it. */
  #completes(sentence: NoteSpan, open: OpenItem | undefined, isAfterFile: boolean): boolean {
    if (open !== undefined && attachFields(this.#text, sentence, open)) return true;
    return isAfterFile && this.files.describeLast(sentence);
  }

  /** The item that the statement makes or goes on with, if any. */
  #addStatement(statement: NoteStatement, open: OpenItem | undefined): OpenItem | "file" | null {
    const { block, sentence, isFirst } = statement;
    const topic = topicOf(statement, open !== undefined);
    const isAboutFile = mayBeAboutFile(statement, topic) && this.files.addSentence(sentence, block, isFirst);
    if (isAboutFile && topic !== "summary") return "file";
    if (topic !== null) return this.#addItem(statement, topic);
    if (open === undefined || !goesOn(statement, open.topic)) return null;
    continueItem(this.#text, sentence, open);
    return open;
  }

  #addItem({ block, sentence, label, isFirst }: NoteStatement, topic: Topic): OpenItem | null {
    if (topic === "files" || topic === "outcome") return null;
    if (topic === "reading") {
      const item = readingItem(this.#text, sentence);
      if (item !== null) this.items.push(item);
      return null;
    }
    const made = this.#keep(makeItem(this.#text, sentence, label, topic));
    if (made !== null && isFirst) setLevel(block.context, made);
    return made;
  }

  #keep(made: OpenItem | null): OpenItem | null {
    if (made !== null) this.items.push(made.item);
    return made;
  }
}
