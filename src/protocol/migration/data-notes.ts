import { YAMLException } from "js-yaml";
import { isRecord, type JsonPath, type JsonRecord, type JsonValue } from "../../shared/json-value.ts";
import { DEFAULT_LIMITS } from "../limits.ts";
import { hasManyBrackets, parseJson } from "../syntax/json.ts";
import { mapJson } from "../syntax/json-source-map.ts";
import type { SourceMap } from "../syntax/syntax.ts";
import { WrittenNumber } from "../syntax/written-number.ts";
import { yamlDocuments, yamlEvents } from "../syntax/yaml.ts";
import { mapYaml } from "../syntax/yaml-source-map.ts";
import type { NoteBlock } from "./note-blocks.ts";
import { type NoteSpan, joinedLines } from "./note-text.ts";
import { type Context, NO_CONTEXT, backgroundOf, contextOf } from "./note-titles.ts";
import { type OutcomeStatement, isOutcomeName, statedOutcome } from "./stated-outcome.ts";

/** Notes that are records of another format: their keys announce what stands under them, as headings do. */
interface DataNotes {
  readonly blocks: readonly NoteBlock[];
  readonly outcomes: readonly OutcomeStatement[];
}

interface DataDocument {
  readonly value: JsonRecord;
  readonly map: SourceMap;
}

/** Null when the text is prose. */
export function dataNotes(text: string): DataNotes | null {
  const documents = text.trimStart().startsWith("{") ? jsonDocument(text) : yamlRecords(text);
  if (documents === null) return null;
  const blocks: NoteBlock[] = [];
  const outcomes: OutcomeStatement[] = [];
  for (const { value, map } of documents)
    for (const leaf of leavesIn(value, [], NO_CONTEXT, false)) {
      const span = saidAt(text, map.locate(leaf.path, false), leaf.text);
      if (span === null) continue;
      if (leaf.path.length === 1 && isOutcomeName(String(leaf.path[0]))) outcomes.push(statedOutcome(text, span));
      else if (leaf.context.topics.length > 0) blocks.push(blockOf(span, leaf.context, fieldSpans(text, map, leaf)));
      if (blocks.length >= MAX_BLOCKS) return { blocks, outcomes };
    }
  return { blocks, outcomes };
}

/** Each is looked up in the text by its path. */
const MAX_BLOCKS = 2_000;

function jsonDocument(text: string): DataDocument[] | null {
  if (hasManyBrackets(text, DEFAULT_LIMITS)) return null;
  const value = parseJson(text)?.value;
  return isRecord(value) ? [{ value, map: mapJson(text) }] : null;
}

/** Names as programs write them: prose that YAML could read has titles and sentences for keys. */
const NAME = /^[a-z][a-z0-9_-]*$/;
const LEAST_NAMES = 3;

function yamlRecords(text: string): DataDocument[] | null {
  if (!/^\s*(?:---[ \t]*\r?\n\s*)?[a-z][\w-]*:/.test(text.slice(0, 1_000)) || /^#{2,6}[ \t]/m.test(text)) return null;
  try {
    const events = yamlEvents(text, DEFAULT_LIMITS);
    const records = yamlDocuments(text, events).filter((document) => document !== null);
    if (!records.every(isRecord)) return null;
    const names = records.flatMap((record) => Object.keys(record));
    if (names.length < LEAST_NAMES || !names.every((name) => NAME.test(name))) return null;
    return records.map((value, at) => ({ value, map: mapYaml(text, events, at) }));
  } catch (error) {
    if (error instanceof YAMLException) return null;
    throw error;
  }
}

interface Leaf {
  readonly path: JsonPath;
  readonly text: string;
  readonly context: Context;
  /** The other fields of the record that it is the statement of. */
  readonly fields: readonly { readonly name: string; readonly path: JsonPath; readonly text: string }[];
}

/** The key of a record in a list that holds the statement itself. */
const STATEMENT_KEYS =
  "decision issue risk gotcha question blocker step task item title description what name summary text criterion pattern limitation assumption".split(
    " ",
  );

/** What a key announces holds for the lists under it. */
function* leavesIn(value: JsonValue | undefined, path: JsonPath, context: Context, inList: boolean): Generator<Leaf> {
  if (value instanceof WrittenNumber) yield { path, text: value.text, context, fields: [] };
  else if (typeof value === "string") yield { path, text: value, context, fields: [] };
  else if (Array.isArray(value))
    for (const [at, item] of value.entries()) yield* leavesIn(item, [...path, at], context, true);
  else if (isRecord(value)) yield* recordLeaves(value, path, context, inList);
}

/** A record in a list is one statement with its fields, or a thing of its own. */
function* recordLeaves(record: JsonRecord, path: JsonPath, context: Context, inList: boolean): Generator<Leaf> {
  const statement = inList && context.topics.length > 0 ? statementKey(record) : undefined;
  if (statement !== undefined) yield recordLeaf(record, statement, path, context);
  for (const [key, inner] of Object.entries(record)) {
    const title = key.replaceAll(/[_-]/g, " ");
    const isTaken = statement !== undefined && typeof inner === "string";
    if (isTaken || backgroundOf(title) !== null) continue;
    const announced = contextOf(title) ?? (inList ? NO_CONTEXT : context);
    yield* leavesIn(inner, [...path, key], partOf(announced, context), false);
  }
}

function statementKey(record: JsonRecord): string | undefined {
  const keys = Object.keys(record);
  const known = STATEMENT_KEYS.find((key) => typeof record[key] === "string");
  return known ?? (keys.length === 1 && typeof record[keys[0] ?? ""] === "string" ? keys[0] : undefined);
}

function recordLeaf(record: JsonRecord, statement: string, path: JsonPath, context: Context): Leaf {
  const stated = Object.entries(record).flatMap(([name, text]) =>
    typeof text === "string" ? [{ name: name.replaceAll("_", " "), key: name, path: [...path, name], text }] : [],
  );
  const main = stated.find(({ key }) => key === statement);
  return {
    path: [...path, statement],
    text: main?.text ?? "",
    context,
    fields: stated.filter((field) => field !== main),
  };
}

/** `files: {created: [...]}` */
function partOf(announced: Context, outer: Context): Context {
  if (!announced.topics.includes("files") || !outer.topics.includes("files")) return announced;
  return { topics: ["files"], change: announced.change ?? outer.change };
}

/** Where the text says it in so many words; null where it is escaped or folded. */
function saidAt(text: string, { start, end }: NoteSpan, said: string): NoteSpan | null {
  const at = text.slice(start, end).indexOf(said.trim());
  if (at === -1 || joinedLines(said) === "") return null;
  return { start: start + at, end: start + at + said.trim().length };
}

function fieldSpans(text: string, map: SourceMap, { fields }: Leaf): NonNullable<NoteBlock["fields"]> {
  return fields.flatMap(({ name, path, text: said }) => {
    const span = saidAt(text, map.locate(path, false), said);
    return span === null ? [] : [{ name, span }];
  });
}

function blockOf(span: NoteSpan, context: Context, fields: NonNullable<NoteBlock["fields"]>): NoteBlock {
  const nothing = { above: null, isLabel: false, mark: null, background: null, columns: [] };
  return { ...span, kind: "item", context, fields, ...nothing };
}
