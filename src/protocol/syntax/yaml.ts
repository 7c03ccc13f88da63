import {
  CORE_SCHEMA,
  DUMP_SCHEMA,
  type Event,
  type TagDefinition,
  NOT_RESOLVED,
  YAMLException,
  constructFromEvents,
  defineScalarTag,
  dump,
  floatCoreTag,
  intCoreTag,
  parseEvents,
} from "js-yaml";
import type { Limits } from "../limits.ts";
import { numberAsWritten } from "./exact-number.ts";
import { hasTooManyItems } from "./yaml-items.ts";

const FIRST_CHARACTERS = [..."-0123456789"];

const exactInteger = defineScalarTag(intCoreTag.tagName, {
  ...intCoreTag,
  implicitFirstChars: FIRST_CHARACTERS,
  resolve: (source) => numberAsWritten(source) ?? NOT_RESOLVED,
});

const exactFloat = defineScalarTag(floatCoreTag.tagName, {
  ...floatCoreTag,
  implicitFirstChars: FIRST_CHARACTERS,
  resolve: (source) => numberAsWritten(source) ?? NOT_RESOLVED,
});

const EXACT_SCHEMA = CORE_SCHEMA.withTags(exactInteger, exactFloat);

/** The reason of the exception that refuses a text for its number of values. */
export const TOO_MANY_VALUES = "too many values";

/**
 * The limit counts records and lists, the parser also a single value, and once more where it may turn out
 * to be a key. What it lets through is refused by the check of the document.
 */
export function yamlEvents(text: string, limits: Limits): Event[] {
  const settings = { maxDepth: limits.depth + 2 };
  if (hasTooManyItems(text, limits)) refuseLarge(text, settings);
  return parseEvents(text, settings);
}

/** A text that is nested too deep is told so: most such texts show it at their very beginning. */
function refuseLarge(text: string, settings: { maxDepth: number }): never {
  try {
    parseEvents(text.slice(0, BEGINNING), settings);
  } catch (error) {
    if (error instanceof YAMLException && TOO_DEEP.test(error.reason)) throw error;
  }
  throw new YAMLException(TOO_MANY_VALUES);
}

const BEGINNING = 20_000;

/** What the parser says of a text that is nested too deep. */
export const TOO_DEEP = /depth|nest/i;

/** The documents of a YAML text. Aliases are refused; keys written twice too, unless `tolerant`. */
export function yamlDocuments(text: string, events: Event[], tolerant = false): unknown[] {
  return constructFromEvents(events, { source: text, schema: EXACT_SCHEMA, maxAliases: 0, json: tolerant });
}

/** Writes numbers as JavaScript prints them, so that they are read back as numbers. */
const PRINT_SCHEMA = DUMP_SCHEMA.withTags(
  DUMP_SCHEMA.tags
    .filter((tag) => tag.nodeKind === "scalar" && tag.tagName === floatCoreTag.tagName)
    .map((tag) => ({ ...tag, represent: String }) as TagDefinition),
);

export function printYaml(value: unknown): string {
  return dump(value, { schema: PRINT_SCHEMA, lineWidth: -1, noRefs: true, quoteStyle: "double" });
}
