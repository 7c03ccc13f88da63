import type { NoteBlock } from "./note-blocks.ts";
import { type NoteItem, type StatedValue, statedText } from "./note-item.ts";
import { type StatementTopics, type Topic, labelTopic } from "./note-topics.ts";
import { type SentenceTopic, VOCABULARY, mainStatement, standaloneRemark, statedField } from "./stated-fields.ts";
import { type Label, type Span, hideQuoted } from "./note-text.ts";
import { findPaths } from "./path-mentions.ts";
import { isOutcomeLabel } from "./stated-outcome.ts";

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

/** Statements that there is nothing to state. */
const NOTHING =
  /^(?:none|n\/a|nothing|no (?:known |open |further |more )?(?:gotchas?|caveats?|warnings?|patterns?|questions?|blockers?|steps?|next steps?|issues?|concerns?))(?: (?:yet|so far|known|found|to report|at this time))?$/i;

/** `No blockers are left`, `Nenhum`: whatever follows, nothing blocks. */
const NO_BLOCKER =
  /^(?:no|zero|0) (?:\w+ )?(?:blockers?|blocking issues?)\b|^(?:nenhum|ningun[oa]?|ningún|aucune?|kein[er]?|nessuno?|niente|нет|なし|无|無)(?:$|[^\p{L}])/iu;

/** The item that a statement makes, or null when it says nothing: `Open questions: none`. */
export function makeItem(
  text: string,
  sentence: Span,
  label: Label | null,
  topic: SentenceTopic,
  isHint: boolean,
): OpenItem | null {
  const statement = label !== null && namesTopic(label, topic) ? label.value : sentence;
  const { span: main, fields } = mainStatement(text, statement, topic);
  const span = topic === "blocker" ? withoutBlocked(text, main) : main;
  const said = text.slice(span.start, span.end);
  if (!/\p{L}/u.test(said) || NOTHING.test(said) || (topic === "blocker" && NO_BLOCKER.test(said))) return null;
  const vocabulary = VOCABULARY[topic];
  const values = new Map<string, StatedValue>([[vocabulary.main, statedText(text, span)], ...fields]);
  const place = topic === "pattern" && !isHint && !values.has("location") ? onlyPath(text, span) : null;
  if (place !== null) values.set("location", place);
  return { topic, item: { list: vocabulary.list, span: sentence, sources: [sentence], values, isHint } };
}

/** "Pattern: X" and "Status: blocked by X" are about X; "Always use: X" keeps its words. */
function namesTopic(label: Label, topic: SentenceTopic): boolean {
  return isOutcomeLabel(label) || (label.name !== "always use" && labelTopic(label) === topic);
}

function withoutBlocked(text: string, span: Span): Span {
  const words =
    /^blocked (?:by|on)\s{1,10}/i.exec(text.slice(span.start, Math.min(span.end, span.start + 30)))?.[0] ?? "";
  return { start: span.start + words.length, end: span.end };
}

/** The one file that a pattern names is where it is used. */
function onlyPath(text: string, span: Span): StatedValue | null {
  const paths = findPaths(text, span);
  const [place] = paths;
  return place !== undefined && paths.every(({ path }) => path === place.path)
    ? { value: place.path, span: place }
    : null;
}

/** Whether the sentence states fields of the item, which then takes them. */
export function attachFields(text: string, sentence: Span, { item, topic }: OpenItem): boolean {
  const own = statedField(text, sentence, topic);
  const fields = own === null ? standaloneRemark(text, sentence, topic) : [own];
  if (fields.length === 0 || fields.some(([key]) => item.values.has(key))) return false;
  for (const field of fields) item.values.set(...field);
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

/** The words of a statement that say what it is about: without quotes, and after `Status:`. */
export function shownStatement(text: string, sentence: Span, label: Label | null): string {
  const start = label !== null && isOutcomeLabel(label) ? label.value.start : sentence.start;
  return hideQuoted(text.slice(start, sentence.end));
}
