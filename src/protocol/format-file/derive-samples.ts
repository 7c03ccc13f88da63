import { type Condition, type Literal, conditionNames, judgeCondition } from "../../shared/condition.ts";
import { type JsonRecord, type JsonValue, isRecord } from "../../shared/json-value.ts";
import { changeExample } from "../dialects/render-sample.ts";
import type { Dialect, Rule } from "../dialect.ts";
import { fieldFacts, namedFields, valueAtPath } from "./format-conditions.ts";
import type { Outcome } from "../handoff-words.ts";
import { type FieldModel, type FormatModel, type RuleModel, type ValueModel, isPlacedAt } from "./format-model.ts";
import { judgeSample } from "./judge-sample.ts";
import { asWritten, exampleValue } from "./read-example.ts";

/** Changes to the example of a format, by path; undefined removes a field. */
type Changes = Readonly<Record<string, JsonValue | undefined>>;

interface Candidate {
  readonly right: Changes;
  readonly wrong: Changes;
}

/**
 * A sample that keeps a rule of a described format and one that breaks it, made from the example. They are tried: the
 * first breaks no rule, the second this one and no other. Empty where none can be made.
 */
export function deriveSamples(format: FormatModel, dialect: Dialect, id: string): Pick<Rule, "right" | "wrong"> {
  const brokenBy = (changes: Changes): string[] => {
    const { findings, problems } = judgeSample(dialect, changeExample(format.example, changes));
    return [...problems.map(({ code }) => code), ...findings.map(({ finding }) => finding.rule ?? finding.code)];
  };
  for (const candidate of candidatesFor(format, id.slice(format.name.length + 1))) {
    const [right, wrong] = [writtenChanges(candidate.right, format), writtenChanges(candidate.wrong, format)];
    const broken = brokenBy(wrong);
    if (broken.length > 0 && broken.every((rule) => rule === id) && brokenBy(right).length === 0)
      return { right: { set: right }, wrong: { set: wrong } };
  }
  return {};
}

/** The example with another outcome and what the rules then ask for. It is tried: undefined when a rule is broken. */
export function deriveOutcome(format: FormatModel, dialect: Dialect, outcome: Outcome): JsonRecord | undefined {
  const ends = (document: JsonRecord): boolean => dialect.lift(document, {}).outcome === outcome;
  if (ends(format.example)) return format.example;
  const ending = endingWith(outcome, format);
  const changes = ending === null ? null : completed(ending, format);
  if (changes === null) return undefined;
  const document = changeExample(format.example, writtenChanges({ ...changes, ...keptRules(changes, format) }, format));
  const { findings, problems } = judgeSample(dialect, document);
  return findings.length + problems.length === 0 && ends(document) ? document : undefined;
}

/** The word of the format for an outcome, in its place. */
function endingWith(outcome: Outcome, { fields, syntax }: FormatModel): Changes | null {
  for (const [path, field] of namedFields(fields)) {
    const { value } = field;
    if (!isPlacedAt(field, "outcome") || (value.type !== "text" && value.type !== "boolean")) continue;
    const word = value.words?.find(({ means }) => means === outcome)?.word;
    if (word !== undefined) return { [path]: value.type === "boolean" && syntax !== "xml" ? word === "true" : word };
  }
  return null;
}

/** What the rules that hold after these changes forbid or check. */
function keptRules(changes: Changes, format: FormatModel): Changes {
  const facts = fieldFacts(changeExample(format.example, changes), namedFields(format.fields));
  const holding = format.rules.filter(({ when }) => when === null || judgeCondition(when, facts) === true);
  const kept = holding.flatMap(({ forbid, check }) => [
    ...forbid.map((path): [string, undefined] => [path, undefined]),
    ...Object.entries(
      check === null || judgeCondition(check, facts) === true ? {} : (solve(check, true, format) ?? {}),
    ),
  ]);
  return Object.fromEntries(kept);
}

function writtenChanges(changes: Changes, format: FormatModel): Changes {
  return Object.fromEntries(
    Object.entries(changes).map(([path, value]) => [path, value === undefined ? value : asWritten(value, format)]),
  );
}

function candidatesFor(format: FormatModel, name: string): Candidate[] {
  const rule = format.rules.find(({ id }) => id === name);
  if (rule !== undefined) return candidatesForRule(rule, format);
  const found = findField(format.fields, name, []);
  return found === null ? [] : candidatesForField(found, format);
}

function candidatesForRule({ when, require, forbid, check }: RuleModel, format: FormatModel): Candidate[] {
  const met = completed(when === null ? {} : solve(when, true, format), format);
  if (met === null) return [];
  const needed = Object.fromEntries(require.map((path) => [path, someValue(fieldNamed(format, path), format)]));
  const absent = Object.fromEntries(forbid.map((path) => [path, undefined]));
  const kept = check === null ? {} : (solve(check, true, format) ?? {});
  const right = { ...met, ...needed, ...absent, ...kept };
  const broken = check === null ? null : solve(check, false, format);
  return [
    ...require.map((path) => ({ right, wrong: { ...right, [path]: undefined } })),
    ...forbid.map((path) => ({ right, wrong: { ...right, [path]: someValue(fieldNamed(format, path), format) } })),
    ...(broken === null ? [] : [{ right, wrong: { ...right, ...broken } }]),
  ];
}

interface Placed {
  readonly field: FieldModel;
  /** With the number of an entry after each list. */
  readonly path: string;
}

interface FoundField extends Placed {
  /** The records and lists that it stands in, from the outermost on. */
  readonly around: readonly Placed[];
}

/** `changes.file` is a field of an entry of `changes`. */
function findField(
  fields: readonly FieldModel[],
  name: string,
  around: readonly Placed[],
  before = "",
): FoundField | null {
  for (const field of fields) {
    const path = `${before}${field.name}`;
    if (name === field.name) return { field, path, around };
    if (!name.startsWith(`${field.name}.`)) continue;
    const { value } = field;
    const rest = name.slice(field.name.length + 1);
    const outer = [...around, { path, field }];
    if (value.type === "record") return findField(value.fields, rest, outer, `${path}.`);
    if (value.type === "list" && value.item.value.type === "record")
      return findField(value.item.value.fields, rest, outer, `${path}.0.`);
  }
  return null;
}

function candidatesForField({ field, path, around }: FoundField, format: FormatModel): Candidate[] {
  const { requiredWhen } = field;
  const met = completed(requiredWhen === null ? {} : solve(requiredWhen, true, format), format);
  if (met === null) return [];
  const absentOuter = around.find((outer) => valueIn(format, outer.path) === undefined);
  const added = absentOuter === undefined ? {} : { [absentOuter.path]: someValue(absentOuter.field, format) };
  const right = { ...met, ...added, [path]: valueIn(format, path) ?? someValue(field, format) };
  const absent = field.required || requiredWhen !== null ? [undefined] : [];
  return [...wrongWords(field.value), ...absent, ...wrongValues(field.value)].map((value) => ({
    right,
    wrong: { ...right, [path]: value },
  }));
}

function valueIn({ example }: FormatModel, path: string): JsonValue | undefined {
  let value: JsonValue | undefined = example;
  for (const step of path.split(".")) value = isRecord(value) || Array.isArray(value) ? at(value, step) : undefined;
  return value;
}

function at(value: JsonValue, step: string): JsonValue | undefined {
  return Array.isArray(value) ? value[Number(step)] : isRecord(value) ? value[step] : undefined;
}

function wrongWords(value: ValueModel): string[] {
  return value.type === "text" && value.words !== null ? ["some-other-word"] : [];
}

function wrongValues(value: ValueModel): JsonValue[] {
  switch (value.type) {
    case "text":
      return value.format === null ? ["", 7] : ["???", 7];
    case "number":
      return [
        ...(value.minimum === null ? [] : [value.minimum - 1]),
        ...(value.maximum === null ? [] : [value.maximum + 1]),
        "many",
      ];
    case "boolean":
      return ["perhaps"];
    case "list":
    case "record":
    case "map":
      return ["only a text"];
    case "anything":
      return [];
  }
}

function fieldNamed({ fields }: FormatModel, path: string): FieldModel | undefined {
  return namedFields(fields).get(path);
}

/** A value that the field most likely takes. */
function someValue(field: FieldModel | undefined, format: FormatModel): JsonValue | undefined {
  if (field === undefined || field.example !== undefined) return field?.example;
  const { value } = field;
  if (value.type === "list") return [someValue(value.item, format) ?? SOME_TEXT];
  if (value.type === "record") {
    const inner = value.fields.filter(({ required, example }) => required || example !== undefined);
    return Object.fromEntries(inner.map((one) => [one.name, someValue(one, format)]));
  }
  return exampleValue({ ...field, required: true }, format) ?? (value.type === "text" ? SOME_TEXT : undefined);
}

const SOME_TEXT = "Some text.";

/** With every field that is demanded where these changes are made. */
function completed(changes: Changes | null, format: FormatModel): Changes | null {
  if (changes === null) return null;
  const named = namedFields(format.fields);
  const document = changeExample(format.example, changes);
  const facts = fieldFacts(document, named);
  const demanded = [
    ...[...named].flatMap(([path, { requiredWhen }]) =>
      requiredWhen !== null && judgeCondition(requiredWhen, facts) === true ? [path] : [],
    ),
    ...format.rules.flatMap(({ when, require }) =>
      when === null || judgeCondition(when, facts) === true ? require : [],
    ),
  ];
  const added = demanded
    .filter((path) => valueAtPath(document, path) === undefined)
    .map((path): [string, JsonValue | undefined] => [path, someValue(named.get(path), format)]);
  return { ...changes, ...Object.fromEntries(added) };
}

/** Changes by which a condition most likely holds, or does not; null when none is seen. */
function solve(condition: Condition, wanted: boolean, format: FormatModel): Changes | null {
  switch (condition.kind) {
    case "not":
      return solve(condition.of, !wanted, format);
    case "and":
    case "or": {
      const [left, right] = [solve(condition.left, wanted, format), solve(condition.right, wanted, format)];
      if ((condition.kind === "and") !== wanted) return left ?? right;
      return left === null || right === null ? null : { ...left, ...right };
    }
    case "in":
    case "compare":
    case "value":
      return solveOne(condition, wanted, format);
  }
}

function solveOne(
  condition: Extract<Condition, { kind: "in" | "compare" | "value" }>,
  wanted: boolean,
  format: FormatModel,
): Changes | null {
  const [path, ...others] = conditionNames(condition);
  const field = path === undefined ? undefined : fieldNamed(format, path);
  if (path === undefined || field === undefined || others.length > 0) return null;
  const facts = (value: Literal) => () => value;
  const tried = [...literalsFor(condition, field), ...literalsOf(field)];
  const value = tried.find((literal) => judgeCondition(condition, facts(literal)) === wanted);
  if (value === undefined) return null;
  const isContainer = field.value.type === "list" || field.value.type === "record" || field.value.type === "map";
  const none = field.nullable && format.syntax !== "xml" ? null : undefined;
  return { [path]: value === null ? none : isContainer ? someValue(field, format) : value };
}

/** Values of the condition itself, and their neighbours. */
function literalsFor(
  condition: Extract<Condition, { kind: "in" | "compare" | "value" }>,
  field: FieldModel,
): Literal[] {
  const given: readonly Literal[] =
    condition.kind === "in"
      ? condition.list
      : condition.kind === "compare"
        ? [condition.left, condition.right].flatMap((operand) => (operand.kind === "literal" ? [operand.value] : []))
        : [];
  if (field.value.type !== "number") return [...given];
  return given.flatMap((value): Literal[] => (typeof value === "number" ? [value, value + 1, value - 1] : [value]));
}

function literalsOf({ value, example }: FieldModel): Literal[] {
  const own: readonly Literal[] = typeof example === "object" || example === undefined ? [] : [example];
  switch (value.type) {
    case "text":
      return [...own, ...(value.words?.map(({ word }) => word) ?? [SOME_TEXT]), null];
    case "number":
      return [...own, 1, null];
    case "boolean":
    case "list":
    case "record":
    case "map":
    case "anything":
      return [true, false, null];
  }
}
