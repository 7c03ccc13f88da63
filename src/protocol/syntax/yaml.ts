import {
  CORE_SCHEMA,
  DUMP_SCHEMA,
  type Event,
  type TagDefinition,
  NOT_RESOLVED,
  constructFromEvents,
  defineScalarTag,
  dump,
  floatCoreTag,
  intCoreTag,
  parseEvents,
} from "js-yaml";
import type { Limits } from "../limits.ts";
import { numberAsWritten } from "./exact-number.ts";

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

export function yamlEvents(text: string, limits: Limits): Event[] {
  return parseEvents(text, { maxDepth: limits.depth });
}

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
