import type { NoteBlock } from "./note-blocks.ts";
import { type NoteItem, type StatedValue, statedText, type ListField, itemShape } from "./note-item.ts";
import { type StatementTopics, type Topic, labelTopic } from "./note-topics.ts";
import {
  type Label,
  type NoteSpan,
  hideQuoted,
  dividedBy,
  labelOf,
  joinedLines,
  trimmed,
  valueSpan,
} from "./note-text.ts";
import { findPaths } from "./path-mentions.ts";
import { isOutcomeLabel } from "./stated-outcome.ts";
import type { JsonValue } from "../../shared/json-value.ts";
import type { Field } from "../shape.ts";

/** A statement that could belong into more than one list. */
export interface UnsettledStatement {
  readonly span: NoteSpan;
  readonly topics: readonly Topic[];
}

interface TopicDecision {
  readonly topics: readonly Topic[];
  /** Nothing but a common word speaks for it. */
  readonly isHint: boolean;
}

/** What a statement is about: its own words and what is announced above it must agree. */
export function decideTopics({ strong, weak }: StatementTopics, announced: readonly Topic[]): TopicDecision {
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

/** `No blockers are left`, `Nenhum`: nothing blocks. */
const NO_BLOCKER =
  /^(?:no|zero|0) (?:\w+ )?(?:blockers?|blocking issues?)\b|^(?:nenhum|ningun[oa]?|ningún|aucune?|kein[er]?|nessuno?|niente|нет|なし|无|無)(?:$|[^\p{L}])/iu;

/** The item that a statement makes, or null when it says nothing: `Open questions: none`. */
export function makeItem(
  text: string,
  sentence: NoteSpan,
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

function withoutBlocked(text: string, span: NoteSpan): NoteSpan {
  const words =
    /^blocked (?:by|on)\s{1,10}/i.exec(text.slice(span.start, Math.min(span.end, span.start + 30)))?.[0] ?? "";
  return { start: span.start + words.length, end: span.end };
}

/** The one file that a pattern names is where it is used. */
function onlyPath(text: string, span: NoteSpan): StatedValue | null {
  const paths = findPaths(text, span);
  const [place] = paths;
  return place !== undefined && paths.every(({ path }) => path === place.path)
    ? { value: place.path, span: place }
    : null;
}

/** Whether the sentence states fields of the item, which then takes them. */
export function attachFields(text: string, sentence: NoteSpan, { item, topic }: OpenItem): boolean {
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
export function shownStatement(text: string, sentence: NoteSpan, label: Label | null): string {
  const start = label !== null && isOutcomeLabel(label) ? label.value.start : sentence.start;
  return hideQuoted(text.slice(start, sentence.end));
}

/** A topic whose statements are sentences rather than files. */
type SentenceTopic = Exclude<Topic, "files" | "reading">;

/** How a topic becomes a list of the handoff, and by which words a note states the other fields of an item. */
interface Vocabulary {
  readonly list: ListField;
  /** The field that holds the statement itself. */
  readonly main: string;
  readonly labels: Readonly<Record<string, readonly string[]>>;
  /** Beginnings of sentences. What the first group matches is left out of the value. */
  readonly beginnings: readonly (readonly [RegExp, string])[];
  /** Words that alone, in brackets, state a field. */
  readonly remarks: ReadonlyMap<string, readonly [string, JsonValue]>;
}

const levels = (field: string): Vocabulary["remarks"] =>
  new Map(
    ["high", "medium", "low"].flatMap((level) =>
      [level, `${level} ${field}`, `${field} ${level}`].map((words) => [words, [field, level]] as const),
    ),
  );

const VOCABULARY: Readonly<Record<SentenceTopic, Vocabulary>> = {
  gotcha: {
    list: "gotchas",
    main: "issue",
    labels: {
      mitigation: ["mitigation", "workaround", "solution", "how to avoid", "how to avoid it"],
      discovered_in: ["discovered in", "found in", "found while", "discovered while", "where"],
      severity: ["severity"],
    },
    beginnings: [
      [/^((?:found|discovered|seen|noticed) in\s+)/i, "discovered_in"],
      [/^((?:found|discovered|seen|noticed)\s+)(?:while|during|when|by|after)\b/i, "discovered_in"],
      [/^(mitigated by\s+)/i, "mitigation"],
      [/^()(?:to avoid|work around|workaround)\b/i, "mitigation"],
    ],
    remarks: levels("severity"),
  },
  pattern: {
    list: "patterns_discovered",
    main: "pattern",
    labels: { location: ["location", "see", "where", "defined in", "used in"], applies_to: ["applies to", "tags"] },
    beginnings: [
      [/^((?:see|defined in|used in)\s+)/i, "location"],
      [/^(applies to\s+)/i, "applies_to"],
    ],
    remarks: new Map(),
  },
  question: {
    list: "open_questions",
    main: "question",
    labels: {
      context: ["context", "why", "why it matters", "background"],
      recommendation: ["recommendation", "recommended", "suggestion", "proposal", "my answer"],
      blocking: ["blocking", "blocks"],
    },
    beginnings: [[/^()(?:i|we) (?:recommend|suggest|propose)\b/i, "recommendation"]],
    remarks: new Map([
      ["blocking", ["blocking", true]],
      ["non-blocking", ["blocking", false]],
      ["not blocking", ["blocking", false]],
    ]),
  },
  step: {
    list: "suggested_next_steps",
    main: "step",
    labels: { priority: ["priority"], depends_on: ["depends on", "dependencies", "requires"] },
    beginnings: [[/^(depends on\s+)/i, "depends_on"]],
    remarks: levels("priority"),
  },
  blocker: {
    list: "blockers",
    main: "blocker",
    labels: {
      impact: ["impact"],
      suggested_resolution: ["suggested resolution", "resolution", "suggestion", "needs", "to unblock"],
      blocking_tasks: ["blocking tasks", "blocked tasks", "blocks"],
    },
    beginnings: [
      [/^(blocks\s+)/i, "blocking_tasks"],
      [/^()to unblock\b/i, "suggested_resolution"],
    ],
    remarks: new Map(),
  },
};

type StatedField = readonly [string, StatedValue];

/** The field of an item that a sentence, or a remark in brackets, states. */
function statedField(text: string, span: NoteSpan, topic: SentenceTopic): StatedField | null {
  const { labels, beginnings, list } = VOCABULARY[topic];
  const label = labelOf(text, span);
  if (label !== null) {
    const field = Object.keys(labels).find((key) => labels[key]?.includes(label.name));
    return field === undefined ? null : convert(text, label.value, list, field);
  }
  const head = text.slice(span.start, Math.min(span.end, span.start + 60));
  for (const [pattern, field] of beginnings) {
    const found = pattern.exec(head);
    if (found === null) continue;
    return convert(text, { start: span.start + (found[1]?.length ?? 0), end: span.end }, list, field);
  }
  return null;
}

function convert(text: string, span: NoteSpan, list: ListField, field: string): StatedField | null {
  const value = valueSpan(text, span);
  if (value.start === value.end) return null;
  const said = statedText(text, value);
  const known = itemShape(list).fields[field];
  const converted = known === undefined ? null : inShape(said.value, known);
  return converted === null ? null : [field, { value: converted, span: value }];
}

const TRUTHS: ReadonlyMap<string, boolean> = new Map([
  ["yes", true],
  ["true", true],
  ["no", false],
  ["false", false],
]);

function inShape(said: string, { shape }: Field): JsonValue | null {
  const word = said.toLowerCase();
  if (shape.kind === "boolean") return TRUTHS.get(word) ?? null;
  if (shape.kind === "list") return listed(said);
  if (shape.kind !== "text" || shape.oneOf === undefined) return said;
  return shape.oneOf.includes(word) ? word : null;
}

const MAX_LIST = 500;

function listed(said: string): string[] | null {
  if (said.length > MAX_LIST) return null;
  if (/^(?:none|nothing|-)$/i.test(said)) return [];
  const bare = said.startsWith("[") && said.endsWith("]") ? said.slice(1, -1) : said;
  return bare
    .split(/,|\band\b/)
    .map((part) => part.replaceAll("`", "").trim())
    .filter((part) => part !== "");
}

interface MainStatement {
  readonly span: NoteSpan;
  readonly fields: readonly StatedField[];
}

/** The statement without the remarks at its ends that state other fields: `(high)`, `[priority: low]`, `High: ...`. */
function mainStatement(text: string, statement: NoteSpan, topic: SentenceTopic): MainStatement {
  const fields: StatedField[] = [];
  let span = trimmed(text, statement);
  const label = labelOf(text, span);
  const level = label === null ? undefined : VOCABULARY[topic].remarks.get(label.name);
  if (label !== null && level !== undefined) {
    fields.push([level[0], { value: level[1], span: { start: span.start, end: label.value.start } }]);
    span = label.value;
  }
  for (const group of remarksIn(text, span)) {
    const stated = remarkFields(text, { start: group.start + 1, end: group.end - 1 }, topic);
    if (stated === null) continue;
    fields.push(...stated);
    if (/^[\s.*_]*$/.test(text.slice(group.end, span.end)))
      span = trimmed(text, { start: span.start, end: group.start });
    else if (/^[\s*_]*$/.test(text.slice(span.start, group.start)))
      span = trimmed(text, { start: group.end, end: span.end });
  }
  return { span: valueSpan(text, span), fields };
}

const MAX_REMARKS = 8;

function remarksIn(text: string, span: NoteSpan): NoteSpan[] {
  const shown = hideQuoted(text.slice(span.start, span.end));
  const found: NoteSpan[] = [];
  for (const match of shown.matchAll(/\([^()]{1,160}\)|\[[^[\]]{1,160}\]/g)) {
    found.push({ start: span.start + match.index, end: span.start + match.index + match[0].length });
    if (found.length === MAX_REMARKS) break;
  }
  return found;
}

/** What a remark that stands alone after a sentence states: `Is it safe? (blocking)`. */
function standaloneRemark(text: string, { start, end }: NoteSpan, topic: SentenceTopic): readonly StatedField[] {
  const inner = valueSpan(text, { start, end });
  if (text[inner.start] !== "(" || text[inner.end - 1] !== ")" || end - start > 160) return [];
  return remarkFields(text, { start: inner.start + 1, end: inner.end - 1 }, topic) ?? [];
}

/** The fields that a remark states, or null when a part of it states none. */
function remarkFields(text: string, remark: NoteSpan, topic: SentenceTopic): StatedField[] | null {
  const fields: StatedField[] = [];
  for (const part of dividedBy(text, remark, ";")) {
    // A comma divides fields where each piece is one; else it belongs to a value.
    const pieces = dividedBy(text, part, ",").map((piece) => remarkField(text, piece, topic));
    const stated = pieces.every((field) => field !== null) ? pieces : [remarkField(text, part, topic)];
    for (const field of stated) {
      if (field === null) return null;
      fields.push(field);
    }
  }
  return fields.length > 0 ? fields : null;
}

function remarkField(text: string, part: NoteSpan, topic: SentenceTopic): StatedField | null {
  const words = VOCABULARY[topic].remarks.get(joinedLines(text.slice(part.start, part.end).toLowerCase()));
  if (words !== undefined) return [words[0], { value: words[1], span: part }];
  return statedField(text, part, topic);
}
