import type { NoteBlock } from "./note-blocks.ts";
import { type NoteItem, type StatedValue, statedText } from "./note-item.ts";
import { type StatementTopics, type Topic, contextOf } from "./note-topics.ts";
import { type SentenceTopic, VOCABULARY, mainStatement, statedField } from "./stated-fields.ts";
import { type Label, type Span, hideQuoted } from "./note-text.ts";
import { findPaths } from "./path-mentions.ts";

/** A statement that could belong into more than one list. */
export interface UnsettledStatement {
  readonly span: Span;
  readonly topics: readonly Topic[];
}

export interface Decision {
  readonly topics: readonly Topic[];
  /** Nothing but a common word speaks for it. */
  readonly isHint: boolean;
}

/** What a statement is about: its own words and what is announced above it must agree. */
export function decideTopics({ strong, weak }: StatementTopics, announced: readonly Topic[]): Decision {
  const settled = announced.filter((topic) => topic !== "files");
  if (settled.length === 0)
    return strong.length > 0 ? { topics: strong, isHint: false } : { topics: weak, isHint: true };
  if (strong.length === 0) {
    const hinted = settled.filter((topic) => weak.includes(topic));
    return { topics: hinted.length === 1 ? hinted : settled, isHint: false };
  }
  const agreed = settled.filter((topic) => strong.includes(topic));
  return { topics: agreed.length === 1 ? agreed : [...new Set([...settled, ...strong])], isHint: false };
}

/** An item that later sentences may complete. */
export interface OpenItem {
  readonly item: NoteItem;
  readonly topic: SentenceTopic;
}

/** The item that a statement makes, or null when it says nothing: `Open questions: none`. */
export function makeItem(
  text: string,
  sentence: Span,
  label: Label | null,
  topic: SentenceTopic,
  isHint: boolean,
): OpenItem | null {
  const isLabelled = label !== null && isTopicLabel(label, topic);
  const { span, fields } = mainStatement(text, isLabelled ? label.value : sentence, topic);
  const said = text.slice(span.start, span.end);
  if (!/\p{L}/u.test(said) || /^(?:none|n\/a|nothing|no [\p{L} ]{1,40})$/iu.test(said)) return null;
  const { list, main } = VOCABULARY[topic];
  const values = new Map<string, StatedValue>([[main, statedText(text, span)], ...fields]);
  if (topic === "pattern" && !values.has("location")) {
    const paths = findPaths(text, span);
    const [place] = paths;
    if (place !== undefined && paths.every(({ path }) => path === place.path))
      values.set("location", { value: place.path, span: place });
  }
  return { topic, item: { list, span: sentence, sources: [sentence], values, isHint } };
}

/** "Pattern: X" names its topic and is left out of the value; "Always use: X" keeps its words. */
function isTopicLabel(label: Label, topic: SentenceTopic): boolean {
  return label.name !== "always use" && (contextOf(label.name)?.topics.includes(topic) ?? false);
}

/** Whether the sentence states a field of the item, which then takes it. */
export function attachField(text: string, sentence: Span, { item, topic }: OpenItem): boolean {
  const field = statedField(text, sentence, topic);
  if (field === null || item.values.has(field[0])) return false;
  item.values.set(...field);
  item.sources.push(sentence);
  return true;
}

/** Where what is announced above counts for a sentence: list items by their first one, paragraphs by each. */
export function announcedFor(block: NoteBlock, index: number): readonly Topic[] {
  const { above } = block;
  const isDetail = above !== null && above.kind === "item" && !above.isLabel;
  if (isDetail || (block.kind === "item" && index > 0)) return [];
  return block.context.topics;
}

export function shownSentence(text: string, sentence: Span): string {
  return hideQuoted(text.slice(sentence.start, sentence.end));
}
