import { type JsonPath, type JsonValue, isRecord, shown } from "../../shared/json-value.ts";
import type { Standing, SyntaxName } from "../dialect.ts";
import { type Problems, clipText, unknownKey } from "../file-problems.ts";
import { STANDS_KEYS } from "./field-keys.ts";
import type { FieldModel } from "./format-model.ts";

const NOWHERE: Standing = { files: [], keys: [], heading: null, element: null };
const HINT =
  'For example: stands: { keys: [relay, author] }, or { file: "relay-*.json" }, { heading: Relay }, { element: relay }';

/** Where a handoff of the format stands, and so how it is recognised. */
export function readStanding(
  value: JsonValue | undefined,
  syntax: SyntaxName,
  fields: readonly FieldModel[],
  problems: Problems,
): Standing {
  if (!isRecord(value)) {
    const place = value === undefined ? { path: [], atKey: true } : { path: ["stands"] };
    const message = "`stands` says where such a handoff stands.";
    problems.add({ code: value === undefined ? "missing-field" : "wrong-type", ...place, message, hint: HINT });
    return NOWHERE;
  }
  for (const key of Object.keys(value)) if (!KEYS.includes(key)) unknownKey(key, KEYS, ["stands"], problems);
  const stands: Standing = {
    files: textsAt(
      value["file"],
      ["stands", "file"],
      FILE_NAME,
      "the name of a file, in which `*` is any text",
      problems,
    ),
    keys: textsAt(value["keys"], ["stands", "keys"], /^.{1,64}$/u, "a key at the root of the document", problems),
    heading:
      textsAt(value["heading"], ["stands", "heading"], /^[^#\n]{1,80}$/u, "the text of one heading", problems)[0] ??
      null,
    element:
      textsAt(
        value["element"],
        ["stands", "element"],
        /^[A-Za-z_][\w-]{0,63}$/,
        "the name of an element",
        problems,
      )[0] ?? null,
  };
  checkSyntax(stands, syntax, problems);
  checkKeys(stands, fields, problems);
  return stands;
}

const KEYS: readonly string[] = STANDS_KEYS;
const FILE_NAME = /^(?=.*[^*.])[^/\\\n]{1,100}$/u;

function textsAt(value: JsonValue | undefined, at: JsonPath, form: RegExp, what: string, problems: Problems): string[] {
  if (value === undefined) return [];
  const list = Array.isArray(value) ? value : [value];
  if (list.length === 0 || list.length > 10)
    problems.add({ code: "wrong-type", path: at, message: "Here stand 1 to 10 texts.", hint: HINT });
  return list.flatMap((item, index) => {
    if (typeof item === "string" && form.test(item) && item.trim() !== "") return [item];
    const path = Array.isArray(value) ? [...at, index] : at;
    problems.add({ code: "bad-format", path, message: `\`${clipText(shown(item))}\` is not ${what}.`, hint: HINT });
    return [];
  });
}

function checkSyntax({ files, keys, heading, element }: Standing, syntax: SyntaxName, problems: Problems): void {
  const at = { path: ["stands"], atKey: true } as const;
  if (syntax === "xml") {
    if (element === null)
      problems.add({
        code: "missing-field",
        ...at,
        message: "An XML format is known by its element.",
        hint: "For example: stands: { element: relay }",
      });
    if (element === "handoff" || element === "workflow-complete")
      problems.add({
        code: "reserved-name",
        path: ["stands", "element"],
        message: `\`<${element}>\` is the element of issue-xml.`,
        hint: "Give the format an element of its own.",
      });
    if (keys.length > 0 || heading !== null)
      problems.add({
        code: "inconsistent",
        ...at,
        message: "`keys` and `heading` belong to JSON and YAML.",
        hint: "Leave them out: an XML format is known by its element.",
      });
  } else if (element !== null)
    problems.add({
      code: "inconsistent",
      path: ["stands", "element"],
      atKey: true,
      message: "`element` belongs to XML.",
      hint: HINT,
    });
  else if (files.length === 0 && keys.length === 0 && heading === null)
    problems.add({ code: "missing-field", ...at, message: "`stands` names no place.", hint: HINT });
}

/** A key by which the format is known must be one of its fields. */
function checkKeys({ keys }: Standing, fields: readonly FieldModel[], problems: Problems): void {
  for (const [index, key] of keys.entries())
    if (fields.length > 0 && !fields.some(({ name }) => name === key))
      problems.unknownName(
        "field",
        key,
        fields.map(({ name }) => name),
        ["stands", "keys", index],
      );
}
