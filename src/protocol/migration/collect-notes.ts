import type { MarkdownOutline } from "../syntax/markdown-blocks.ts";
import { FileItems, type OpenMention, readingItem } from "./file-items.ts";
import { type NoteBlock, noteBlocks } from "./note-blocks.ts";
import type { NoteItem } from "./note-item.ts";
import { topicsOf } from "./note-topics.ts";
import { type OutcomeStatement, outcomeStatements } from "./stated-outcome.ts";
import { type Span, labelOf, sentencesIn } from "./note-text.ts";
import {
  type OpenItem,
  type UnsettledStatement,
  announcedFor,
  attachField,
  decideTopics,
  makeItem,
  shownSentence,
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
  const blocks = noteBlocks(text, outline);
  const collector = new Collector(text);
  for (const block of blocks) {
    if (!block.isBackground && !block.isLabel) collector.addBlock(block);
  }
  const { items, open } = collector.files.finish();
  return {
    blocks,
    outcomes: outcomeStatements(text, blocks),
    items: [...items, ...collector.items.map((item) => [item])],
    unsettled: collector.unsettled,
    files: open,
  };
}

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
    if (block.kind === "row") {
      this.files.addRow(block, block);
      return;
    }
    let open = block.above === null ? undefined : this.#openAt.get(block.above);
    for (const [index, sentence] of sentencesIn(this.#text, block).entries()) {
      if (open !== undefined && attachField(this.#text, sentence, open)) continue;
      open = this.#addSentence(block, sentence, index) ?? open;
    }
    if (open !== undefined) this.#openAt.set(block, open);
  }

  #addSentence(block: NoteBlock, sentence: Span, index: number): OpenItem | null {
    const label = labelOf(this.#text, sentence);
    const announced = announcedFor(block, index);
    const { topics, isHint } = decideTopics(topicsOf(shownSentence(this.#text, sentence), label), announced);
    const [topic] = topics;
    const aboutFiles = topic === undefined || isHint || announced.includes("files");
    const saysChange = aboutFiles && this.files.addSentence(sentence, block, index === 0);
    if (topic === undefined || topic === "files" || (isHint && saysChange)) return null;
    if (topics.length > 1) {
      this.unsettled.push({ span: sentence, topics });
      return null;
    }
    if (topic === "reading") {
      const item = readingItem(this.#text, sentence);
      if (item !== null) this.items.push(item);
      return null;
    }
    // What is ticked off is no next step any more.
    if (topic === "step" && block.ticked === true) return null;
    const made = makeItem(this.#text, sentence, label, topic, isHint);
    if (made !== null) this.items.push(made.item);
    return made;
  }
}
