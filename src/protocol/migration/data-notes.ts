import { YAMLException } from "js-yaml";
import { isRecord, type JsonPath, type JsonRecord, type JsonValue } from "../../shared/json-value.ts";
import { DEFAULT_LIMITS } from "../limits.ts";
import { hasManyBrackets, parseJson } from "../syntax/json.ts";
import { mapJson } from "../syntax/json-source-map.ts";
import type { SourceMap } from "../syntax/syntax.ts";
import { yamlDocuments, yamlEvents } from "../syntax/yaml.ts";
import { mapYaml } from "../syntax/yaml-source-map.ts";
import type { NoteBlock } from "./note-blocks.ts";
import { type Span, oneLine } from "./note-text.ts";
import { type Context, NO_CONTEXT, contextOf } from "./note-topics.ts";
import { type OutcomeStatement, isOutcomeName, statedOutcome } from "./stated-outcome.ts";

/** Notes that are records of another format: their keys announce what stands under them, as headings do. */
export interface DataNotes {
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
      else if (leaf.context.topics.length > 0) blocks.push(blockOf(span, leaf.context));
      if (blocks.length >= MOST_BLOCKS) return { blocks, outcomes };
    }
  return { blocks, outcomes };
}

/** Each is looked up in the text by its path. */
const MOST_BLOCKS = 2_000;

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
}

/** What a key announces holds for the lists under it; a record in a list is a thing of its own. */
function* leavesIn(value: JsonValue | undefined, path: JsonPath, context: Context, inList: boolean): Generator<Leaf> {
  if (typeof value === "string") yield { path, text: value, context };
  else if (Array.isArray(value))
    for (const [at, item] of value.entries()) yield* leavesIn(item, [...path, at], context, true);
  else if (isRecord(value))
    for (const [key, inner] of Object.entries(value)) {
      const announced = contextOf(key.replaceAll(/[_-]/g, " ")) ?? (inList ? NO_CONTEXT : context);
      yield* leavesIn(inner, [...path, key], announced, false);
    }
}

/** Where the text says it in so many words; null where it is escaped or folded. */
function saidAt(text: string, { start, end }: Span, said: string): Span | null {
  const at = text.slice(start, end).indexOf(said.trim());
  if (at === -1 || oneLine(said) === "") return null;
  return { start: start + at, end: start + at + said.trim().length };
}

function blockOf(span: Span, context: Context): NoteBlock {
  return { ...span, kind: "item", context, above: null, isLabel: false, ticked: null, isBackground: false };
}
