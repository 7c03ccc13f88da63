import type { JsonValue } from "../../../shared/json-value.ts";
import { isSecretName } from "../../../shared/named-secrets.ts";
import { maskOf, redactor } from "../../../shared/redact.ts";
import type { SyntaxName } from "../../dialect.ts";
import type { FieldType } from "../field-keys.ts";
import { type DraftField, type DraftQuestions, type DraftWord, OPEN_ANSWER } from "./draft.ts";
import type { OutcomeField } from "./infer-outcome.ts";
import { inferOutcomeWords } from "./infer-outcome.ts";
import { closedWords } from "./infer-words.ts";
import type { SeenKind, SeenValues } from "./seen-values.ts";

interface FieldInference {
  readonly syntax: SyntaxName;
  /** Documents that were seen in all. */
  readonly total: number;
  readonly outcome: OutcomeField | null;
  readonly questions: DraftQuestions;
  /** Names of agents that were seen. */
  readonly agents: ReadonlySet<string>;
  /** The element of the entries of a list, by the path of the list. */
  readonly elementAt: (path: string) => string | null;
  /** Keys that no field was made of. */
  readonly leftOut: string[];
  /** How many fields the draft may still have. */
  readonly budget: { left: number };
}

/** So many documents must show that a field is always there, and so many more for each new key of a document. */
const MIN_FOR_REQUIRED = 2.5;
const MORE_FOR_REQUIRED = 1.5;
/** So many documents must have a key before it is a field, and so many more where each document has a new key. */
const MIN_FOR_FIELD = 2;
const MORE_FOR_FIELD = 3;
/** Where there are fewer documents than this, what one of them has is all there is to learn from. */
const FEW = 4;
/** So many for a number to be a whole number always. */
const MIN_FOR_INTEGER = 5;

/** A draft has at most so many fields: with their comments they keep within the size of a format file. */
export const MAX_DRAFT_FIELDS = 250;

/** The fields of a record that was seen in documents. */
export function inferFields(seen: SeenValues, path: string, inference: FieldInference): DraftField[] {
  const more = Math.round(MORE_FOR_FIELD * Math.min(1, newKeys(seen)));
  const least = inference.total < FEW ? 1 : Math.min(MIN_FOR_FIELD + more, Math.max(FEW - 1, seen.recordDocuments));
  const found = [...seen.fields].filter(
    ([name, { documents }]) => documents >= least && isFieldName(name, inference.syntax),
  );
  // The fields of this record before those inside them: where there are too many, the innermost are left out.
  const kept = mostSeen(found, inference.budget.left);
  inference.budget.left -= kept.length;
  const at = (name: string): string => (path === "" ? name : `${path}.${name}`);
  const names = new Set(kept.map(([name]) => name));
  for (const name of seen.fields.keys()) if (!names.has(name)) inference.leftOut.push(at(name));
  return kept.map(([name, inner]) => inferField(name, inner, seen, at(name), inference));
}

type SeenField = readonly [name: string, seen: SeenValues];

/** In the order in which they were seen. */
function mostSeen(fields: readonly SeenField[], most: number): readonly SeenField[] {
  if (fields.length <= most) return fields;
  const kept = new Set(fields.toSorted(([, left], [, right]) => right.documents - left.documents).slice(0, most));
  return fields.filter((field) => kept.has(field));
}

const NAME = /^[\p{L}\p{N}_$][\p{L}\p{N}\p{M}_$ -]{0,63}$/u;
const XML_NAME = /^(?:@?[A-Za-z_][\w-]{0,62}|#text)$/;
const redact = redactor([]);

function isFieldName(name: string, syntax: SyntaxName): boolean {
  return name !== "carried" && (syntax === "xml" ? XML_NAME : NAME).test(name) && redact(name) === name;
}

/**
 * How many keys the next document is likely to have that no other one has: as many as those of one document only. Where
 * authors put into a record what they like, it also changes what a key holds and whether it is there.
 */
function newKeys({ fields, recordDocuments }: SeenValues): number {
  const once = [...fields.values()].filter(({ documents }) => documents === 1).length;
  return once / recordDocuments;
}

function inferField(
  name: string,
  seen: SeenValues,
  parent: SeenValues,
  path: string,
  inference: FieldInference,
): DraftField {
  const records = parent.kinds.get("record") ?? 0;
  const isAlways = seen.values === records;
  const field = inferValue(name, seen, path, inference);
  const least = MIN_FOR_REQUIRED + MORE_FOR_REQUIRED * newKeys(parent);
  // Every handoff has an outcome, so that it is always there needs no more documents.
  field.required = isAlways && (parent.recordDocuments >= least || saysOutcome(field));
  const isOpen = !field.required || field.nullable || seen.documents < inference.total;
  if (field.is === "outcome" && isOpen) askDefault(field, path, seen, inference);
  const entries = records > parent.recordDocuments ? ` (${seen.values} of ${records} records)` : "";
  field.notes.unshift(`in ${seen.documents} of ${parent.recordDocuments} documents${entries}`);
  if (field.required && field.words === null) field.example = exampleFor(name, field.type, seen);
  return field;
}

function saysOutcome({ is, fields }: DraftField): boolean {
  return is === "outcome" || fields.some(saysOutcome);
}

/** Every handoff has an outcome: where the field may be absent, somebody must know what that means. */
function askDefault(field: DraftField, path: string, seen: SeenValues, { total, questions }: FieldInference): void {
  const where = `${total - seen.documents} of ${total} documents`;
  const question = `What does it mean that ${where} have no \`${path}\`? Write the word, or \`required: true\` instead.`;
  field.default = OPEN_ANSWER;
  field.notes.push(questions.ask(question));
}

/** The type of a value, and what is inside it. */
function inferValue(name: string, seen: SeenValues, path: string, inference: FieldInference): DraftField {
  const [kind, ...others] = seen.kindsSeen();
  const field = emptyField(name, seen);
  if (kind === undefined || others.length > 0) {
    field.type = "anything";
    if (others.length > 0) field.notes.push(`seen as ${[kind, ...others].join(" and as ")}`);
    return field;
  }
  return INFER[kind](field, seen, path, inference);
}

function emptyField(name: string, seen: SeenValues): DraftField {
  return {
    name,
    type: "text",
    required: false,
    requiredWhen: null,
    nullable: seen.isEverNull,
    mayBeEmpty: false,
    format: null,
    words: null,
    is: null,
    about: null,
    example: undefined,
    default: null,
    fields: [],
    item: null,
    element: null,
    notes: [],
  };
}

type Infer = (field: DraftField, seen: SeenValues, path: string, inference: FieldInference) => DraftField;

const INFER: Readonly<Record<Exclude<SeenKind, "null">, Infer>> = {
  text: inferText,
  number: (field, seen) => ({ ...field, type: numberType(seen, !seen.hasFraction) }),
  boolean: (field, seen, path, inference) => ({ ...field, type: "boolean", ...outcomeOf(seen, path, inference) }),
  list: inferList,
  record: inferRecord,
};

function numberType(seen: SeenValues, isWhole: boolean): FieldType {
  return isWhole && seen.documents >= MIN_FOR_INTEGER ? "integer" : "number";
}

function outcomeOf(
  seen: SeenValues,
  path: string,
  { outcome, questions }: FieldInference,
): { is: string; words: DraftWord[]; notes: string[] } | Record<string, never> {
  if (outcome?.path !== path) return {};
  const words = inferOutcomeWords(seen, path, questions);
  return words === null ? {} : { is: "outcome", words, notes: [outcome.note] };
}

function inferText(field: DraftField, seen: SeenValues, path: string, inference: FieldInference): DraftField {
  field.mayBeEmpty = seen.hasEmptyText;
  const outcome = outcomeOf(seen, path, inference);
  if (outcome.words !== undefined) {
    const isTruth = seen.areAll("truth");
    return { ...field, ...outcome, ...(isTruth && { type: "boolean" as const }) };
  }
  if (inference.syntax === "xml" && !seen.hasEmptyText) {
    if (seen.areAll("number")) return { ...field, type: numberType(seen, seen.areAll("integer")) };
    if (seen.areAll("truth")) return { ...field, type: "boolean" };
  }
  noteUnfilled(field, seen);
  const closed = closedWords(field.name, seen, inference.agents);
  if (closed !== null && closed.words.every((word) => redact(word) === word)) {
    field.notes.push(closed.note);
    field.words = closed.words.map((word) => ({ word, means: null, note: null }));
  } else if (seen.documents >= MIN_FOR_REQUIRED && !seen.hasEmptyText) field.format = formOf(seen);
  return field;
}

function noteUnfilled({ notes }: DraftField, seen: SeenValues): void {
  const unfilled = seen.forms.get("unfilled") ?? 0;
  if (unfilled > 0) notes.push(`${unfilled} of ${seen.texts} values are left over from a template`);
}

function formOf(seen: SeenValues): string | null {
  return (["timestamp", "date", "web-address"] as const).find((form) => seen.areAll(form)) ?? null;
}

function inferList(field: DraftField, seen: SeenValues, path: string, inference: FieldInference): DraftField {
  const element = inference.syntax === "xml" ? inference.elementAt(path) : null;
  const item =
    seen.item === null || (inference.total >= FEW && seen.item.documents < MIN_FOR_FIELD)
      ? { ...emptyField("item", seen), type: "anything" as const }
      : inferValue("item", seen.item, `${path}[]`, inference);
  // An entry that is one of some words is described as such only for a field of its own.
  return { ...field, type: "list", element, item: { ...item, nullable: seen.item?.isEverNull ?? false, words: null } };
}

function inferRecord(field: DraftField, seen: SeenValues, path: string, inference: FieldInference): DraftField {
  if (isMap(seen)) {
    field.notes.push(`${seen.fields.size} different keys`);
    return { ...field, type: "map" };
  }
  const fields = inferFields(seen, path, inference);
  return fields.length === 0 ? { ...field, type: "map" } : { ...field, type: "record", fields };
}

/** A record whose keys are data: no key is in half of the records, or keys that are no names. */
function isMap({ fields, recordDocuments }: SeenValues): boolean {
  const counts = [...fields.values()].map(({ documents }) => documents);
  const isScattered = fields.size >= 6 && Math.max(...counts) * 2 <= recordDocuments;
  return recordDocuments >= 3 && isScattered && counts.reduce((sum, count) => sum + count, 0) < fields.size * 2;
}

const MAX_EXAMPLE = 80;

/** A value that was seen, masked and short. */
function exampleFor(name: string, type: FieldType, seen: SeenValues): JsonValue | undefined {
  if (type !== "text" && type !== "anything") return undefined;
  if (isSecretName(name)) return maskOf("value");
  const [sample = ""] = seen.samples;
  const line = redact(sample)
    .replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, " ")
    .trim();
  const short = line.length <= MAX_EXAMPLE ? line : `${line.slice(0, MAX_EXAMPLE - 3).trimEnd()}...`;
  return short === "" ? (type === "anything" ? [] : "A text.") : short;
}
