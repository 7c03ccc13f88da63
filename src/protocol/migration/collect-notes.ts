import type { MarkdownOutline } from "../syntax/markdown-outline.ts";
import { FileItems, type OpenMention, readingItem } from "./file-items.ts";
import { type NoteBlock, noteBlocks } from "./note-blocks.ts";
import type { NoteItem } from "./note-item.ts";
import { type Topic, topicsOf, type Context, NO_CONTEXT, contextOf } from "./note-topics.ts";
import { type OutcomeStatement, outcomeStatements, isOutcomeName, statedOutcome } from "./stated-outcome.ts";
import { type Label, type NoteSpan, labelOf, sentencesIn, joinedLines } from "./note-text.ts";
import {
  type OpenItem,
  type UnsettledStatement,
  announcedFor,
  attachFields,
  decideTopics,
  makeItem,
  shownStatement,
} from "./topic-items.ts";
import { YAMLException } from "js-yaml";
import { isRecord, type JsonPath, type JsonRecord, type JsonValue } from "../../shared/json-value.ts";
import { DEFAULT_LIMITS } from "../limits.ts";
import { hasManyBrackets, parseJson } from "../syntax/json.ts";
import { mapJson } from "../syntax/json-source-map.ts";
import type { SourceMap } from "../syntax/syntax.ts";
import { WrittenNumber } from "../syntax/written-number.ts";
import { yamlDocuments, yamlEvents } from "../syntax/yaml.ts";
import { mapYaml } from "../syntax/yaml-source-map.ts";

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

  #addSentence(block: NoteBlock, sentence: NoteSpan, index: number): OpenItem | null {
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

  #addStatement(
    block: NoteBlock,
    sentence: NoteSpan,
    label: Label | null,
    topic: Topic,
    isHint: boolean,
  ): OpenItem | null {
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

/** Notes that are records of another format: their keys announce what stands under them, as headings do. */
interface DataNotes {
  readonly blocks: readonly NoteBlock[];
  readonly outcomes: readonly OutcomeStatement[];
}

interface DataDocument {
  readonly value: JsonRecord;
  readonly map: SourceMap;
}

/** Null when the text is prose. */
function dataNotes(text: string): DataNotes | null {
  const documents = text.trimStart().startsWith("{") ? jsonDocument(text) : yamlRecords(text);
  if (documents === null) return null;
  const blocks: NoteBlock[] = [];
  const outcomes: OutcomeStatement[] = [];
  for (const { value, map } of documents)
    for (const leaf of leavesIn(value, [], NO_CONTEXT, false)) {
      const span = saidAt(text, map.locate(leaf.path, false), leaf.text);
      if (span === null) continue;
      if (leaf.path.length === 1 && isOutcomeName(String(leaf.path[0]))) outcomes.push(statedOutcome(text, span));
      else if (leaf.context.topics.length > 0) blocks.push(blockOf(span, leaf.context));
      if (blocks.length >= MAX_BLOCKS) return { blocks, outcomes };
    }
  return { blocks, outcomes };
}

/** Each is looked up in the text by its path. */
const MAX_BLOCKS = 2_000;

function jsonDocument(text: string): DataDocument[] | null {
  if (hasManyBrackets(text, DEFAULT_LIMITS)) return null;
  const value = parseJson(text)?.value;
  return isRecord(value) ? [{ value, map: mapJson(text) }] : null;
}

/** Names as programs write them: prose that YAML could read has titles and sentences for keys. */
const NAME = /^[a-z][a-z0-9_-]*$/;
const LEAST_NAMES = 3;

function yamlRecords(text: string): DataDocument[] | null {
  if (!/^\s*(?:---[ \t]*\r?\n\s*)?[a-z][\w-]*:/.test(text.slice(0, 1_000)) || /^#{2,6}[ \t]/m.test(text)) return null;
  try {
    const events = yamlEvents(text, DEFAULT_LIMITS);
    const records = yamlDocuments(text, events).filter((document) => document !== null);
    if (!records.every(isRecord)) return null;
    const names = records.flatMap((record) => Object.keys(record));
    if (names.length < LEAST_NAMES || !names.every((name) => NAME.test(name))) return null;
    return records.map((value, at) => ({ value, map: mapYaml(text, events, at) }));
  } catch (error) {
    if (error instanceof YAMLException) return null;
    throw error;
  }
}

interface Leaf {
  readonly path: JsonPath;
  readonly text: string;
  readonly context: Context;
}

/** What a key announces holds for the lists under it; a record in a list is a thing of its own. */
function* leavesIn(value: JsonValue | undefined, path: JsonPath, context: Context, inList: boolean): Generator<Leaf> {
  if (value instanceof WrittenNumber) yield { path, text: value.text, context };
  else if (typeof value === "string") yield { path, text: value, context };
  else if (Array.isArray(value))
    for (const [at, item] of value.entries()) yield* leavesIn(item, [...path, at], context, true);
  else if (isRecord(value))
    for (const [key, inner] of Object.entries(value)) {
      const announced = contextOf(key.replaceAll(/[_-]/g, " ")) ?? (inList ? NO_CONTEXT : context);
      yield* leavesIn(inner, [...path, key], announced, false);
    }
}

/** Where the text says it in so many words; null where it is escaped or folded. */
function saidAt(text: string, { start, end }: NoteSpan, said: string): NoteSpan | null {
  const at = text.slice(start, end).indexOf(said.trim());
  if (at === -1 || joinedLines(said) === "") return null;
  return { start: start + at, end: start + at + said.trim().length };
}

function blockOf(span: NoteSpan, context: Context): NoteBlock {
  return { ...span, kind: "item", context, above: null, isLabel: false, ticked: null, isBackground: false };
}
