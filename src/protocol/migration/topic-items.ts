import type { JsonValue } from "../../shared/json-value.ts";
import type { Field } from "../shape.ts";
import { type NoteItem, type NoteList, type StatedValue, isCarriedList, itemShape, statedText } from "./note-item.ts";
import {
  type Label,
  type NoteSpan,
  dividedBy,
  hideQuoted,
  joinedLines,
  labelOf,
  trimmed,
  valueSpan,
} from "./note-text.ts";
import type { Context, SentenceTopic } from "./note-titles.ts";
import { labelTopic } from "./note-topics.ts";
import { findPaths } from "./path-mentions.ts";
import { isOutcomeLabel } from "./stated-outcome.ts";

/** An item that later sentences may complete. */
export interface OpenItem {
  readonly item: NoteItem;
  readonly topic: SentenceTopic;
}

/** Statements that there is nothing to state. */
const NOTHING =
  /^@[\w-]+$|^(?:none|nothing) (?!of\b)[^.]{1,40}$|^(?:none|n\/a|nothing|nil|-|keine?[rns]?|rien|nada|no (?:known |open |further |more |new |other )?(?:gotchas?|caveats?|warnings?|patterns?|questions?|blockers?|steps?|next steps?|issues?|concerns?|decisions?|limitations?|assumptions?|tests?|changes?|problems?|risks?))(?: (?:yet|so far|known|found|to report|at this time|left|remain(?:ing)?|for now))?$/i;

/** `No blockers are left`, `Nenhum`: nothing blocks. */
const NO_BLOCKER =
  /^(?:no|zero|0) (?:\w+ )?(?:blockers?|blocking issues?)\b|^(?:nenhum|ningun[oa]?|ningún|aucune?|kein[er]?|nessuno?|niente|нет|なし|无|無)(?:$|[^\p{L}])/iu;

/** The item that a statement makes, or null when it says nothing: `Open questions: none`. */
export function makeItem(text: string, sentence: NoteSpan, label: Label | null, topic: SentenceTopic): OpenItem | null {
  const statement = label !== null && namesTopic(label, topic) ? label.value : sentence;
  const { span: main, fields } = mainStatement(text, statement, topic);
  const span = topic === "blocker" ? withoutBlocked(text, main) : main;
  const said = text.slice(span.start, span.end);
  if (!/\p{L}{2}|[^\p{ASCII}\s]/u.test(said) || NOTHING.test(said) || (topic === "blocker" && NO_BLOCKER.test(said)))
    return null;
  const vocabulary = VOCABULARY[topic];
  const values = new Map<string, StatedValue>([[vocabulary.main, statedText(text, span)], ...fields]);
  const place = topic === "pattern" && !values.has("location") ? onlyPath(text, span) : null;
  if (place !== null) values.set("location", place);
  return { topic, item: { list: vocabulary.list, span: sentence, sources: [sentence], values } };
}

/** A further sentence about the same thing: the statement goes on to its end. */
export function continueItem(text: string, sentence: NoteSpan, { item, topic }: OpenItem): void {
  const { main } = VOCABULARY[topic];
  const said = item.values.get(main);
  if (said === undefined || sentence.end - said.span.start > MAX_STATEMENT) return;
  // Marks that stood around the first sentence alone belong to it again.
  let { start } = said.span;
  while (start > item.span.start && /[*_`]/.test(text[start - 1] ?? "")) start--;
  item.values.set(main, statedText(text, valueSpan(text, { start, end: sentence.end })));
  item.sources.push(sentence);
}
const MAX_STATEMENT = 2000;

/** The level that a heading above the item states for all below it. */
export function setLevel({ level }: Context, { item, topic }: OpenItem): void {
  const field = topic === "step" ? "priority" : "severity";
  if (level === undefined || (topic !== "step" && topic !== "gotcha") || item.values.has(field)) return;
  item.values.set(field, { value: level.word, span: level });
}

/** States a field of the item, named as a column or key names it. */
export function setStatedField(text: string, name: string, span: NoteSpan, { item, topic }: OpenItem): void {
  const { labels, list } = VOCABULARY[topic];
  const field = Object.keys(labels).find((key) => key === name.replaceAll(" ", "_") || labels[key]?.includes(name));
  const stated = field === undefined ? null : convert(text, span, list, field);
  if (stated !== null && !item.values.has(stated[0])) item.values.set(...stated);
}

/** "Pattern: X" and "Status: blocked by X" are about X; "Always use: X" keeps its words. */
function namesTopic(label: Label, topic: SentenceTopic): boolean {
  if (isOutcomeLabel(label)) return true;
  // "Watch out for the feed: ..." says what it is about before the colon.
  const saysMore = /\b(?:for|with|about|in|on|when) \S/.test(label.name);
  return label.name !== "always use" && !saysMore && labelTopic(label) === topic;
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

/** The words of a statement that say what it is about: without quotes, and after `Status:`. */
export function shownStatement(text: string, sentence: NoteSpan, label: Label | null): string {
  const start = label !== null && isOutcomeLabel(label) ? label.value.start : sentence.start;
  return hideQuoted(text.slice(start, sentence.end));
}

/** How a topic becomes a list of the handoff, and by which words a note states the other fields of an item. */
interface Vocabulary {
  readonly list: NoteList;
  /** The field that holds the statement itself. */
  readonly main: string;
  readonly labels: Readonly<Record<string, readonly string[]>>;
  /** Beginnings of sentences. What the first group matches is left out of the value. */
  readonly beginnings: readonly (readonly [RegExp, string])[];
  /** Words that alone, in brackets, state a field. */
  readonly remarks: ReadonlyMap<string, readonly [string, JsonValue]>;
}

/** Topics of which only the statement itself is kept. */
const plainWords = (list: NoteList): Vocabulary => ({
  list,
  main: "text",
  labels: {},
  beginnings: [],
  remarks: new Map(),
});

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
      mitigation: [
        "mitigation",
        "workaround",
        "solution",
        "how to avoid",
        "how to avoid it",
        "fix",
        "resolution",
        "lösung",
        "abhilfe",
        "solución",
        "solução",
        "soluzione",
      ],
      discovered_in: ["discovered in", "found in", "found while", "discovered while", "where"],
      severity: ["severity"],
    },
    beginnings: [
      [/^((?:found|discovered|seen|noticed) in\s+)/i, "discovered_in"],
      [/^((?:found|discovered|seen|noticed)\s+)(?:while|during|when|by|after)\b/i, "discovered_in"],
      [/^((?:mitigated|fixed|solved|resolved|avoided) by\s+)/i, "mitigation"],
      [/^()(?:to avoid|work around|workaround)\b/i, "mitigation"],
      [
        /^()(?:use|do not|don['\u2019]t|avoid|set|run|call|keep|always|never|make sure|convert|restart|read|wait|pass|prefer|remember to|instead,?)\b/i,
        "mitigation",
      ],
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
  done: plainWords("completed"),
  decision: plainWords("decisions"),
  test: plainWords("tests"),
  limitation: plainWords("limitations"),
  assumption: plainWords("assumptions"),
  summary: plainWords("summary"),
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

function convert(text: string, span: NoteSpan, list: NoteList, field: string): StatedField | null {
  const value = valueSpan(text, span);
  if (value.start === value.end || isCarriedList(list)) return null;
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
