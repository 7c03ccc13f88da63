import { type JsonRecord, type JsonValue, isRecord, ownValue, shown } from "../../shared/json-value.ts";
import type { DiagnosticCode } from "../diagnostic.ts";
import { type Problems, clipText } from "../file-problems.ts";
import { FORMAT_LIMITS } from "./field-keys.ts";

/**
 * A JSON Schema as the fields of a format file. A part of JSON Schema is understood; what is not is refused by name, since
 * a condition that is skipped would be a check that never fails.
 */
export function convertSchema(schema: JsonRecord, problems: Problems): JsonRecord {
  const field = new SchemaReader(schema, problems).read(schema, "#", []);
  if (isRecord(field["fields"])) return field["fields"];
  problems.add({
    code: "wrong-type",
    path: ["schema"],
    message: "The schema describes no object with `properties`.",
    hint: SUPPORTED,
  });
  return {};
}

const ANNOTATIONS = [
  "$schema",
  "$id",
  "$comment",
  "$defs",
  "definitions",
  "title",
  "description",
  "examples",
  "default",
  "deprecated",
  "readOnly",
  "writeOnly",
  "format",
];
const KEYWORDS_OF: Readonly<Record<string, readonly string[]>> = {
  string: ["enum", "const", "pattern", "minLength", "maxLength"],
  number: ["minimum", "maximum"],
  integer: ["minimum", "maximum"],
  boolean: [],
  array: ["items", "minItems"],
  object: ["properties", "required", "additionalProperties"],
};
const SUPPORTED =
  "Supported are type, properties, required, additionalProperties, items, minItems, enum, const, pattern, minLength 1, maxLength, minimum, maximum, format (date-time, date), $ref into the same file.";

const FORMATS: Readonly<Record<string, string>> = { "date-time": "timestamp", date: "date" };

class SchemaReader {
  readonly #root: JsonRecord;
  readonly #problems: Problems;
  #count = 0;

  constructor(root: JsonRecord, problems: Problems) {
    this.#root = root;
    this.#problems = problems;
  }

  /** One schema as a field; `refs` are the references that led here. */
  read(given: JsonValue | undefined, pointer: string, refs: readonly string[]): JsonRecord {
    if (++this.#count > FORMAT_LIMITS.fields * 2) {
      if (this.#count === FORMAT_LIMITS.fields * 2 + 1)
        this.#refuse("too-many-nodes", pointer, "The schema describes too many fields.");
      return ANYTHING;
    }
    if (given === true) return { ...ANYTHING };
    if (!isRecord(given)) return this.#refuse("wrong-type", pointer, "This is no schema.");
    if (given["$ref"] !== undefined) return this.#follow(given, pointer, refs);
    const { type, nullable } = this.#typeOf(given, pointer);
    this.#checkKeywords(given, type, pointer);
    return { ...this.#ofType(type, given, pointer, refs), ...(nullable && { nullable }), ...notesOf(given) };
  }

  #checkKeywords(schema: JsonRecord, type: string, pointer: string): void {
    const known = ["type", ...ANNOTATIONS, ...(KEYWORDS_OF[type] ?? [])];
    const where = type === "" ? "" : ` at type ${type}`;
    for (const key of Object.keys(schema))
      if (!known.includes(key)) this.#refuse("not-allowed", pointer, `\`${clipText(key)}\` is not supported${where}.`);
  }

  #follow(schema: JsonRecord, pointer: string, refs: readonly string[]): JsonRecord {
    const target = schema["$ref"];
    const others = Object.keys(schema).filter((key) => key !== "$ref" && !ANNOTATIONS.includes(key));
    if (others.length > 0)
      return this.#refuse("not-allowed", pointer, `\`${clipText(others[0] ?? "")}\` beside \`$ref\` is not supported.`);
    if (typeof target !== "string" || !target.startsWith("#/"))
      return this.#refuse("not-allowed", pointer, `\`$ref: ${clipText(shown(target))}\` leads out of the schema.`);
    if (refs.includes(target) || refs.length > FORMAT_LIMITS.nesting)
      return this.#refuse("cycle", pointer, `\`$ref: ${clipText(target)}\` leads back to itself.`);
    let found: JsonValue | undefined = this.#root;
    for (const step of target.slice(2).split("/")) {
      const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
      found = isRecord(found) ? ownValue(found, key) : undefined;
    }
    if (found === undefined)
      return this.#refuse("unknown-name", pointer, `\`$ref: ${clipText(target)}\` leads nowhere.`);
    const field = this.read(found, target, [...refs, target]);
    return typeof schema["description"] === "string" ? { ...field, about: schema["description"] } : field;
  }

  #typeOf(schema: JsonRecord, pointer: string): { readonly type: string; readonly nullable: boolean } {
    const given = schema["type"];
    const listed = Array.isArray(given) ? given : [given];
    const types = listed.filter((type) => type !== "null" && type !== undefined);
    const nullable = listed.includes("null");
    const [type] = types;
    if (types.length === 1 && typeof type === "string" && Object.hasOwn(KEYWORDS_OF, type)) return { type, nullable };
    if (types.length === 0 && !nullable) {
      if (schema["enum"] !== undefined || schema["const"] !== undefined) return { type: "string", nullable };
      return { type: schema["properties"] === undefined ? "" : "object", nullable };
    }
    this.#refuse("not-allowed", pointer, `\`type: ${clipText(JSON.stringify(given))}\` is not supported.`);
    return { type: "", nullable };
  }

  #ofType(type: string, schema: JsonRecord, pointer: string, refs: readonly string[]): JsonRecord {
    switch (type) {
      case "string":
        return this.#text(schema, pointer);
      case "number":
      case "integer": {
        const { minimum, maximum } = schema;
        return { type, ...(minimum !== undefined && { minimum }), ...(maximum !== undefined && { maximum }) };
      }
      case "boolean":
        return { type };
      case "array": {
        const least = schema["minItems"];
        const item = this.read(schema["items"] ?? true, `${pointer}/items`, refs);
        return { type: "list", item, ...(least !== undefined && { at_least: least }) };
      }
      case "object":
        return this.#object(schema, pointer, refs);
    }
    return { ...ANYTHING };
  }

  #text(schema: JsonRecord, pointer: string): JsonRecord {
    const { pattern, maxLength, minLength } = schema;
    const words = schema["const"] === undefined ? schema["enum"] : [schema["const"]];
    if (words !== undefined && !(Array.isArray(words) && words.every((word) => typeof word === "string")))
      return this.#refuse("not-allowed", pointer, "Only texts are supported in `enum` and `const`.");
    if (minLength !== undefined && minLength !== 0 && minLength !== 1)
      this.#refuse("not-allowed", pointer, "`minLength` is supported as 0 or 1; `pattern` can say more.");
    return {
      type: "text",
      ...(words === undefined ? minLength !== 1 && { empty: true } : { words }),
      ...(pattern === undefined ? formOf(schema["format"]) : { pattern }),
      ...(maxLength !== undefined && { max_length: maxLength }),
    };
  }

  #object(schema: JsonRecord, pointer: string, refs: readonly string[]): JsonRecord {
    const { properties, required, additionalProperties: others } = schema;
    if (others !== undefined && typeof others !== "boolean" && !(isRecord(others) && Object.keys(others).length === 0))
      this.#refuse("not-allowed", `${pointer}/additionalProperties`, "A schema for other properties is not supported.");
    if (!isRecord(properties) || Object.keys(properties).length === 0) return { type: "map" };
    const needed = Array.isArray(required) ? required : [];
    const unknown = needed.find((key) => typeof key !== "string" || !Object.hasOwn(properties, key));
    if (unknown !== undefined)
      this.#refuse(
        "unknown-name",
        pointer,
        `\`${clipText(shown(unknown))}\` is required, but not among the properties.`,
      );
    const fields: JsonRecord = {};
    for (const key of Object.keys(properties)) {
      const field = this.read(ownValue(properties, key), `${pointer}/properties/${key}`, refs);
      fields[key] = needed.includes(key) ? { ...field, required: true } : field;
    }
    return { type: "record", fields, ...(others === false && { closed: true }) };
  }

  #refuse(code: DiagnosticCode, pointer: string, message: string): JsonRecord {
    this.#problems.add({
      code,
      path: ["schema"],
      message: `${message} It stands at \`${clipText(pointer)}\` of the schema.`,
      hint: SUPPORTED,
    });
    return { ...ANYTHING };
  }
}

/** Forms that are checked; JSON Schema takes the others for annotations. */
function formOf(format: JsonValue | undefined): JsonRecord {
  const named = typeof format === "string" ? ownValue(FORMATS, format) : undefined;
  return named === undefined ? {} : { format: named };
}

function notesOf({ description, examples }: JsonRecord): JsonRecord {
  const [example] = Array.isArray(examples) ? examples : [];
  return {
    ...(typeof description === "string" && { about: description.slice(0, FORMAT_LIMITS.sentence) }),
    ...(example !== undefined && { example }),
  };
}

const ANYTHING: JsonRecord = { type: "anything" };
