import * as formats from "../format.ts";
import type { TextFormat } from "../format.ts";

/** The words of a format file. One table for its reader, its JSON Schema and its page. */

export const TOP_KEYS = [
  "format",
  "name",
  "title",
  "about",
  "syntax",
  "stands",
  "when",
  "outcome",
  "fields",
  "closed",
  "rules",
  "example",
  "schema",
  "mapping",
] as const;

export const STANDS_KEYS = ["file", "keys", "heading", "element"] as const;
export const RULE_KEYS = ["id", "says", "when", "require", "forbid", "check", "severity"] as const;

export const FIELD_TYPES = ["text", "number", "integer", "boolean", "list", "record", "map", "anything"] as const;
export type FieldType = (typeof FIELD_TYPES)[number];

/** Keys of every field, and those that belong to a type. */
export const FIELD_KEYS = [
  "type",
  "about",
  "is",
  "required",
  "required_when",
  "nullable",
  "default",
  "fill",
  "example",
] as const;

export const KEYS_OF_TYPE: Readonly<Record<FieldType, readonly string[]>> = {
  text: ["words", "format", "pattern", "none", "max_length", "empty"],
  number: ["minimum", "maximum"],
  integer: ["minimum", "maximum"],
  boolean: ["words"],
  list: ["item", "at_least", "element"],
  record: ["fields", "closed"],
  map: [],
  anything: [],
};

/** Forms of texts that can be asked for by name. */
export const TEXT_FORMATS: Readonly<Record<string, TextFormat>> = Object.fromEntries(
  [
    formats.timestamp,
    formats.utcTimestamp,
    formats.calendarDate,
    formats.relativePath,
    formats.fileLine,
    formats.lineRange,
    formats.tag,
    formats.agentName,
    formats.atName,
    formats.kebabName,
    formats.oneLine,
    formats.webAddress,
    formats.percentText,
    formats.word,
  ].map((format) => [format.name, format]),
);

export const FORMAT_LIMITS = {
  bytes: 262_144,
  depth: 40,
  nodes: 20_000,
  /** Fields, those of records and entries included. */
  fields: 500,
  /** Records and lists inside each other. */
  nesting: 8,
  words: 100,
  rules: 100,
  sentence: 500,
  name: 64,
} as const;
