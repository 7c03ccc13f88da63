import type { TextFormat } from "../format.ts";
import type { SyntaxName } from "../dialect.ts";
import type { Field, RecordShape, Shape } from "../shape.ts";
import { numberInText } from "./number-in-text.ts";
import { sameOutcome } from "../same-outcome.ts";
import { type FieldModel, type FormatModel, type ValueModel, type WordModel, isPlacedAt } from "./format-model.ts";

type Described = Pick<FormatModel, "name" | "syntax" | "fields" | "stands" | "closed">;

/** The shape that documents of a format are checked by. Rules are called by the field: `relay-note/result.state`. */
export function shapeOfFormat({ name, syntax, fields, stands, closed }: Described): RecordShape {
  const inner = fieldsOf(fields, { syntax, prefix: `${name}/` });
  if (syntax !== "xml") return { kind: "record", fields: inner, ...(closed && { isClosed: true }) };
  const root = {
    shape: { kind: "text", oneOf: [stands.element ?? ""] },
    rule: `${name}/root`,
    about: "The root element.",
  } as const;
  const carried = {
    shape: { kind: "text", verbatim: true },
    rule: `${name}/root`,
    about: "Content of another format that has no element here, as JSON; written by conversions.",
  } as const;
  return {
    kind: "record",
    fields: { "#root": { ...root, required: false }, ...inner, carried: { ...carried, required: false } },
    ...(closed && { isClosed: true }),
  };
}

interface Place {
  readonly syntax: SyntaxName;
  /** What the ids of rules begin with here. */
  readonly prefix: string;
}

function fieldsOf(fields: readonly FieldModel[], place: Place): Record<string, Field> {
  return Object.fromEntries(fields.map((field) => [field.name, shapeOfField(field, place)]));
}

/** What the value of one field is checked by. */
export function shapeOfField(field: FieldModel, { syntax, prefix }: Place): Field {
  const rule = ruleOf(field, prefix);
  const shape = withSynonyms(shapeOf(field.value, { syntax, prefix: `${rule}.` }), field);
  return {
    // XML has no null.
    shape: field.nullable && syntax !== "xml" ? { kind: "nullable", of: shape } : shape,
    required: field.required,
    rule,
    about: describeField(field),
    ...(field.default !== undefined && { default: field.default }),
  };
}

/** Of the outcome: a word that is not the format's, but can only mean the one word that it has for this. */
function withSynonyms(shape: Shape, field: FieldModel): Shape {
  const { value } = field;
  if (shape.kind !== "text" || value.type !== "text" || value.words === null || !isPlacedAt(field, "outcome"))
    return shape;
  const only = (outcome: string): string | undefined => {
    const [word, ...others] = (value.words ?? []).filter(({ means }) => means === outcome);
    return others.length === 0 ? word?.word : undefined;
  };
  const [done, failed] = [only("done"), only("failed")];
  const plain = { ...(done !== undefined && { done }), ...(failed !== undefined && { failed }) };
  return { ...shape, synonym: (word) => sameOutcome(word, plain) };
}

function ruleOf({ name }: FieldModel, prefix: string): string {
  return `${prefix}${name}`;
}

/** The sentence of its author, and what of its form cannot be seen in an example. */
export function describeField({ name, about, value, requiredText }: FieldModel): string {
  const sentence = about === "" ? `The field \`${name}\`.` : about;
  const needed = requiredText === null ? "" : ` Required when \`${requiredText}\`.`;
  return `${sentence}${describeForm(value)}${needed}`;
}

function describeForm(value: ValueModel): string {
  if (value.type === "boolean" && value.words !== null) return ` ${describeWords(value.words)}`;
  if (value.type !== "text") return "";
  const { words, format, none } = value;
  const or = none === null ? "" : ` Or \`${none}\`, when there is none.`;
  if (words !== null) return ` ${describeWords(words)}${or}`;
  return format === null ? or : ` It is ${format.description}.${or}`;
}

/** With what each word means, where that is another word. */
function describeWords(words: readonly WordModel[]): string {
  const told = words.map(({ word, means }) => (word === means ? `\`${word}\`` : `\`${word}\` (${String(means)})`));
  return `One of ${told.join(", ")}.`;
}

function shapeOf(value: ValueModel, place: Place): Shape {
  switch (value.type) {
    case "text":
      return textShape(value);
    case "number":
      return place.syntax === "xml" ? { kind: "text", format: numberText(value) } : numberShape(value);
    case "boolean":
      return place.syntax === "xml" ? { kind: "text", oneOf: TRUTH_VALUES } : { kind: "boolean" };
    case "list":
      return listShape(value, place);
    case "record":
      return { kind: "record", fields: fieldsOf(value.fields, place), ...(value.closed && { isClosed: true }) };
    case "map":
      return { kind: "map", values: { kind: "anything" } };
    case "anything":
      return { kind: "anything" };
  }
}

/** As words: the hint then says what each of them means. */
const TRUTH_VALUES = ["true", "false"] as const;

/** The fields of an entry belong to the list: `changes.file`. */
function listShape({ item, minimum, element }: Extract<ValueModel, { type: "list" }>, place: Place): Shape {
  const { shape } = shapeOfField({ ...item, name: "" }, { ...place, prefix: place.prefix.slice(0, -1) });
  return { kind: "list", item: shape, ...(minimum > 0 && { minimum }), ...(element !== null && { element }) };
}

function textShape({ words, format, none, maxLength, mayBeEmpty }: Extract<ValueModel, { type: "text" }>): Shape {
  if (words !== null)
    return { kind: "text", oneOf: [...words.map(({ word }) => word), ...(none === null ? [] : [none])] };
  if (format !== null) return { kind: "text", format: none === null ? format : orNone(format, none) };
  return { kind: "text", ...(!mayBeEmpty && { filled: true }), ...(maxLength !== null && { maxLength }) };
}

/** A text of a form, or the word that means that there is none. */
function orNone(format: TextFormat, none: string): TextFormat {
  return {
    ...format,
    name: `${format.name}-or-none`,
    description: `${format.description}, or "${none}"`,
    pattern: `(?:${format.pattern})|^${none.replaceAll(/[.*+?^${}()|[\]\\/-]/g, "\\$&")}$`,
    accepts: (text) => text === none || format.accepts(text),
  };
}

type NumberModel = Extract<ValueModel, { type: "number" }>;

function numberShape({ integer, minimum, maximum }: NumberModel): Shape {
  return {
    kind: "number",
    ...(integer && { integer }),
    ...(minimum !== null && { minimum }),
    ...(maximum !== null && { maximum }),
  };
}

/** XML has numbers as texts. */
function numberText({ integer, minimum, maximum }: NumberModel): TextFormat {
  const bounds = [minimum === null ? "" : ` from ${minimum}`, maximum === null ? "" : ` up to ${maximum}`].join("");
  return {
    name: "number-text",
    description: `${integer ? "a whole number" : "a number"}${bounds}`,
    pattern: integer ? "^-?\\d{1,15}$" : "^-?\\d{1,15}(?:\\.\\d{1,15})?(?:[eE][+-]?\\d{1,3})?$",
    example: String(minimum ?? 1),
    neverTemplate: true,
    accepts: (text) => {
      const value = numberInText(text, integer);
      if (value === null) return false;
      return value >= (minimum ?? -Infinity) && value <= (maximum ?? Infinity);
    },
  };
}
