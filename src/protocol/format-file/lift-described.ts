import { type JsonRecord, type JsonValue, isRecord, shown } from "../../shared/json-value.ts";
import { extended } from "../dialects/lift-and-lower.ts";
import { type Handoff, type Outcome, withParts } from "../handoff.ts";
import { OUTCOMES } from "../handoff-words.ts";
import type { Shape } from "../shape.ts";
import { type FieldModel, type FormatModel, type ValueModel, type WordModel, isPlacedAt } from "./format-model.ts";
import { outcomeField } from "./format-conditions.ts";
import { numberInText, spellingInTexts } from "./number-in-text.ts";
import { HANDOFF_PLACE, type MappedPlace, entryShape, mappedPlace, setMapped } from "./mapped-path.ts";

/** Lifts documents of a described format. What has no place, or does not fit it, is kept as it is. */
export function liftDescribed({ name, syntax, fields, outcome }: FormatModel, document: JsonRecord): Handoff {
  const lifted: JsonRecord = {};
  const { "#root": _root, ...content } = document;
  const kept = liftRecord(content, fields, HANDOFF_PLACE.shape, lifted);
  const stated = outcomeField(fields);
  if (outcomeOf(lifted["outcome"]) === null && stated?.default !== undefined)
    liftField(stated, stated.default, HANDOFF_PLACE.shape, lifted);
  const { outcome: word, ...rest } = lifted;
  const found = outcomeOf(word) ?? outcome ?? "failed";
  const parts = Object.entries(rest).filter((part): part is [string, JsonValue] => part[1] !== undefined);
  const handoff = extended(withParts({ dialect: name, outcome: found }, new Map(parts)), kept);
  const spelling = syntax === "xml" ? spellingInTexts(content, fields) : null;
  return spelling === null ? handoff : { ...handoff, spelling: { [name]: { ...spelling } } };
}

function outcomeOf(word: JsonValue | undefined): Outcome | null {
  return OUTCOMES.find((outcome) => outcome === word) ?? null;
}

/** Moves what has a place into `target`, and gives what is left. */
function liftRecord(
  record: JsonRecord,
  fields: readonly FieldModel[],
  shape: Shape | null,
  target: JsonRecord,
): JsonRecord | undefined {
  let left: JsonRecord | undefined;
  for (const key of Object.keys(record)) {
    const value = record[key];
    const field = fields.find(({ name }) => name === key);
    const rest = field === undefined || value === undefined ? value : liftField(field, value, shape, target);
    if (rest !== undefined) (left ??= {})[key] = rest;
  }
  for (const field of fields)
    if (field.default !== undefined && record[field.name] === undefined) liftField(field, field.default, shape, target);
  return left;
}

function liftField(
  field: FieldModel,
  value: JsonValue,
  shape: Shape | null,
  target: JsonRecord,
): JsonValue | undefined {
  const place = field.is === null ? null : mappedPlace(field.is, shape);
  if (field.value.type === "record" && isRecord(value) && (place === null || place.shape?.kind === "record"))
    return liftGroup(field.value.fields, value, place ?? { path: [], shape }, target);
  const lifted = place === null ? undefined : liftValue(field, value, place.shape);
  if (place === null || lifted === undefined) return value;
  setMapped(target, place.path, lifted);
  if (isPlacedAt(field, "outcome")) target["status"] = shown(value);
  return undefined;
}

/** A record that only groups fields, or has the same fields at a place of its own. */
function liftGroup(
  fields: readonly FieldModel[],
  value: JsonRecord,
  { path, shape }: MappedPlace,
  target: JsonRecord,
): JsonValue | undefined {
  if (Object.keys(value).length === 0) return value;
  if (path.length === 0) return liftRecord(value, fields, shape, target);
  const record: JsonRecord = {};
  const left = liftRecord(value, fields, shape, record);
  if (Object.keys(record).length > 0) setMapped(target, path, record);
  return left;
}

/** The value as the canonical handoff has it; undefined when it cannot be told so. */
function liftValue(field: FieldModel, value: JsonValue, shape: Shape | null): JsonValue | undefined {
  if (field.value.type === "list" && Array.isArray(value)) return liftList(field.value.item, value, shape);
  if (value === null) return isPlacedAt(field, "to") ? null : undefined;
  if (typeof value === "object") return value;
  const single = liftSingle(field.value, value);
  return single === undefined || single === null ? single : fitted(single, shape);
}

/** A number is a text where the canonical handoff has one, and a single value an entry where it has a list. */
function fitted(value: string | number | boolean, shape: Shape | null): JsonValue {
  const isList = shape?.kind === "list";
  const inner = isList ? shape.item : shape;
  const fitting = inner?.kind === "text" && typeof value === "number" ? String(value) : value;
  return isList ? [fitting] : fitting;
}

function liftSingle(model: ValueModel, value: string | number | boolean): string | number | boolean | null | undefined {
  switch (model.type) {
    case "text":
      return typeof value === "string" ? liftText(model, value) : value;
    case "boolean":
      return liftTruth(model.words, value === true || value === "true");
    case "number":
      return typeof value === "string" ? (numberInText(value, model.integer) ?? undefined) : value;
    case "anything":
    case "list":
    case "record":
    case "map":
      return value;
  }
}

function liftTruth(words: readonly WordModel[] | null, value: boolean): string | boolean | undefined {
  return words === null ? value : words.find(({ word }) => word === String(value))?.means;
}

function liftText(model: Extract<ValueModel, { type: "text" }>, value: string): string | boolean | null | undefined {
  if (value === model.none) return null;
  if (model.words !== null) return model.words.find(({ word }) => word === value)?.means;
  return model.format?.agentMark === "@" && value.startsWith("@") && value.length > 1 ? value.slice(1) : value;
}

function liftList(item: FieldModel, list: readonly JsonValue[], shape: Shape | null): JsonValue | undefined {
  const entry = entryShape(shape);
  if (entry === null) return [...list];
  const entries = list.map((value): JsonValue | undefined => {
    const target: JsonRecord = {};
    if (item.is !== null || !isRecord(value))
      return liftField(item, value, entry, target) === undefined ? target : undefined;
    const { fields } = item.value as Extract<ValueModel, { type: "record" }>;
    const left = liftRecord(value, fields, entry, target) ?? {};
    for (const [key, rest] of Object.entries(left))
      if (rest !== undefined) target[Object.hasOwn(entry.fields, key) ? `${OWN}${key}` : key] = rest;
    return target;
  });
  return entries.every((value): value is JsonValue => value !== undefined) ? entries : undefined;
}

/** Marks a key of an entry that the canonical handoff uses for something else. */
export const OWN = "own:";
