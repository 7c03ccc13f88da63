import type { MarkdownOutline } from "../syntax/markdown-outline.ts";
import { dataNotes } from "./data-notes.ts";
import { FileItems, type OpenMention, readingItem } from "./file-items.ts";
import { type NoteBlock, noteBlocks } from "./note-blocks.ts";
import type { NoteItem } from "./note-item.ts";
import { type Topic, topicsOf } from "./note-topics.ts";
import { type OutcomeStatement, outcomeStatements } from "./stated-outcome.ts";
import { type Label, type Span, labelOf, sentencesIn } from "./note-text.ts";
import {
  type OpenItem,
  type UnsettledStatement,
  announcedFor,
  attachFields,
  decideTopics,
  makeItem,
  shownStatement,
} from "./topic-items.ts";

/** Everything that the notes say, before it is decided what of it a handoff can hold. */
export interface CollectedNotes {
  readonly outcomes: readonly OutcomeStatement[];
  /** Each list holds what was said of one thing; the first complete item of it counts. */
  readonly items: readonly (readonly NoteItem[])[];
  readonly unsettled: readonly UnsettledStatement[];
  readonly files: readonly OpenMention[];
  readonly blocks: readonly NoteBlock[];
}

export function collectNotes(text: string, outline: MarkdownOutline): CollectedNotes {
  const data = dataNotes(text);
  const blocks = data?.blocks ?? noteBlocks(text, outline);
  const collector = new Collector(text);
  for (const block of blocks) {
    if (!block.isBackground && block.kind !== "heading") collector.addBlock(block);
  }
  const { items, open } = collector.files.finish();
  return {
    blocks,
    outcomes: data?.outcomes ?? outcomeStatements(text, blocks),
    items: [...items, ...collector.items.map((item) => [item])],
    unsettled: collector.unsettled,
    files: open,
  };
}

/** Some tick off with a sign what others recommend with it: neither is asked about as if it were open. */
const TICKED = /^[✅✔☑]/u;

class Collector {
  readonly #text: string;
  readonly files: FileItems;
  readonly items: NoteItem[] = [];
  readonly unsettled: UnsettledStatement[] = [];
  /** What the blocks below an item may complete. */
  readonly #openAt = new Map<NoteBlock, OpenItem>();

  constructor(text: string) {
    this.#text = text;
    this.files = new FileItems(text);
  }

  addBlock(block: NoteBlock): void {
    if (block.kind === "row") this.files.addRow(block, block);
    else if (block.isLabel) this.files.addSentence(block, block, false);
    else this.#addSentences(block);
  }

  #addSentences(block: NoteBlock): void {
    let open = block.above === null ? undefined : this.#openAt.get(block.above);
    for (const [index, sentence] of sentencesIn(this.#text, block).entries()) {
      if (open !== undefined && attachFields(this.#text, sentence, open)) continue;
      open = this.#addSentence(block, sentence, index) ?? open;
    }
    if (open !== undefined) this.#openAt.set(block, open);
  }

  #addSentence(block: NoteBlock, sentence: Span, index: number): OpenItem | null {
    const label = labelOf(this.#text, sentence);
    const announced = announcedFor(block, index);
    const { topics, isHint } = decideTopics(topicsOf(shownStatement(this.#text, sentence, label), label), announced);
    const aboutFiles = topics.length === 0 || isHint || announced.includes("files");
    const saysChange = aboutFiles && this.files.addSentence(sentence, block, index === 0);
    if (isHint && saysChange) return null;
    const [topic, other] = topics;
    if (other !== undefined) this.unsettled.push({ span: sentence, topics });
    return topic === undefined || other !== undefined
      ? null
      : this.#addStatement(block, sentence, label, topic, isHint);
  }

  #addStatement(block: NoteBlock, sentence: Span, label: Label | null, topic: Topic, isHint: boolean): OpenItem | null {
    // What is ticked off is no next step any more.
    if (topic === "files" || (topic === "step" && block.ticked === true)) return null;
    if (topic === "reading") {
      this.#keep(readingItem(this.#text, sentence));
      return null;
    }
    const mayBeDone = topic === "step" && TICKED.test(this.#text.slice(block.start, block.start + 2));
    const made = makeItem(this.#text, sentence, label, topic, isHint || mayBeDone);
    this.#keep(made?.item ?? null);
    return made;
  }

  #keep(item: NoteItem | null): void {
    if (item !== null) this.items.push(item);
  }
}
