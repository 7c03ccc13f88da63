import { type JsonPath, type JsonRecord, type JsonValue, isRecord, ownValue, shown } from "../../shared/json-value.ts";
import { Problems, clipText, unknownKey } from "../file-problems.ts";
import { relativePath } from "../format.ts";
import { parseJson } from "../syntax/json.ts";
import { convertSchema } from "./convert-schema.ts";

interface DescribedFields {
  /** As `fields` of a format file describes them. */
  readonly fields: JsonValue | undefined;
  /** Takes the problems of these fields. */
  readonly problems: Problems;
  /** Hands them on, each at its place in the file. */
  settle(): void;
  placeOf(path: JsonPath): JsonPath;
  /** Other keys at the root are refused. */
  readonly closed: boolean;
  /** The description with the schema inside. */
  readonly source: JsonRecord;
}

/** The fields of a format: described in the file, or taken from the JSON Schema that it points to and a mapping. */
export function fieldsOfSchema(
  file: JsonRecord,
  problems: Problems,
  readSchema: ((path: string) => string | null) | undefined,
): DescribedFields {
  const given = file["schema"];
  if (given === undefined) {
    if (file["mapping"] !== undefined)
      problems.add({
        code: "inconsistent",
        path: ["mapping"],
        atKey: true,
        message: "`mapping` belongs to `schema`.",
        hint: "Write `is` at each field instead.",
      });
    return {
      fields: file["fields"],
      problems,
      settle: () => undefined,
      placeOf: (path) => path,
      closed: false,
      source: file,
    };
  }
  if (file["fields"] !== undefined)
    problems.add({
      code: "inconsistent",
      path: ["fields"],
      atKey: true,
      message: "The fields are those of the schema.",
      hint: "Leave out `fields` or `schema`.",
    });
  const schema = isRecord(given) ? given : readSchemaFile(given, readSchema, problems);
  if (schema === null)
    return {
      fields: PLACEHOLDER,
      problems: new Problems(),
      settle: () => undefined,
      placeOf: (path) => path,
      closed: false,
      source: file,
    };
  const converted = convertSchema(schema, problems);
  const places = mapInto(converted, file["mapping"], problems);
  const inner = new Problems();
  const placeOf = (path: JsonPath): JsonPath => placeInMapping(path, places);
  return {
    fields: converted,
    problems: inner,
    settle: () => {
      for (const finding of inner.findings) problems.add({ ...finding, path: placeOf(finding.path) });
      problems.overflowed ||= inner.overflowed;
    },
    placeOf,
    closed: schema["additionalProperties"] === false,
    source: { ...file, schema },
  };
}

/** Keeps the rest of the file checkable when the schema cannot be read. */
const PLACEHOLDER: JsonRecord = { unread: { type: "anything" } };

const BESIDE = "Write its path from the folder of the format file, without `..`.";

function readSchemaFile(
  given: JsonValue,
  readSchema: ((path: string) => string | null) | undefined,
  problems: Problems,
): JsonRecord | null {
  const path = ["schema"];
  if (typeof given !== "string" || !relativePath.accepts(given)) {
    problems.add({
      code: "bad-format",
      path,
      message: "`schema` is the path of a JSON Schema, or the schema itself.",
      hint: BESIDE,
    });
    return null;
  }
  const text = readSchema?.(given) ?? null;
  if (text === null) {
    problems.add({
      code: "unknown-name",
      path,
      message: `The schema \`${clipText(given)}\` cannot be read.`,
      hint: BESIDE,
    });
    return null;
  }
  const parsed = parseJson(text);
  if (parsed !== null && isRecord(parsed.value)) return parsed.value;
  problems.add({
    code: "syntax-error",
    path,
    message: `\`${clipText(given)}\` is not a JSON object.`,
    hint: "Point to a JSON Schema written in JSON.",
  });
  return null;
}

const MAPPING_KEYS = ["is", "words", "none", "default", "fill", "about", "example"] as const;
const KEYS: readonly string[] = MAPPING_KEYS;
const MAPPING_HINT =
  'For example: mapping: { author: from, result.state: { is: outcome, words: { ok: done, ko: failed } }, "changes[].file": path }';

/** Puts the places into the fields. Gives the path of each mapped field with its key in the mapping. */
function mapInto(fields: JsonRecord, mapping: JsonValue | undefined, problems: Problems): Map<string, string> {
  const places = new Map<string, string>();
  if (!isRecord(mapping)) {
    problems.add({
      code: "missing-field",
      path: mapping === undefined ? [] : ["mapping"],
      message: "`mapping` says what the fields of the schema are.",
      hint: MAPPING_HINT,
    });
    return places;
  }
  for (const [key, value] of Object.entries(mapping)) {
    const found = fieldAt(fields, key);
    if (found === null) {
      problems.unknownName("field of the schema", key, fieldNames(fields), ["mapping", key]);
      continue;
    }
    const given = typeof value === "string" ? { is: value } : value;
    if (!isRecord(given)) {
      problems.add({
        code: "wrong-type",
        path: ["mapping", key],
        message: "A field is mapped to a place of the canonical handoff.",
        hint: MAPPING_HINT,
      });
      continue;
    }
    for (const inner of Object.keys(given))
      if (!KEYS.includes(inner)) unknownKey(inner, KEYS, ["mapping", key], problems);
    checkWords(found.field["words"], given, key, problems);
    Object.assign(found.field, given);
    places.set(JSON.stringify(found.path), key);
  }
  return places;
}

/** A mapping says what the words of an `enum` mean: all of them, and no others. */
function checkWords(allowed: JsonValue | undefined, given: JsonRecord, key: string, problems: Problems): void {
  if (!Array.isArray(allowed)) return;
  const { words, none } = given;
  const named = Array.isArray(words) ? words : isRecord(words) ? Object.keys(words) : null;
  const listed = `The schema allows ${clipText(allowed.map((word) => shown(word)).join(", "))}.`;
  const added = [...(named ?? []), ...(none === undefined ? [] : [none])].find((word) => !allowed.includes(word));
  if (added !== undefined) {
    const path = ["mapping", key, added === none ? "none" : "words"];
    const message = `\`${clipText(shown(added))}\` is no word of the schema.`;
    problems.add({ code: "not-allowed", path, message, hint: listed });
  }
  const left = named === null ? undefined : allowed.find((word) => word !== none && !named.includes(word));
  if (left === undefined) return;
  const message = `The word \`${clipText(shown(left))}\` of the schema has no meaning.`;
  problems.add({ code: "missing-field", path: ["mapping", key, "words"], message, hint: listed });
}

/** `changes[].file` in the described fields. */
function fieldAt(fields: JsonRecord, key: string): { readonly field: JsonRecord; readonly path: JsonPath } | null {
  let path: string[] = [];
  let field: JsonValue | undefined = { fields };
  for (const step of key.split(".")) {
    const name = step.replace(/(?:\[\])+$/, "");
    const inner: JsonValue | undefined = isRecord(field) ? field["fields"] : undefined;
    field = isRecord(inner) ? ownValue(inner, name) : undefined;
    path = [...path, "fields", name];
    for (let left = step.length - name.length; left > 0; left -= 2) {
      field = isRecord(field) ? field["item"] : undefined;
      path = [...path, "item"];
    }
  }
  return isRecord(field) ? { field, path } : null;
}

function fieldNames(fields: JsonRecord): string[] {
  return Object.keys(fields);
}

/** The key of the mapping that a path of the described fields was given by, or the schema. */
function placeInMapping(path: JsonPath, places: ReadonlyMap<string, string>): JsonPath {
  for (let length = path.length; length > 0; length--) {
    const key = places.get(JSON.stringify(path.slice(0, length)));
    if (key !== undefined) return ["mapping", key, ...path.slice(length)];
  }
  return ["schema"];
}
