import type { Standing, SyntaxName } from "../../dialect.ts";

import { DIALECTS } from "../../dialects/registry.ts";
import type { FieldType } from "../field-keys.ts";
import type { DraftField } from "./draft.ts";
import { bareName } from "./guess-place.ts";
import type { SampleDocument, SampleFile } from "./sample-documents.ts";
import type { SeenValues } from "./seen-values.ts";

interface LearnedStanding {
  readonly stands: Standing;
  readonly notes: readonly string[];
}

/** Where the documents stand, and so how others of the format are recognised. */
export function inferStanding(
  syntax: SyntaxName,
  documents: readonly SampleDocument[],
  files: readonly SampleFile[],
  seen: SeenValues,
  fields: readonly DraftField[],
): LearnedStanding {
  const names = documents.filter(({ isWholeFile }) => isWholeFile).map(({ file }) => baseName(files[file]?.path ?? ""));
  const pattern = names.length === documents.length ? filePattern(names) : null;
  const notes = pattern === null ? [] : [`all ${names.length} files have such a name`];
  if (syntax === "xml") {
    const element = documents[0]?.root?.name ?? "";
    return { stands: { files: pattern === null ? [] : [pattern], keys: [], heading: null, element }, notes };
  }
  const keys = tellingKeys(seen, fields);
  if (keys.length > 0) notes.push("`keys` are in every document and rare elsewhere; check that nothing else has them");
  const heading = commonHeading(documents);
  return { stands: { files: pattern === null ? [] : [pattern], keys, heading, element: null }, notes };
}

export function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}

/** `report-*.json`; null when the names have nothing in common that says what they are. */
function filePattern(names: readonly string[]): string | null {
  const [first] = names;
  if (first === undefined || names.length < 2) return null;
  if (names.every((name) => name === first)) return first.length <= MAX_PATTERN ? first : null;
  const prefix = commonPrefix(names);
  const suffix = reversed(commonPrefix(names.map((name) => reversed(name.slice(prefix.length)))));
  const start = /^.*[^\p{L}\p{N}]/u.exec(prefix)?.[0] ?? "";
  const end = /[^\p{L}\p{N}].*$/u.exec(suffix)?.[0] ?? "";
  const says = `${start}${end.replace(/\.\w+$/, "")}`;
  return /\p{L}{3}/u.test(says) && start.length + end.length < MAX_PATTERN ? `${start}*${end}` : null;
}

const MAX_PATTERN = 100;

function commonPrefix(texts: readonly string[]): string {
  const [first = ""] = texts;
  let length = first.length;
  for (const text of texts) while (!text.startsWith(first.slice(0, length))) length--;
  return first.slice(0, length);
}

function reversed(text: string): string {
  return [...text].reverse().join("");
}

/** Keys that documents of every kind have. */
const COMMON =
  /^(?:id|name|title|type|kind|status|state|version|schema_version|date|time|timestamp|created_at|updated_at|author|description|summary|data|metadata|meta|notes|tags|files|context|content|message|result|results|items|source|path|url|config|options)$/;

/** A few keys of every document, the most telling ones; enough of them that other documents hardly have them all. */
function tellingKeys(seen: SeenValues, fields: readonly DraftField[]): string[] {
  const always = fields.map(({ name }) => name).filter((name) => seen.fields.get(name)?.values === seen.values);
  const telling = always.filter((name) => !COMMON.test(bareName(name)));
  const common = always.filter((name) => COMMON.test(bareName(name)));
  return [...telling.slice(0, 3), ...common].slice(0, Math.max(3, Math.min(telling.length, 3)));
}

/** A condition that holds for these documents and not for those of the formats that they are recognised as. */
export function inferDecision(
  documents: readonly SampleDocument[],
  seen: SeenValues,
  fields: readonly DraftField[],
): string | null {
  const rivals = [...new Set(documents.flatMap(({ knownAs }) => (knownAs === null ? [] : [knownAs])))];
  if (rivals.length === 0) return null;
  const own = fields.filter(
    ({ name }) =>
      seen.fields.get(name)?.values === seen.values &&
      /^[\p{L}_][\p{L}\p{N}_]*$/u.test(name) &&
      rivals.every((rival) => !Object.hasOwn(DIALECTS[rival].shape.fields, name)),
  );
  const plain = own.find(({ type, mayBeEmpty }) => PLAIN_TYPES.includes(type) && !mayBeEmpty);
  return plain === undefined ? (own[0]?.name ?? null) : `${plain.name} != null`;
}

const PLAIN_TYPES: readonly FieldType[] = ["text", "number", "integer", "boolean"];

function commonHeading(documents: readonly SampleDocument[]): string | null {
  const [heading] = documents.map((document) => document.heading);
  if (heading === null || heading === undefined || !/^[^#\n]{1,80}$/u.test(heading)) return null;
  return documents.every((document) => document.heading === heading) ? heading : null;
}

const RESERVED =
  /^(?:handoff|canonical|workflow|format|none|all|a2a|pipeline-json|issue-xml|phase-yaml|task-yaml|output-json)$/;

/** A name for the format, from the names of its files, its element or its heading. */
export function inferName({ files, heading, element }: Standing): string {
  const source = element ?? heading ?? files[0]?.replace(/\.\w+$/, "") ?? "";
  const words = bareName(source)
    .normalize("NFKD")
    .replaceAll(/[^a-z0-9_]/g, "")
    .split("_")
    .filter((word) => /^[a-z]/.test(word));
  const name = words.slice(0, 4).join("-").slice(0, 40).replace(/-$/, "");
  return name === "" ? "team-handoff" : RESERVED.test(name) ? `team-${name}` : name;
}
