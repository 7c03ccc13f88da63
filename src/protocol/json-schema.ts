import { type JsonRecord, isRecord } from "../shared/json-value.ts";
import { CARRIED } from "./carried-place.ts";
import type { Dialect } from "./dialect.ts";
import { type Formats, dialectNamed } from "./dialects/registry.ts";
import { type DialectName, canonicalShape } from "./handoff.ts";
import type { Field, ListShape, NumberShape, RecordShape, Shape, TextShape } from "./shape.ts";

const DRAFT = "https://json-schema.org/draft/2020-12/schema";

/** The JSON Schema of a dialect, for editors: made from the same shapes and rules that judge a handoff. */
export function jsonSchemaOf(name: DialectName, formats?: Formats): JsonRecord {
  const dialect = dialectNamed(name, formats);
  return {
    $schema: DRAFT,
    $id: schemaId(name),
    title: dialect.title,
    description: dialect.container,
    ...rootSchema(dialect.shape),
    ...conditions(dialect),
  };
}

/** The JSON Schema of the canonical handoff, as `baton read --json` prints it. */
export function canonicalSchema(): JsonRecord {
  return {
    $schema: DRAFT,
    $id: schemaId("canonical"),
    title: "Canonical handoff",
    description: "What every dialect is read into. Several handoffs of one file are printed as a list of these.",
    ...schemaOf(canonicalShape),
  };
}

function schemaId(name: string): string {
  return `urn:baton-handoff:schema:${name}`;
}

/** The line that makes an editor use a schema file, in the syntax of the dialect. */
export function editorModeline(name: DialectName, file: string, formats?: Formats): string {
  switch (dialectNamed(name, formats).syntax) {
    case "yaml":
      return `# yaml-language-server: $schema=${file}`;
    case "json":
      return `"$schema": ${JSON.stringify(file)},`;
    case "xml":
      return `<!-- The schema describes the element as a record: ${file} -->`;
  }
}

function conditions(dialect: Dialect): JsonRecord {
  const all = dialect.rules.flatMap((rule) =>
    rule.schema === undefined ? [] : [{ $comment: `${rule.id}: ${rule.says}`, ...rule.schema }],
  );
  return all.length === 0 ? {} : { allOf: all };
}

/** What differs between kinds of documents: how a record is described, and which shapes stand under a name. */
interface SchemaStyle {
  readonly record: (shape: RecordShape) => JsonRecord;
  readonly named: (shape: Shape) => JsonRecord | null;
}

export function shapeSchema(shape: Shape, style: SchemaStyle): JsonRecord {
  const named = style.named(shape);
  if (named !== null) return named;
  switch (shape.kind) {
    case "text":
      return textSchema(shape);
    case "number":
      return numberSchema(shape);
    case "boolean":
      return { type: "boolean" };
    case "nullable":
      return { anyOf: [shapeSchema(shape.of, style), { type: "null" }] };
    case "list":
      return listSchema(shape, style);
    case "map":
      return { type: "object", additionalProperties: shapeSchema(shape.values, style) };
    case "literal":
      return { const: shape.value };
    case "union":
      return { anyOf: shape.of.map((form) => shapeSchema(form, style)) };
    case "anything":
      return {};
    case "record":
      return style.record(shape);
  }
}

function listSchema({ item, minimum }: ListShape, style: SchemaStyle): JsonRecord {
  return { type: "array", items: shapeSchema(item, style), ...(minimum !== undefined && { minItems: minimum }) };
}

/** Handoffs are open, unless a format says otherwise: an unknown key is kept. */
function openRecord(shape: RecordShape): JsonRecord {
  return {
    type: "object",
    properties: Object.fromEntries(Object.entries(shape.fields).map(([key, field]) => [key, fieldSchema(key, field)])),
    required: Object.entries(shape.fields)
      .filter(([, field]) => field.required && field.missing === undefined)
      .map(([key]) => key),
    additionalProperties: shape.isClosed !== true,
  };
}

/** Keys that a document may have at its root in every format: where its schema is, and what a conversion has kept. */
export const KEYS_OF_ANY_FORMAT: readonly string[] = ["$schema", CARRIED];

function rootSchema(shape: RecordShape): JsonRecord {
  const schema = openRecord(shape);
  if (shape.isClosed !== true || !isRecord(schema["properties"])) return schema;
  const others = Object.fromEntries(KEYS_OF_ANY_FORMAT.map((key) => [key, {}]));
  return { ...schema, properties: { ...others, ...schema["properties"] } };
}

function schemaOf(shape: Shape): JsonRecord {
  return shapeSchema(shape, { record: openRecord, named: () => null });
}

function fieldSchema(key: string, field: Field): JsonRecord {
  return {
    title: key.replace(/^[@#]/, "").replaceAll("_", " "),
    description: field.rule === "canonical" ? field.about : `${field.about} (${field.rule})`,
    ...schemaOf(field.shape),
    ...(field.default !== undefined && { default: field.default }),
  };
}

function textSchema(shape: TextShape): JsonRecord {
  if (shape.oneOf !== undefined) return { type: "string", enum: [...shape.oneOf] };
  if (shape.format !== undefined)
    return { type: "string", pattern: shape.format.pattern, examples: [shape.format.example] };
  return {
    type: "string",
    ...(shape.filled === true && { pattern: "\\S" }),
    ...(shape.pattern !== undefined && { pattern: shape.pattern }),
    ...(shape.maxLength !== undefined && { maxLength: shape.maxLength }),
  };
}

function numberSchema(shape: NumberShape): JsonRecord {
  return {
    type: shape.integer === true ? "integer" : "number",
    ...(shape.minimum !== undefined && { minimum: shape.minimum }),
    ...(shape.maximum !== undefined && { maximum: shape.maximum }),
  };
}
