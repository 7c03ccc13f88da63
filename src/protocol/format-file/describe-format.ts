import type { Condition } from "../../shared/condition.ts";
import { type JsonPath, type JsonRecord, type JsonValue, shown } from "../../shared/json-value.ts";
import { nearestWord } from "../../shared/nearest-word.ts";
import type { ConditionVocabulary } from "../../shared/parse-condition.ts";
import type { SyntaxName } from "../dialect.ts";
import { type Problems, clipText, unknownKey } from "../file-problems.ts";
import { DIALECT_NAMES, OUTCOMES, type Outcome } from "../handoff-words.ts";
import { TOP_KEYS } from "./field-keys.ts";
import { namedFields, outcomeField, readFormatCondition, vocabularyOf } from "./format-conditions.ts";
import type { FieldModel, FormatModel } from "./format-model.ts";
import { sentenceAt, truthAt } from "./plain-values.ts";
import { type FieldContext, readRootFields } from "./read-fields.ts";
import { readExample } from "./read-example.ts";
import { readRules } from "./read-rules.ts";
import { readStanding } from "./read-standing.ts";
import { fieldsOfSchema } from "./schema-fields.ts";

type ReadSchema = (path: string) => string | null;

/** The format that a file describes. An invalid value is reported and then treated as absent. */
export function describeFormat(file: JsonRecord, problems: Problems, readSchema?: ReadSchema): FormatModel | null {
  for (const key of Object.keys(file)) if (!TOP.includes(key)) unknownKey(key, TOP, [], problems);
  checkVersion(file["format"], problems);
  const syntax = readSyntax(file["syntax"], problems);
  const name = readName(file["name"], problems);
  if (syntax === null) return null;
  const described = fieldsOfSchema(file, problems, readSchema);
  const context: FieldContext = { problems: described.problems, syntax, taken: new Map(), fields: 0, conditions: [] };
  const read = readRootFields(described.fields, ["fields"], context);
  described.settle();
  const vocabulary = vocabularyOf(namedFields(read));
  const placeOf = (path: JsonPath): JsonPath => described.placeOf(path);
  const conditions = readConditions(context, vocabulary, placeOf, problems);
  const fields = inFile(withConditions(read, conditions, true, problems), placeOf);
  const outcome = readOutcome(file["outcome"], fields, problems);
  const stands = readStanding(file["stands"], syntax, fields, problems);
  return {
    name,
    title: sentenceAt(file, "title", [], problems) || name,
    about: sentenceAt(file, "about", [], problems),
    syntax,
    stands,
    when: file["when"] === undefined ? null : readFormatCondition(file["when"], ["when"], vocabulary, problems),
    fields,
    closed: truthAt(file, "closed", [], problems) || described.closed,
    outcome,
    rules: readRules(file["rules"], vocabulary, problems),
    example: readExample(file["example"], name, { syntax, fields, stands }, problems),
    source: described.source,
  };
}

const TOP: readonly string[] = TOP_KEYS;

function checkVersion(value: JsonValue | undefined, problems: Problems): void {
  if (value === 1) return;
  if (value === undefined)
    problems.add({ code: "missing-field", path: [], message: "`format` is missing.", hint: "Start with `format: 1`." });
  else
    problems.add({
      code: "not-allowed",
      path: ["format"],
      message: "This version of format files is not known.",
      hint: "Write `format: 1`.",
    });
}

const SYNTAXES: readonly SyntaxName[] = ["json", "yaml", "xml"];

function readSyntax(value: JsonValue | undefined, problems: Problems): SyntaxName | null {
  const found = SYNTAXES.find((syntax) => syntax === value);
  if (found !== undefined) return found;
  const place = value === undefined ? { path: [], atKey: true } : { path: ["syntax"] };
  const message = value === undefined ? "`syntax` is missing." : `\`${clipText(shown(value))}\` is no syntax.`;
  problems.add({
    code: value === undefined ? "missing-field" : "not-allowed",
    ...place,
    message,
    hint: "Write json, yaml or xml.",
  });
  return null;
}

/** Names that commands use for something else. */
const RESERVED_NAMES: readonly string[] = ["handoff", "canonical", "workflow", "format", "none", "all", "a2a"];

function readName(value: JsonValue | undefined, problems: Problems): string {
  const hint = "Write two or more words in lower case joined by hyphens, such as relay-note; at most 40 characters.";
  if (typeof value !== "string") {
    const place = value === undefined ? { path: [], atKey: true } : { path: ["name"] };
    problems.add({
      code: value === undefined ? "missing-field" : "wrong-type",
      ...place,
      message: "A format has a `name`.",
      hint,
    });
    return "";
  }
  if ([...DIALECT_NAMES, ...RESERVED_NAMES].includes(value)) {
    const message = `\`${value}\` is a name of Baton's own.`;
    problems.add({ code: "reserved-name", path: ["name"], message, hint: "Choose another name." });
  } else if (value.length > 40 || !/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(value))
    problems.add({
      code: "bad-format",
      path: ["name"],
      message: `\`${clipText(value)}\` is no name of a format.`,
      hint,
    });
  return value;
}

/** Every handoff has an outcome: from a field that is always there or has a default, or the same for all. */
function readOutcome(value: JsonValue | undefined, fields: readonly FieldModel[], problems: Problems): Outcome | null {
  const field = outcomeField(fields);
  const outcome = OUTCOMES.find((word) => word === value) ?? null;
  if (value !== undefined && outcome === null) {
    const meant = typeof value === "string" ? nearestWord(value, OUTCOMES) : null;
    const hint = meant === null ? `Outcomes are ${OUTCOMES.join(", ")}.` : `Did you mean ${meant}?`;
    problems.add({ code: "not-allowed", path: ["outcome"], message: "This is no outcome.", hint });
  } else if (outcome !== null && field !== undefined)
    problems.add({
      code: "inconsistent",
      path: ["outcome"],
      atKey: true,
      message: `\`${field.name}\` says the outcome, so \`outcome\` never counts.`,
      hint: "Leave it out.",
    });
  else if (outcome === null && field === undefined)
    problems.add({
      code: "missing-field",
      path: ["fields"],
      atKey: true,
      message: "No field says how the work ended: every handoff has an outcome.",
      hint: UNREACHABLE,
    });
  if (field !== undefined) {
    checkOutcome(field, problems);
    checkIsAlwaysThere(field, fields, problems);
  } else if (outcome === "done") warnOfDone(problems);
  return outcome;
}

function warnOfDone(problems: Problems): void {
  problems.add({
    code: "inconsistent",
    severity: "warning",
    path: ["outcome"],
    message: "Every handoff of this format counts as done, also one that says that the work failed.",
    hint: "If a field says how the work ended, give it `is: outcome` and `words` with what each means, and leave `outcome` out.",
  });
}

const UNREACHABLE =
  "Give a field `is: outcome` and `words` with what each means; or, if all of these handoffs mean the same, write for example `outcome: in-progress`.";

/** What may go on, and what must stop, each need a word: otherwise a failure could be written as a success. */
function checkOutcome(field: FieldModel, problems: Problems): void {
  const { value, at } = field;
  const words = value.type === "text" || value.type === "boolean" ? (value.words ?? []) : [];
  const outcomes = new Set(words.map(({ means }) => means));
  if (
    words.length > 0 &&
    (!outcomes.has("done") || !["failed", "blocked", "needs-fixes"].some((word) => outcomes.has(word)))
  ) {
    const message = "The words need one for `done`, and one for `failed`, `blocked` or `needs-fixes`.";
    problems.add({
      code: "inconsistent",
      path: [...at, "words"],
      atKey: true,
      message,
      hint: "Without them a failure could only be written as a success.",
    });
  }
}

/** A handoff without an outcome would have to be guessed: a default says what it means. */
function checkIsAlwaysThere(field: FieldModel, fields: readonly FieldModel[], problems: Problems): void {
  if (field.default !== undefined) return;
  const around = [...namedFields(fields).values()].filter(
    ({ value }) => value.type === "record" && [...namedFields(value.fields).values()].includes(field),
  );
  const open = around.find(({ required, nullable }) => !required || nullable);
  const why =
    open !== undefined
      ? `\`${open.name}\` around it may be ${open.required ? "null" : "absent"}`
      : !field.required
        ? "it may be absent"
        : field.nullable
          ? "it may be null"
          : field.value.type === "text" && field.value.none !== null
            ? `\`${field.value.none}\` means that there is none`
            : null;
  if (why === null) return;
  problems.add({
    code: "missing-field",
    path: field.at,
    atKey: true,
    message: `\`${field.name}\` is the outcome, and a handoff may lack it: ${why}.`,
    hint: "Make it always there with `required: true`, also around it and without `nullable` and `none`; or give it a `default`.",
  });
}

function readConditions(
  { conditions }: FieldContext,
  vocabulary: ConditionVocabulary,
  placeOf: (path: JsonPath) => JsonPath,
  problems: Problems,
): ReadonlyMap<string, Condition> {
  const read = new Map<string, Condition>();
  for (const { text, at } of conditions) {
    const condition = readFormatCondition(text, placeOf(at), vocabulary, problems);
    if (condition !== null) read.set(JSON.stringify(at.slice(0, -1)), condition);
  }
  return read;
}

/** Each field with its place in the file: one of a schema stands in the mapping, or only in the schema. */
function inFile(fields: readonly FieldModel[], placeOf: (path: JsonPath) => JsonPath): FieldModel[] {
  return fields.map((field) => {
    const { value } = field;
    const inner =
      value.type === "record"
        ? { ...value, fields: inFile(value.fields, placeOf) }
        : value.type === "list"
          ? { ...value, item: inFile([value.item], placeOf)[0] ?? value.item }
          : value;
    return { ...field, value: inner, at: placeOf(field.at) };
  });
}

/** Conditions name fields of the whole document, so an entry of a list cannot have one. */
function withConditions(
  fields: readonly FieldModel[],
  conditions: ReadonlyMap<string, Condition>,
  isNamed: boolean,
  problems: Problems,
): FieldModel[] {
  return fields.map((field) => {
    const condition = conditions.get(JSON.stringify(field.at)) ?? null;
    if (condition !== null && !isNamed)
      problems.add({
        code: "bad-condition",
        path: [...field.at, "required_when"],
        message: "A field inside a list cannot have a condition.",
        hint: "Write `required: true`, or leave it out.",
      });
    const { value } = field;
    const inner =
      value.type === "record"
        ? { ...value, fields: withConditions(value.fields, conditions, isNamed, problems) }
        : value.type === "list"
          ? { ...value, item: withConditions([value.item], conditions, false, problems)[0] ?? value.item }
          : value;
    return { ...field, value: inner, requiredWhen: condition };
  });
}
