import type { Condition, Facts, Literal } from "../../shared/condition.ts";
import { type JsonPath, type JsonRecord, type JsonValue, isRecord, ownValue } from "../../shared/json-value.ts";
import { nearestWord } from "../../shared/nearest-word.ts";
import { type ConditionVocabulary, type ValueKind, parseConditionOf } from "../../shared/parse-condition.ts";
import type { Problems } from "../file-problems.ts";
import { type FieldModel, isPlacedAt } from "./format-model.ts";
import { numberInText } from "./number-in-text.ts";

/** The fields of a document that are not inside a list, by their path: `result.state`. */
export function namedFields(fields: readonly FieldModel[], before = ""): Map<string, FieldModel> {
  const named = new Map<string, FieldModel>();
  for (const field of fields) {
    const path = `${before}${field.name}`;
    named.set(path, field);
    if (field.value.type === "record")
      for (const [inner, model] of namedFields(field.value.fields, `${path}.`)) named.set(inner, model);
  }
  return named;
}

/** The field that says how the work ended; a format in which all handoffs mean the same has none. */
export function outcomeField(fields: readonly FieldModel[]): FieldModel | undefined {
  return [...namedFields(fields).values()].find((field) => isPlacedAt(field, "outcome"));
}

/** Conditions of a format ask about its own fields. A field that is absent or empty is `null`. */
export function vocabularyOf(named: ReadonlyMap<string, FieldModel>): ConditionVocabulary {
  const names = [...named.keys()];
  return {
    names,
    listed: names.slice(0, 20).join(", "),
    kindOf: (name) => (named.has(name) ? kindOf(named.get(name)) : undefined),
    refuseWord: (name, word) => refuseWord(named.get(name), word),
    example: `${names[0] ?? "state"} != null`,
    split: "Split it into several rules.",
  };
}

function kindOf(field: FieldModel | undefined): ValueKind | null {
  const type = field?.value.type;
  return type === "text" || type === "number" || type === "boolean" ? type : null;
}

function refuseWord(field: FieldModel | undefined, word: string): { message: string; hint: string } | null {
  const words = field?.value.type === "text" ? field.value.words?.map((known) => known.word) : undefined;
  if (words === undefined || words.includes(word)) return null;
  const meant = nearestWord(word, words);
  const hint = meant === null ? `Its words are ${words.join(", ")}.` : `Did you mean '${meant}'?`;
  return { message: `\`${word}\` is no word of \`${field?.name ?? ""}\`.`, hint };
}

/** An invalid condition is reported and then treated as absent. */
export function readFormatCondition(
  value: JsonValue | undefined,
  path: JsonPath,
  vocabulary: ConditionVocabulary,
  problems: Problems,
): Condition | null {
  if (typeof value !== "string") {
    problems.add({
      code: "wrong-type",
      path,
      message: "A condition is a text in quotes.",
      hint: `For example: "${vocabulary.example}"`,
    });
    return null;
  }
  const { condition, problem } = parseConditionOf(value, vocabulary);
  if (problem !== null) {
    const { start, end, message, hint } = problem;
    problems.add({ code: "bad-condition", path, within: { start, end }, message, hint });
  }
  return condition;
}
/** The fields of a document as a condition sees them. */
export function fieldFacts(document: JsonRecord, named: ReadonlyMap<string, FieldModel>): Facts {
  return (name) => {
    const field = named.get(name);
    return field === undefined ? undefined : factOf(valueAtPath(document, name), field);
  };
}

export function valueAtPath(document: JsonRecord, path: string): JsonValue | undefined {
  let value: JsonValue | undefined = document;
  for (const step of path.split(".")) value = isRecord(value) ? ownValue(value, step) : undefined;
  return value;
}

/** A list or record that holds something is `true`. XML has its numbers and truth values as texts. */
function factOf(value: JsonValue | undefined, { value: model }: FieldModel): Literal {
  if (value === undefined || isEmptyValue(value)) return null;
  if (typeof value === "object") return true;
  if (typeof value !== "string") return value;
  if (model.type === "number") return numberInText(value, model.integer) ?? value;
  return model.type === "boolean" ? value === "true" : value;
}

/** What does not satisfy a condition that demands content: nothing, a blank text, a list or record of such. */
export function isEmptyValue(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null) return true;
  if (typeof value === "string") return value.trim() === "";
  if (typeof value !== "object") return false;
  return Object.values(value).every(isEmptyValue);
}
