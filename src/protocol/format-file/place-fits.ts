import { nearestWord } from "../../shared/nearest-word.ts";
import { OUTCOMES } from "../handoff-words.ts";
import type { Shape } from "../shape.ts";
import { type CanonicalPlace, describePlace } from "./canonical-place.ts";
import type { FieldModel, ValueModel, WordModel } from "./format-model.ts";

/** Where the places of the fields of a record begin; null when it is moved as a whole. */
export function childrenPlace({ shape }: CanonicalPlace): CanonicalPlace | null {
  return shape?.kind === "record" ? { steps: [], shape, isNullable: false } : null;
}

/** Where the places of an entry begin; null when the list is moved as a whole. */
export function itemPlace({ shape }: CanonicalPlace): CanonicalPlace | null {
  return shape?.kind === "list" ? { steps: [], shape: shape.item, isNullable: false } : null;
}

interface Misfit {
  readonly message: string;
  readonly hint: string;
}

type PlacedField = Pick<FieldModel, "name" | "value">;

/** Why a field cannot stand at its place of the canonical handoff; null when it can. */
export function misfit({ name, value }: PlacedField, place: CanonicalPlace): Misfit | null {
  if (isOutcome(place)) return misfitOutcome(name, value);
  if (place.steps.join(".") === "at" && !isTimestamp(value)) {
    const hint = "Give it `format: timestamp`; leave `is` out of a date or another form: it is then kept as it is.";
    return { message: `\`at\` takes a timestamp; \`${name}\` may be another text.`, hint };
  }
  const ambiguous = ambiguousWords(value);
  if (ambiguous !== null) return ambiguous;
  const known = wordsOfPlace(place);
  const foreign = known === null ? null : foreignWords(name, value, place, known);
  if (foreign !== null) return foreign;
  if (place.shape === null || fits(value, place.shape)) return null;
  const message = `\`${place.steps.join(".")}\` takes ${describePlace(place)}; \`${name}\` is ${describeValue(value)}.`;
  return { message, hint: hintFor(value, place.shape) };
}

function isOutcome({ steps, shape }: CanonicalPlace): boolean {
  return steps.length === 1 && steps[0] === "outcome" && shape?.kind === "text" && shape.oneOf !== undefined;
}

/** The words of a place that takes no others. */
function wordsOfPlace({ shape }: CanonicalPlace): readonly string[] | null {
  return shape?.kind === "text" ? (shape.words ?? null) : null;
}

/** A value at such a place: a word that means none of them would count for nothing, such as a severity that never blocks. */
function foreignWords(
  name: string,
  value: ValueModel,
  { steps }: CanonicalPlace,
  known: readonly string[],
): Misfit | null {
  const place = steps.join(".");
  const listed = `Words of \`${place}\` are ${known.join(", ")}: say of each word which it means, such as words: { blocker: ${known[0] ?? ""} }.`;
  if (value.type === "number")
    return { message: `\`${place}\` takes a text of certain words; \`${name}\` is a number.`, hint: listed };
  if (value.type === "text" && value.words === null && value.format !== null)
    return { message: `\`${place}\` takes certain words; the form of \`${name}\` allows others.`, hint: listed };
  const words = value.type === "text" || value.type === "boolean" ? (value.words ?? []) : [];
  const wrong = words.find(({ means }) => typeof means !== "string" || !known.includes(means));
  if (wrong === undefined) return null;
  const means = String(wrong.means);
  const said = wrong.word === means ? wrong.word : `${wrong.word}: ${means}`;
  const near = nearestWord(means, known);
  return {
    message: `\`${said}\` names none of the words of \`${place}\`.`,
    hint: near === null ? listed : `Did you mean ${near}? ${listed}`,
  };
}

/** A text without words of its own takes the words of its place, and no others. */
export function withWordsOf(value: ValueModel, place: CanonicalPlace): ValueModel {
  const known = wordsOfPlace(place);
  if (value.type !== "text" || value.words !== null || known === null) return value;
  return { ...value, words: known.map((word) => ({ word, means: word })) };
}

/** Other formats write it as it is, so it must be one. */
function isTimestamp(value: ValueModel): boolean {
  return value.type === "text" && ["timestamp", "utc-timestamp"].includes(value.format?.name ?? "");
}

function misfitOutcome(name: string, value: ValueModel): Misfit | null {
  const words = value.type === "text" || value.type === "boolean" ? value.words : null;
  const hint = `Write words: { done: done, stuck: blocked }; outcomes are ${OUTCOMES.join(", ")}.`;
  if (words === null) return { message: `\`${name}\` is the outcome, so each of its words says which.`, hint };
  const wrong = words.find(({ means }) => !OUTCOMES.some((outcome) => outcome === means));
  return wrong === undefined ? null : { message: `\`${wrong.word}: ${wrong.means}\` names no outcome.`, hint };
}

/** Of several words with one meaning only one could be written back. */
function ambiguousWords(value: ValueModel): Misfit | null {
  const words = value.type === "text" || value.type === "boolean" ? (value.words ?? []) : [];
  const seen = new Map<WordModel["means"], string>();
  for (const { word, means } of words) {
    const other = seen.get(means);
    if (other !== undefined) {
      const message = `\`${other}\` and \`${word}\` both mean \`${means}\`: which of them would be written is not known.`;
      return { message, hint: "Give each word a meaning of its own, or leave `is` out." };
    }
    seen.set(means, word);
  }
  return null;
}

function fits(value: ValueModel, shape: Shape): boolean {
  switch (value.type) {
    case "text":
      return fitsText(value.words, shape);
    case "number":
      return shape.kind === "number" || shape.kind === "text";
    case "boolean":
      return value.words === null ? shape.kind === "boolean" : fitsText(value.words, shape);
    case "list":
      return shape.kind === "list" && fitsItem(value.item, shape.item);
    case "record":
      return shape.kind === "record" || shape.kind === "map";
    case "map":
      return shape.kind === "map";
    case "anything":
      return false;
  }
}

/** A text is also the only entry of a list of texts. */
function fitsText(words: readonly WordModel[] | null, shape: Shape): boolean {
  if (words !== null && words.some(({ means }) => typeof means === "boolean"))
    return shape.kind === "boolean" && words.every(({ means }) => typeof means === "boolean");
  return shape.kind === "text" || (shape.kind === "list" && shape.item.kind === "text");
}

function fitsItem(item: FieldModel, shape: Shape): boolean {
  if (shape.kind !== "record") return item.value.type === "text" && item.is === null;
  return item.value.type === "record" || item.is !== null;
}

function describeValue(value: ValueModel): string {
  switch (value.type) {
    case "text":
      return "a text";
    case "number":
      return "a number";
    case "boolean":
      return "true or false";
    case "list":
      return value.item.value.type === "record" ? "a list of records" : "a list of plain values";
    case "record":
      return "a record";
    case "map":
      return "a record of any keys";
    case "anything":
      return "anything";
  }
}

function hintFor(value: ValueModel, shape: Shape): string {
  if (value.type === "list" && shape.kind === "list" && shape.item.kind === "record")
    return `Say what each entry is, for example: item: { type: text, is: ${Object.keys(shape.item.fields)[0] ?? ""} }`;
  if (shape.kind === "list" && shape.item.kind === "record")
    return `Name a field of its entries, for example: ${Object.keys(shape.item.fields)[0] ?? ""} behind a dot.`;
  if (shape.kind === "record") return "Name one of its fields behind a dot, or describe the value as a record.";
  return "Choose another place, or leave `is` out: the field is then kept as it is.";
}
