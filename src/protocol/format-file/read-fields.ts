import { type JsonPath, type JsonRecord, type JsonValue, isRecord, ownValue, shown } from "../../shared/json-value.ts";
import { nearestWord } from "../../shared/nearest-word.ts";
import type { SyntaxName } from "../dialect.ts";
import { type Problems, clipText, unknownKey } from "../file-problems.ts";
import { isForbidden } from "../limits.ts";
import { type CanonicalPlace, CANONICAL_ROOT, placeAt } from "./canonical-place.ts";
import { FIELD_KEYS, FIELD_TYPES, FORMAT_LIMITS, type FieldType, KEYS_OF_TYPE } from "./field-keys.ts";
import type { FieldModel, ValueModel } from "./format-model.ts";
import { childrenPlace, itemPlace, misfit, withWordsOf } from "./place-fits.ts";
import { numberAt, sentenceAt, truthAt } from "./plain-values.ts";
import { readText, readTruth } from "./read-words.ts";

/** What the readers of one format file share. */
export interface FieldContext {
  readonly problems: Problems;
  readonly syntax: SyntaxName;
  /** Which field each place of the canonical handoff was given to. */
  readonly taken: Map<string, JsonPath>;
  fields: number;
  /** Conditions are read when all fields are known. */
  readonly conditions: { readonly text: string; readonly at: JsonPath }[];
}

/** Where the places of fields begin: the root, a record, or the entry of a list. Null where a field can have none. */
interface Base {
  readonly place: CanonicalPlace;
  /** The place from the root, for comparison. */
  readonly key: string;
}

const ROOT: Base = { place: CANONICAL_ROOT, key: "" };

/** The fields of the whole document. */
export function readRootFields(value: JsonValue | undefined, at: JsonPath, context: FieldContext): FieldModel[] {
  return readFields(value, at, context, ROOT, 1);
}

function readFields(
  value: JsonValue | undefined,
  at: JsonPath,
  context: FieldContext,
  base: Base | null,
  depth: number,
): FieldModel[] {
  const { problems } = context;
  if (!isRecord(value) || Object.keys(value).length === 0) {
    problems.add({ code: "wrong-type", path: at, message: "`fields` names each field of the handoff.", hint: EXAMPLE });
    return [];
  }
  if (depth > FORMAT_LIMITS.nesting) {
    const message = `Fields are nested more than ${FORMAT_LIMITS.nesting} levels deep.`;
    problems.add({ code: "too-deep", path: at, message, hint: "Describe the inner part as `type: anything`." });
    return [];
  }
  return Object.keys(value).flatMap((name): FieldModel[] => {
    const place = [...at, name];
    if (++context.fields > FORMAT_LIMITS.fields) {
      if (context.fields === FORMAT_LIMITS.fields + 1) tooMany(place, problems);
      return [];
    }
    return checkName(name, place, context) ? [readField(name, ownValue(value, name), place, context, base, depth)] : [];
  });
}

const EXAMPLE = "For example: author: { type: text, required: true, is: from, about: The agent that writes this. }";

function tooMany(path: JsonPath, problems: Problems): void {
  const message = `A format may have ${FORMAT_LIMITS.fields} fields.`;
  problems.add({ code: "too-many-nodes", path, message, hint: "Describe inner parts as `type: anything`." });
}

const NAME = /^[\p{L}\p{N}_$][\p{L}\p{N}\p{M}_$ -]{0,63}$/u;
const XML_NAME = /^(?:@?[A-Za-z_][\w-]{0,62}|#text)$/;

function checkName(name: string, path: JsonPath, { syntax, problems }: FieldContext): boolean {
  if (isForbidden(name)) {
    const message = `The key \`${name}\` is refused: it can change how programs treat the whole record.`;
    problems.add({ code: "forbidden-key", path, atKey: true, message, hint: "Rename the field." });
    return false;
  }
  if (name === "carried") {
    const message = "`carried` is where conversions keep what the format has no field for.";
    problems.add({ code: "reserved-name", path, atKey: true, message, hint: "Rename the field." });
    return false;
  }
  if ((syntax === "xml" ? XML_NAME : NAME).test(name)) return true;
  const rule = "letters, digits, `_`, `-` and `$`, and at most 64 of them";
  const hint = syntax === "xml" ? `An element is written \`name\`, an attribute \`"@name"\`: ${rule}.` : `Use ${rule}.`;
  const message = `\`${clipText(name)}\` cannot be the name of a field.`;
  problems.add({ code: "bad-format", path, atKey: true, message, hint });
  return false;
}

/** A field that is only a word has that type and nothing else. */
function readField(
  name: string,
  value: JsonValue | undefined,
  at: JsonPath,
  context: FieldContext,
  base: Base | null,
  depth: number,
): FieldModel {
  const { problems } = context;
  const record = isRecord(value) ? value : typeof value === "string" ? { type: value } : {};
  if (!isRecord(value) && typeof value !== "string")
    problems.add({ code: "wrong-type", path: at, message: `\`${clipText(name)}\` is no field.`, hint: EXAMPLE });
  const type = typeOf(record, at, problems);
  const known = [...FIELD_KEYS, ...KEYS_OF_TYPE[type]];
  for (const key of Object.keys(record)) if (!known.includes(key)) unknownKey(key, known, at, problems);
  const is = readPlace(record["is"], [...at, "is"], context, base);
  const inner = readValue(type, record, at, context, { own: is, above: base }, depth);
  const field = { name, at, value: inner, ...readNotes(record, at, context) };
  if (is === null) return { ...field, is: null };
  const problem = misfit(field, is.place);
  if (problem !== null) problems.add({ code: "inconsistent", path: [...at, "is"], ...problem });
  else if (isWhole(inner, is.place)) take(is.key, [...at, "is"], context);
  return { ...field, value: withWordsOf(inner, is.place), is: is.place.steps };
}

/** Whether the value is moved as one, rather than field by field. */
function isWhole(value: ValueModel, { shape }: CanonicalPlace): boolean {
  if (value.type === "record") return shape?.kind !== "record";
  return true;
}

function typeOf(record: JsonRecord, at: JsonPath, problems: Problems): FieldType {
  const given = record["type"];
  const found = FIELD_TYPES.find((type) => type === given);
  if (found !== undefined) return found;
  if (given !== undefined) {
    const meant = typeof given === "string" ? nearestWord(given, FIELD_TYPES) : null;
    const hint = meant === null ? `Types are ${FIELD_TYPES.join(", ")}.` : `Did you mean ${meant}?`;
    const path = typeof record["type"] === "string" ? [...at, "type"] : at;
    problems.add({ code: "not-allowed", path, message: `\`${clipText(shown(given))}\` is no type.`, hint });
  }
  if (record["fields"] !== undefined) return "record";
  return record["item"] === undefined ? "text" : "list";
}

function readPlace(
  value: JsonValue | undefined,
  path: JsonPath,
  context: FieldContext,
  base: Base | null,
): Base | null {
  const { problems } = context;
  if (value === undefined) return null;
  if (typeof value !== "string") {
    problems.add({
      code: "wrong-type",
      path,
      message: "`is` names a place of the canonical handoff.",
      hint: "For example: is: summary",
    });
    return null;
  }
  if (base === null) {
    const message = "`is` leads nowhere: the field around it is kept as it is, or has no place.";
    problems.add({
      code: "inconsistent",
      path,
      message,
      hint: "Give the list around it a place (`is`), or leave this one out.",
    });
    return null;
  }
  const { place, problem } = placeAt(value, base.place);
  if (problem !== null) problems.add({ code: "unknown-name", path, ...problem });
  return place === null ? null : { place, key: base.key === "" ? value : `${base.key}.${value}` };
}

/** Two fields cannot have one place: one of them would be lost on the way back. */
function take(key: string, path: JsonPath, { taken, problems }: FieldContext): void {
  for (const [other, at] of taken) {
    if (other !== key && !other.startsWith(`${key}.`) && !key.startsWith(`${other}.`)) continue;
    const field = at.filter((step) => !["fields", "item", "is", "mapping"].includes(String(step))).join(".");
    const message = `\`${key}\` is already the place of \`${clipText(field)}\`: two fields cannot have one place.`;
    problems.add({
      code: "inconsistent",
      path,
      message,
      hint: "Leave `is` out of one of them: it is then kept as it is.",
    });
    return;
  }
  taken.set(key, path);
}

function readValue(
  type: FieldType,
  record: JsonRecord,
  at: JsonPath,
  context: FieldContext,
  bases: { readonly own: Base | null; readonly above: Base | null },
  depth: number,
): ValueModel {
  const { problems } = context;
  switch (type) {
    case "text":
      return readText(record, at, problems);
    case "number":
    case "integer":
      return readNumber(record, type === "integer", at, problems);
    case "boolean":
      return readTruth(record, at, problems);
    case "list":
      return readList(record, at, context, bases.own, depth);
    case "record": {
      const base = bases.own === null ? bases.above : inside(bases.own, childrenPlace(bases.own.place));
      const fields = readFields(record["fields"], [...at, "fields"], context, base, depth + 1);
      return { type, fields, closed: truthAt(record, "closed", at, problems) };
    }
    case "map":
    case "anything":
      return { type };
  }
}

function readNumber(record: JsonRecord, integer: boolean, at: JsonPath, problems: Problems): ValueModel {
  const minimum = numberAt(record, "minimum", at, problems);
  const maximum = numberAt(record, "maximum", at, problems);
  if (minimum !== null && maximum !== null && minimum > maximum) {
    const message = "`minimum` is above `maximum`: no number lies between them.";
    problems.add({ code: "inconsistent", path: [...at, "minimum"], message, hint: "Exchange them." });
  }
  return { type: "number", integer, minimum, maximum };
}

function inside({ key }: Base, place: CanonicalPlace | null): Base | null {
  return place === null ? null : { place, key };
}

function readList(
  record: JsonRecord,
  at: JsonPath,
  context: FieldContext,
  own: Base | null,
  depth: number,
): ValueModel {
  const { problems } = context;
  const entry = own === null ? null : itemPlace(own.place);
  const base = entry === null || own === null ? null : { place: entry, key: `${own.key}[]` };
  const item = readField("item", record["item"] ?? "text", [...at, "item"], context, base, depth + 1);
  const element = readElement(record["element"], at, context);
  const minimum = numberAt(record, "at_least", at, problems) ?? 0;
  return { type: "list", item, minimum, element };
}

/** In XML, and only there, each entry of a list stands in an element. */
function readElement(element: JsonValue | undefined, at: JsonPath, { problems, syntax }: FieldContext): string | null {
  if (syntax === "xml" && (typeof element !== "string" || !XML_NAME.test(element) || /^[@#]/.test(element))) {
    const message = "In XML a list says in which element each of its entries stands.";
    problems.add({ code: "missing-field", path: at, atKey: true, message, hint: "For example: element: change" });
  } else if (syntax !== "xml" && element !== undefined)
    problems.add({
      code: "unknown-key",
      path: [...at, "element"],
      atKey: true,
      message: "`element` belongs to XML.",
      hint: "Leave it out.",
    });
  return typeof element === "string" ? element : null;
}

type Notes = Pick<
  FieldModel,
  "about" | "nullable" | "required" | "requiredWhen" | "requiredText" | "example" | "default" | "fill"
>;

function readNotes(record: JsonRecord, at: JsonPath, context: FieldContext): Notes {
  const { problems } = context;
  const when = record["required_when"];
  if (typeof when === "string") context.conditions.push({ text: when, at: [...at, "required_when"] });
  else if (when !== undefined)
    problems.add({
      code: "wrong-type",
      path: [...at, "required_when"],
      message: "`required_when` is a condition in quotes.",
      hint: "For example: \"state == 'blocked'\"",
    });
  return {
    about: sentenceAt(record, "about", at, problems),
    nullable: truthAt(record, "nullable", at, problems),
    required: truthAt(record, "required", at, problems),
    requiredWhen: null,
    requiredText: typeof when === "string" ? when : null,
    example: record["example"],
    default: record["default"],
    fill: record["fill"],
  };
}
