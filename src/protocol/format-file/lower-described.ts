import { judgeCondition } from "../../shared/condition.ts";
import { type JsonRecord, type JsonValue, isRecord, ownValue } from "../../shared/json-value.ts";
import { checkField } from "../check-shape.ts";
import type { Filling } from "../dialect.ts";
import { UNKNOWN_AGENT, kebabCase, withExtensions } from "../dialects/lift-and-lower.ts";
import { DocumentCheck } from "../document-check.ts";
import type { TextFormat } from "../format.ts";
import type { Handoff, Outcome } from "../handoff.ts";
import { DEFAULT_LIMITS } from "../limits.ts";
import type { Field, RecordShape, Shape } from "../shape.ts";
import { numberAsWritten } from "../syntax/syntax.ts";
import { isXmlName } from "../syntax/xml.ts";
import { fieldFacts, isEmptyValue, namedFields, valueAtPath } from "./format-conditions.ts";
import { type FieldModel, type FormatModel, type ValueModel, type WordModel, isPlacedAt } from "./format-model.ts";
import { OWN } from "./lift-described.ts";
import { HANDOFF_PLACE, entryShape, getMapped, mappedPlace } from "./mapped-path.ts";

/** What writing a handoff needs to know beside the handoff. */
interface Lowering {
  readonly handoff: Handoff;
  readonly format: FormatModel;
  readonly words: Readonly<Record<Outcome, string>>;
  readonly filling: Filling;
}

/** Writes a handoff in a described format. A value that would not be accepted is left out: reading back reports it. */
export function lowerDescribed(
  handoff: Handoff,
  format: FormatModel,
  shape: RecordShape,
  words: Readonly<Record<Outcome, string>>,
  filling: Filling,
): JsonRecord {
  const lowering: Lowering = { handoff, format, words, filling };
  const content: JsonRecord = { ...handoff };
  const lowered = lowerRecord(format.fields, shape, content, HANDOFF_PLACE.shape, lowering, "");
  const document = inOrder(withExtensions(lowered, handoff, format.name), format.fields);
  fillConditional(document, lowering);
  return document;
}

/** The fields in the order of the format, and then what it does not name. */
function inOrder(record: JsonRecord, fields: readonly FieldModel[]): JsonRecord {
  const ordered: JsonRecord = {};
  for (const { name, value } of fields) {
    const inner = ownValue(record, name);
    if (inner !== undefined)
      ordered[name] = value.type === "record" && isRecord(inner) ? inOrder(inner, value.fields) : inner;
  }
  return { ...ordered, ...without(record, ordered) };
}

function without(record: JsonRecord, known: JsonRecord): JsonRecord {
  return Object.fromEntries(Object.entries(record).filter(([key]) => !Object.hasOwn(known, key)));
}

function lowerRecord(
  fields: readonly FieldModel[],
  shape: RecordShape,
  source: JsonRecord,
  place: Shape | null,
  lowering: Lowering,
  before: string,
): JsonRecord {
  const document: JsonRecord = {};
  for (const field of fields) {
    const described = shape.fields[field.name];
    if (described === undefined) continue;
    const path = `${before}${field.name}`;
    const lowered = lowerField(field, described, source, place, lowering, path);
    const value = lowered === undefined ? filled(field, path, lowering) : lowered;
    if (value !== undefined) document[field.name] = value;
  }
  return document;
}

function lowerField(
  field: FieldModel,
  described: Field,
  source: JsonRecord,
  around: Shape | null,
  lowering: Lowering,
  path: string,
): JsonValue | undefined {
  const { value: model, is } = field;
  const inner = described.shape.kind === "nullable" ? described.shape.of : described.shape;
  if (is === null) {
    if (model.type !== "record" || inner.kind !== "record") return undefined;
    return unlessEmpty(lowerRecord(model.fields, inner, source, around, lowering, `${path}.`), field);
  }
  const place = mappedPlace(is, around);
  const value = getMapped(source, place.path);
  if (model.type === "record" && place.shape?.kind === "record") {
    if (!isRecord(value) || inner.kind !== "record") return undefined;
    return unlessEmpty(lowerRecord(model.fields, inner, value, place.shape, lowering, `${path}.`), field);
  }
  if (value === undefined) return undefined;
  return accepted(lowerValue(field, described, value, place.shape, lowering), described);
}

/** A record that nothing was written into is left out, unless it must be there. */
function unlessEmpty(record: JsonRecord, { required }: FieldModel): JsonRecord | undefined {
  return Object.keys(record).length === 0 && !required ? undefined : record;
}

function accepted(value: JsonValue | undefined, field: Field): JsonValue | undefined {
  return value !== undefined && isAccepted(value, field) ? value : undefined;
}

function isAccepted(value: JsonValue, field: Field): boolean {
  const check = new DocumentCheck(DEFAULT_LIMITS);
  checkField(value, field, check);
  return check.findings.length === 0;
}

function lowerValue(
  field: FieldModel,
  described: Field,
  value: JsonValue,
  shape: Shape | null,
  lowering: Lowering,
): JsonValue | undefined {
  const { value: model } = field;
  if (isPlacedAt(field, "outcome")) return lowerOutcome(model, lowering);
  if (model.type === "list")
    return Array.isArray(value) ? lowerList(model.item, described, value, shape, lowering) : undefined;
  const isEntry = shape?.kind === "list" && Array.isArray(value);
  const lowered = lowerSingle(model, isEntry ? value[0] : value, lowering);
  if (lowered === null) return field.nullable ? null : undefined;
  return lowering.format.syntax === "xml" && typeof lowered !== "object" && lowered !== undefined
    ? String(lowered)
    : lowered;
}

/** The own word where it says the same, else the one for the outcome. */
function lowerOutcome(model: ValueModel, { handoff, format, words }: Lowering): JsonValue {
  const known = model.type === "text" || model.type === "boolean" ? (model.words ?? []) : [];
  const own =
    handoff.dialect === format.name
      ? known.find(({ word, means }) => word === handoff.status && means === handoff.outcome)
      : undefined;
  const word = own?.word ?? words[handoff.outcome];
  return model.type === "boolean" && format.syntax !== "xml" ? word === "true" : word;
}

function lowerSingle(model: ValueModel, value: JsonValue | undefined, { filling }: Lowering): JsonValue | undefined {
  if (value === undefined) return undefined;
  switch (model.type) {
    case "text":
      return lowerText(model, value, filling.agents);
    case "boolean":
      return lowerTruth(model.words, value);
    case "number":
      return typeof value === "string" ? (numberAsWritten(value) ?? undefined) : value;
    case "anything":
    case "map":
    case "record":
    case "list":
      return value;
  }
}

function lowerTruth(words: readonly WordModel[] | null, value: JsonValue): boolean | undefined {
  if (words === null) return typeof value === "boolean" ? value : undefined;
  const word = words.find(({ means }) => means === value)?.word;
  return word === undefined ? undefined : word === "true";
}

type TextModel = Extract<ValueModel, { type: "text" }>;

function lowerText(model: TextModel, value: JsonValue, agents: readonly string[] = []): JsonValue | undefined {
  if (value === null) return model.none;
  if (model.words !== null) return model.words.find(({ means }) => means === value)?.word;
  if (typeof value === "number") return String(value);
  return typeof value === "string" ? asFormatted(value, model.format, agents) : undefined;
}

/** Names of agents are written as the format writes names. */
function asFormatted(value: string, format: TextFormat | null, agents: readonly string[]): string {
  if (format?.agentMark === "@") return withMark(value);
  const isRight = format === null || format.agentMark === undefined || agents.includes(value) || format.accepts(value);
  return isRight ? value : kebabCase(value);
}

function withMark(name: string): string {
  return name.startsWith("@") ? name : `@${name}`;
}

/** Entries that would not be accepted are left out. */
function lowerList(
  item: FieldModel,
  described: Field,
  list: readonly JsonValue[],
  shape: Shape | null,
  lowering: Lowering,
): JsonValue[] {
  const inner = described.shape.kind === "nullable" ? described.shape.of : described.shape;
  const field: Field = { ...described, shape: inner.kind === "list" ? inner.item : inner };
  const entry = entryShape(shape);
  return list.flatMap((value) => {
    const lowered =
      entry === null ? value : isRecord(value) ? lowerEntry(item, field, value, entry, lowering) : undefined;
    return lowered !== undefined && isAccepted(lowered, field) ? [lowered] : [];
  });
}

function lowerEntry(
  item: FieldModel,
  field: Field,
  value: JsonRecord,
  entry: RecordShape,
  lowering: Lowering,
): JsonValue | undefined {
  if (item.is !== null) return lowerField(item, field, value, entry, lowering, "");
  const shape = field.shape;
  if (item.value.type !== "record" || shape.kind !== "record") return undefined;
  const lowered = lowerRecord(item.value.fields, shape, value, entry, { ...lowering, filling: NO_FILLING }, "");
  for (const [key, rest] of Object.entries(value)) {
    const own = key.startsWith(OWN) ? key.slice(OWN.length) : Object.hasOwn(entry.fields, key) ? null : key;
    if (own !== null && rest !== undefined && ownValue(lowered, own) === undefined && isWritable(own, rest, lowering))
      lowered[own] = rest;
  }
  return lowered;
}

const NO_FILLING: Filling = { filledIn: () => undefined };

/** Whether an unknown key can be written and read back. */
function isWritable(key: string, value: JsonValue, { format }: Lowering): boolean {
  if (format.syntax !== "xml") return true;
  if (key === "#text") return typeof value === "string";
  if (key.startsWith("@")) return typeof value === "string" && isXmlName(key.slice(1));
  return isXmlName(key) && ((isRecord(value) && typeof value["#xml"] === "string") || typeof value === "string");
}

/** A value for a required field that the handoff has nothing for; undefined when nothing can be said. */
function filled(field: FieldModel, path: string, { filling, handoff, format }: Lowering): JsonValue | undefined {
  // What the handoff kept of this format comes back; see withExtensions.
  if (!field.required || valueAtPath(extensionsOf(handoff, format), path) !== undefined) return undefined;
  const given = fillValue(field, filling);
  if (given === undefined) return undefined;
  filling.filledIn(path, given, "the format demands it, and the source has nothing for it");
  return given;
}

function extensionsOf(handoff: Handoff, { name }: FormatModel): JsonRecord {
  const own = handoff.extensions?.[name];
  return isRecord(own) ? own : {};
}

function fillValue({ fill, is, value }: FieldModel, filling: Filling): JsonValue | undefined {
  if (fill !== undefined) return fill;
  if (value.type === "list") return value.minimum === 0 ? [] : undefined;
  if (value.type !== "text") return undefined;
  const { from = UNKNOWN_AGENT, to, now, issue } = filling;
  const name = (agent: string): string => (value.format?.agentMark === "@" ? withMark(agent) : agent);
  const known = new Map<string, string | null | undefined>([
    ["from", name(from)],
    ["to", to === undefined ? value.none : name(to)],
    ["at", now],
    ["issue.number", issue],
  ]);
  return known.get(is?.join(".") ?? "") ?? undefined;
}

/** Fields that a condition demands in this document. */
function fillConditional(document: JsonRecord, { format, filling }: Lowering): void {
  const named = namedFields(format.fields);
  const facts = fieldFacts(document, named);
  for (const [path, { requiredWhen, fill }] of named) {
    if (requiredWhen === null || fill === undefined || judgeCondition(requiredWhen, facts) !== true) continue;
    const steps = path.split(".");
    const key = steps.pop() ?? "";
    let record: JsonValue | undefined = document;
    for (const step of steps) record = isRecord(record) ? ownValue(record, step) : undefined;
    if (!isRecord(record) || !isEmptyValue(ownValue(record, key))) continue;
    record[key] = fill;
    filling.filledIn(path, fill, "the format demands it here, and the source has nothing for it");
  }
}
