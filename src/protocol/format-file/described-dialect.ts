import { type Condition, conditionNames, judgeCondition } from "../../shared/condition.ts";
import { type JsonPath, type JsonRecord, type JsonValue, isRecord, printPath } from "../../shared/json-value.ts";
import type { Dialect, HandoffPlace, ReportFinding, Rule, Standing } from "../dialect.ts";
import { fitsFileName } from "../file-name-pattern.ts";
import { type Outcome, OUTCOMES } from "../handoff-words.ts";
import type { RecordShape } from "../shape.ts";
import { writeJson } from "../syntax/json.ts";
import { printFence } from "../syntax/markdown-outline.ts";
import { printXmlDocument } from "../syntax/xml-document.ts";
import { printYaml } from "../syntax/yaml.ts";
import { KEYS_OF_ANY_FORMAT } from "../json-schema.ts";
import { fieldFacts, isEmptyValue, namedFields, outcomeField, valueAtPath } from "./format-conditions.ts";
import { type FieldModel, type FormatModel, type RuleModel, isPlacedAt } from "./format-model.ts";
import { deriveOutcome, deriveSamples } from "./derive-samples.ts";
import { withTextSpelling } from "./number-in-text.ts";
import { liftDescribed } from "./lift-described.ts";
import { lowerDescribed } from "./lower-described.ts";
import { reportMisplaced } from "./misplaced-xml.ts";
import { hasKeyAtRoot } from "./key-at-root.ts";
import { describeField, shapeOfFormat } from "./shape-of-format.ts";

/** A dialect that was made from a description. */
export interface DescribedDialect extends Dialect {
  readonly described: FormatModel;
}

/** Everything Baton knows about a format that a file describes. */
export function dialectOf(format: FormatModel): DescribedDialect {
  const shape = shapeOfFormat(format);
  const words = wordsOf(format);
  const { name, syntax, stands } = format;
  const named = namedFields(format.fields);
  const ownRules = format.rules.map((rule) => conditionRule(rule, format, named));
  const dialect: DescribedDialect = {
    described: format,
    samplesOf: (rule) => deriveSamples(format, dialect, rule),
    exampleOf: (outcome) => deriveOutcome(format, dialect, outcome),
    name,
    number: name,
    title: format.title,
    container: containerOf(format),
    placeIn: (file) => placeIn(format, file),
    syntax,
    shape,
    rules: [...rulesOf(format), ...ownRules],
    ownRules,
    rootRule: `${name}/root`,
    syntaxRule: `${name}/syntax`,
    lastCounts: true,
    ...(stands.keys[0] !== undefined && { mark: stands.keys[0] }),
    stands,
    ...(format.when !== null && { decides: decider(format.when, format) }),
    isMeantBy: (text) => stands.keys.length > 0 && stands.keys.every((key) => hasKeyAtRoot(text, key, syntax)),
    words,
    example: format.example,
    freeSpace: [],
    lift: (document) => liftDescribed(format, document),
    lower: (handoff, filling) => lowerDescribed(handoff, format, shape, words, filling),
    print: printerOf(format, shape),
    ...wrapping(format),
  };
  return dialect;
}

function decider(when: Condition, { fields }: FormatModel): NonNullable<Dialect["decides"]> {
  const named = namedFields(fields);
  return (document) => judgeCondition(when, fieldFacts(document, named)) ?? false;
}

function printerOf({ syntax, stands }: FormatModel, shape: RecordShape): Dialect["print"] {
  switch (syntax) {
    case "json":
      return (document) => writeJson(document);
    case "yaml":
      return printYaml;
    case "xml":
      return ({ "#root": _root, ...rest }, spelling) =>
        printXmlDocument(stands.element ?? "", spelling === undefined ? rest : withTextSpelling(rest, spelling), shape);
  }
}

/** A handoff that does not stand in a file of its own stands in a fence, below its heading if it has one. */
function wrapping({ syntax, stands: { files, heading } }: FormatModel): Pick<Dialect, "wrap"> {
  if (syntax === "xml" || (files.length > 0 && heading === null)) return {};
  const before = heading === null ? "" : `## ${heading}\n\n`;
  return { wrap: (block) => `${before}${printFence(syntax, block)}` };
}

/** Made of names only: sentences of the file stand elsewhere. */
function containerOf({ syntax, stands }: FormatModel): string {
  const { files, keys, heading, element } = stands;
  const places = [
    ...(element === null ? [] : [`One XML element, \`<${element}>\`, in a file of its own or in the agent's answer`]),
    ...(heading === null ? [] : [`A fenced ${syntax} code block below the heading \`${heading}\``]),
    ...(keys.length === 0 || heading !== null ? [] : [`A fenced ${syntax} code block with ${list(keys)} at its root`]),
    ...(files.length === 0
      ? []
      : [`${syntax === "xml" ? "An" : "A"} ${syntax.toUpperCase()} file named ${list(files)}`]),
  ];
  return `${places.join(", or ").replaceAll(/, or (An?|One) /g, (_, word: string) => `, or ${word.toLowerCase()} `)}.`;
}

/** `file` of the format only recognises a file: where the handoff is read, the workflow alone decides. */
function placeIn(
  { syntax, stands: { files, keys, heading, element } }: FormatModel,
  file: string | null,
): HandoffPlace {
  const isWholeFile = file !== null && (heading === null || files.some((pattern) => fitsFileName(file, pattern)));
  const root = keys.length === 0 ? "" : ` with ${list(keys)} at its root`;
  if (element !== null) return { says: `One XML element, \`<${element}>\`.`, isWholeFile };
  if (isWholeFile)
    return { says: `One ${syntax.toUpperCase()} document${root}, and nothing else in its file.`, isWholeFile };
  const below = heading === null ? root : ` below the heading \`${heading}\``;
  return { says: `A fenced ${syntax} code block${below}.`, isWholeFile };
}

function list(names: Standing["keys"]): string {
  return names.map((name) => `\`${name}\``).join(" and ");
}

/**
 * The word for each outcome. Where the format has none: what may go on still goes on, what must stop still stops, and
 * among those the nearest.
 */
function wordsOf(format: FormatModel): Readonly<Record<Outcome, string>> {
  const value = outcomeField(format.fields)?.value;
  const words = value?.type === "text" || value?.type === "boolean" ? (value.words ?? []) : [];
  const wordFor = (outcome: Outcome): string =>
    [outcome, ...NEAREST[outcome]]
      .map((near) => words.find(({ means }) => means === near)?.word)
      .find((word) => word !== undefined) ??
    format.outcome ??
    "";
  return Object.fromEntries(OUTCOMES.map((outcome) => [outcome, wordFor(outcome)])) as Record<Outcome, string>;
}

const NEAREST: Readonly<Record<Outcome, readonly Outcome[]>> = {
  done: [],
  "done-with-warnings": ["done"],
  skipped: ["done-with-warnings", "done"],
  "needs-review": ["blocked", "needs-fixes", "in-progress", "failed"],
  "needs-fixes": ["failed", "blocked"],
  failed: ["needs-fixes", "blocked"],
  blocked: ["needs-review", "failed", "needs-fixes"],
  "in-progress": ["pending", "needs-fixes", "blocked", "failed"],
  pending: ["in-progress", "blocked", "needs-fixes", "failed"],
};

function rulesOf(format: FormatModel): Rule[] {
  const { name, fields } = format;
  const named = namedFields(fields);
  return [
    {
      id: `${name}/syntax`,
      kind: "T",
      severity: "error",
      says: `The handoff is valid ${format.syntax.toUpperCase()}.`,
    },
    {
      id: `${name}/root`,
      kind: "T",
      severity: "error",
      says: format.closed
        ? "The document is one record, without other keys than the fields."
        : "The document is one record.",
      check: (document, report) => {
        reportUnknown(document, fields, format.closed, [], report);
        if (format.syntax === "xml") reportMisplaced(document, fields, format, report);
      },
    },
    ...[...named].map(([path, field]) => fieldRule(path, field, format, named)),
    ...entryRules(format),
  ];
}

/** Keys that a closed record does not name. */
function reportUnknown(
  record: JsonRecord,
  fields: readonly FieldModel[],
  closed: boolean,
  at: JsonPath,
  report: ReportFinding,
): void {
  for (const key of Object.keys(record)) {
    const value = record[key];
    const field = fields.find(({ name }) => name === key);
    const path = [...at, key];
    if (field === undefined) {
      if (closed && !key.startsWith("#") && !(at.length === 0 && KEYS_OF_ANY_FORMAT.includes(key)))
        report(path, `\`${printPath(path)}\` is no field of the format.`, {
          code: "unknown-key",
          atKey: true,
          hint: `Fields here are ${fields.map(({ name }) => name).join(", ")}.`,
        });
    } else reportUnknownIn(value, field, path, report);
  }
}

function reportUnknownIn(
  value: JsonValue | undefined,
  { value: model }: FieldModel,
  path: JsonPath,
  report: ReportFinding,
): void {
  if (model.type === "record" && isRecord(value)) reportUnknown(value, model.fields, model.closed, path, report);
  if (model.type === "list" && Array.isArray(value))
    for (const [index, item] of value.entries()) reportUnknownIn(item, model.item, [...path, index], report);
}

function fieldRule(path: string, field: FieldModel, format: FormatModel, named: ReadonlyMap<string, FieldModel>): Rule {
  const { requiredWhen } = field;
  const steps = path.split(".");
  const rule: Rule = {
    id: `${format.name}/${path}`,
    kind: field.required ? "Q" : requiredWhen === null ? "F" : "C",
    severity: "error",
    says: describeField(field),
  };
  if (isPlacedAt(field, "outcome") && field.default !== undefined)
    return { ...rule, check: (document, report) => reportDefaulted(document, steps, field, report) };
  if (requiredWhen === null) return rule;
  return {
    ...rule,
    check: (document, report) => {
      if (
        judgeCondition(requiredWhen, fieldFacts(document, named)) !== true ||
        !isEmptyValue(valueAtPath(document, path))
      )
        return;
      report(steps.slice(0, -1), `\`${path}\` is missing, and here it is required.`, {
        code: "missing-field",
        lacks: [steps],
        atKey: true,
      });
    },
  };
}

/** An outcome that is null, or whose record is absent; where only its key is, the shape reports it. */
function reportDefaulted(
  document: JsonRecord,
  steps: readonly string[],
  { value: model, default: meant }: FieldModel,
  report: ReportFinding,
): void {
  const path = steps.join(".");
  const value = valueAtPath(document, path);
  const around = steps.length === 1 ? document : valueAtPath(document, steps.slice(0, -1).join("."));
  const isNone = value === null || (model.type === "text" && model.none !== null && value === model.none);
  if (!isNone && (value !== undefined || isRecord(around))) return;
  report(isNone ? steps : [], `\`${path}\` has no value; it was read as ${JSON.stringify(meant)}.`, {
    code: "defaulted",
    severity: "warning",
    ...(!isNone && { lacks: [steps] }),
  });
}

/** The fields of entries of lists, which conditions do not name. */
function entryRules({ name, fields }: FormatModel): Rule[] {
  return [...namedFields(fields)].flatMap(([path, { value }]) =>
    value.type === "list" ? rulesOfEntry(`${name}/${path}`, value.item) : [],
  );
}

function rulesOfEntry(id: string, item: FieldModel): Rule[] {
  if (item.value.type === "list") return rulesOfEntry(id, item.value.item);
  if (item.value.type !== "record") return [];
  return item.value.fields.flatMap((field): Rule[] => {
    const inner = `${id}.${field.name}`;
    const says = describeField(field);
    return [
      { id: inner, kind: field.required ? "Q" : "F", severity: "error", says },
      ...rulesOfEntry(inner, field.value.type === "list" ? field.value.item : field),
    ];
  });
}

function conditionRule(rule: RuleModel, format: FormatModel, named: ReadonlyMap<string, FieldModel>): Rule {
  return {
    id: `${format.name}/${rule.id}`,
    kind: "C",
    severity: rule.severity,
    says: rule.says,
    check: (document, report) => {
      const facts = fieldFacts(document, named);
      if (rule.when !== null && judgeCondition(rule.when, facts) !== true) return;
      for (const path of rule.require)
        if (isEmptyValue(valueAtPath(document, path)))
          report(path.split(".").slice(0, -1), `\`${path}\` is missing or empty. ${rule.says}`, {
            code: "missing-field",
            lacks: [path.split(".")],
            atKey: true,
          });
      for (const path of rule.forbid)
        if (!isEmptyValue(valueAtPath(document, path)))
          report(path.split("."), `\`${path}\` must not be here. ${rule.says}`, { code: "inconsistent" });
      if (rule.check !== null && judgeCondition(rule.check, facts) === false)
        report(...brokenCheck(rule, rule.check, document));
    },
  };
}

/** At the first field that the condition names and the document has, with what the fields say here. */
function brokenCheck(rule: RuleModel, check: Condition, document: JsonRecord): Parameters<ReportFinding> {
  const asked = conditionNames(check);
  const known = asked.find((path) => valueAtPath(document, path) !== undefined);
  const names = new Set([...(rule.when === null ? [] : conditionNames(rule.when)), ...asked]);
  const found = [...names].map((path) => `\`${path}\` is ${shownHere(valueAtPath(document, path))}`);
  return [known?.split(".") ?? [], rule.says, { code: "inconsistent", hint: `Here ${found.join(", and ")}.` }];
}

function shownHere(value: JsonValue | undefined): string {
  if (value === undefined) return "absent";
  if (typeof value === "object" && value !== null) return isEmptyValue(value) ? "empty" : "there";
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
