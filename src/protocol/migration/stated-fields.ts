import type { JsonValue } from "../../shared/json-value.ts";
import type { Field } from "../shape.ts";
import { type ListField, type StatedValue, itemShape, statedText } from "./note-item.ts";
import type { Topic } from "./note-topics.ts";
import { type Span, dividedBy, hideQuoted, labelOf, oneLine, trimmed, valueSpan } from "./note-text.ts";

/** A topic whose statements are sentences rather than files. */
export type SentenceTopic = Exclude<Topic, "files" | "reading">;

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

export const VOCABULARY: Readonly<Record<SentenceTopic, Vocabulary>> = {
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

export type StatedField = readonly [string, StatedValue];

/** The field of an item that a sentence, or a remark in brackets, states. */
export function statedField(text: string, span: Span, topic: SentenceTopic): StatedField | null {
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

function convert(text: string, span: Span, list: ListField, field: string): StatedField | null {
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

const LONGEST_LIST = 500;

function listed(said: string): string[] | null {
  if (said.length > LONGEST_LIST) return null;
  if (/^(?:none|nothing|-)$/i.test(said)) return [];
  const bare = said.startsWith("[") && said.endsWith("]") ? said.slice(1, -1) : said;
  return bare
    .split(/,|\band\b/)
    .map((part) => part.replaceAll("`", "").trim())
    .filter((part) => part !== "");
}

export interface MainStatement {
  readonly span: Span;
  readonly fields: readonly StatedField[];
}

/** The statement without the remarks at its ends that state other fields: `(high)`, `[priority: low]`, `High: ...`. */
export function mainStatement(text: string, statement: Span, topic: SentenceTopic): MainStatement {
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

const MOST_REMARKS = 8;

function remarksIn(text: string, span: Span): Span[] {
  const shown = hideQuoted(text.slice(span.start, span.end));
  const found: Span[] = [];
  for (const match of shown.matchAll(/\([^()]{1,160}\)|\[[^[\]]{1,160}\]/g)) {
    found.push({ start: span.start + match.index, end: span.start + match.index + match[0].length });
    if (found.length === MOST_REMARKS) break;
  }
  return found;
}

/** What a remark that stands alone after a sentence states: `Is it safe? (blocking)`. */
export function standaloneRemark(text: string, { start, end }: Span, topic: SentenceTopic): readonly StatedField[] {
  const inner = valueSpan(text, { start, end });
  if (text[inner.start] !== "(" || text[inner.end - 1] !== ")" || end - start > 160) return [];
  return remarkFields(text, { start: inner.start + 1, end: inner.end - 1 }, topic) ?? [];
}

/** The fields that a remark states, or null when a part of it states none. */
function remarkFields(text: string, remark: Span, topic: SentenceTopic): StatedField[] | null {
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

function remarkField(text: string, part: Span, topic: SentenceTopic): StatedField | null {
  const words = VOCABULARY[topic].remarks.get(oneLine(text.slice(part.start, part.end).toLowerCase()));
  if (words !== undefined) return [words[0], { value: words[1], span: part }];
  return statedField(text, part, topic);
}
