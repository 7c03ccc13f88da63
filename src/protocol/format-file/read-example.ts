import { type JsonRecord, type JsonValue, isRecord } from "../../shared/json-value.ts";
import type { Problems } from "../file-problems.ts";
import { parseBlock, syntaxProblems } from "../syntax/parse-block.ts";
import { LineTable } from "../../shared/line-table.ts";
import { FORMAT_LIMITS } from "./field-keys.ts";
import type { FieldModel, FormatModel, ValueModel } from "./format-model.ts";
import { shapeOfFormat } from "./shape-of-format.ts";

type Described = Pick<FormatModel, "syntax" | "fields" | "stands">;

/** The example of a format: a text in its syntax, a record, or put together from the examples of its fields. */
export function readExample(
  value: JsonValue | undefined,
  name: string,
  described: Described,
  problems: Problems,
): JsonRecord {
  if (isRecord(value)) return value;
  if (typeof value === "string") return parseExample(value, name, described, problems);
  if (value !== undefined) {
    const message = "`example` is a whole handoff of the format.";
    problems.add({
      code: "wrong-type",
      path: ["example"],
      message,
      hint: "Write it as a text in its syntax, or as a record.",
    });
  }
  return exampleOf(described.fields, described);
}

function parseExample(text: string, name: string, described: Described, problems: Problems): JsonRecord {
  const block = { syntax: described.syntax, shape: shapeOfFormat({ name, closed: false, ...described }) };
  const parsed = parseBlock(text, block, FORMAT_LIMITS);
  if (isRecord(parsed?.document)) return parsed.document;
  const [problem] = syntaxProblems(text, block, FORMAT_LIMITS);
  const at = problem === undefined ? null : new LineTable(text).position(problem.span.start);
  const where = at === null ? "" : ` Line ${at.line}, column ${at.column} of it: ${problem?.message ?? ""}`;
  problems.add({
    code: "syntax-error",
    path: ["example"],
    message: `The example is not one record in ${described.syntax}.${where}`,
    hint: problem?.hint ?? "Write one record with the fields of the format.",
  });
  return {};
}

function exampleOf(fields: readonly FieldModel[], described: Described): JsonRecord {
  const example: JsonRecord = {};
  for (const field of fields) {
    const value = exampleValue(field, described);
    if (value !== undefined) example[field.name] = value;
  }
  return example;
}

/** Undefined for a field that is optional and has no example. */
export function exampleValue({ value, example, required }: FieldModel, described: Described): JsonValue | undefined {
  if (example !== undefined) return asWritten(example, described);
  if (value.type === "record") {
    const inner = exampleOf(value.fields, described);
    return required || Object.keys(inner).length > 0 ? inner : undefined;
  }
  const hasEntry = value.type === "list" && hasExample(value.item);
  return required || hasEntry ? plainExample(value, described) : undefined;
}

function hasExample({ example, value }: FieldModel): boolean {
  return example !== undefined || (value.type === "record" && value.fields.some(hasExample));
}

function plainExample(value: ValueModel, described: Described): JsonValue | undefined {
  switch (value.type) {
    case "text":
      return textExample(value);
    case "number":
      return asWritten(Math.max(value.minimum ?? 0, Math.min(1, value.maximum ?? 1)), described);
    case "boolean":
      return asWritten(true, described);
    case "list":
      return listExample(value.item, described);
    case "map":
      return {};
    case "record":
    case "anything":
      return undefined;
  }
}

function textExample({ words, format }: Extract<ValueModel, { type: "text" }>): string | undefined {
  return words === null ? format?.example : words[0]?.word;
}

function listExample(item: FieldModel, described: Described): JsonValue[] {
  const entry = exampleValue({ ...item, required: true }, described);
  return entry === undefined ? [] : [entry];
}

/** XML has every value as a text. */
export function asWritten(value: JsonValue, { syntax }: Described): JsonValue {
  return syntax === "xml" && typeof value !== "object" ? String(value) : value;
}
