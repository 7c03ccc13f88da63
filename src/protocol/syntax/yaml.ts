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
  mapTag,
  parseEvents,
} from "js-yaml";
import type { Limits } from "../limits.ts";
import { parsePlainYaml } from "./plain-yaml.ts";
import { type NumberSpelling, WrittenNumber, readPlainNumber, withSpelling } from "./written-number.ts";

const FIRST_CHARACTERS = [..."-0123456789"];

/** Both are made when a text needs one of them: the command loads js-yaml only then. */
const schemas = {
  exact: once(() => CORE_SCHEMA.withTags(exactTag(intCoreTag), exactTag(floatCoreTag), namedByTexts())),
  /** Writes numbers as they were written, others as JavaScript prints them, so that they are read back as numbers. */
  print: once(() =>
    DUMP_SCHEMA.withTags(
      DUMP_SCHEMA.tags
        .filter((tag) => tag.nodeKind === "scalar" && tag.tagName === floatCoreTag.tagName)
        .map(
          (tag) =>
            ({
              ...tag,
              identify: (value: unknown) => value instanceof WrittenNumber || tag.identify(value),
              represent: (value: unknown) => (value instanceof WrittenNumber ? value.text : String(value)),
            }) as TagDefinition,
        ),
    ),
  ),
};

function exactTag(tag: typeof intCoreTag): TagDefinition {
  return defineScalarTag(tag.tagName, {
    ...tag,
    implicitFirstChars: FIRST_CHARACTERS,
    resolve: (source) => readPlainNumber(source) ?? NOT_RESOLVED,
  });
}

/** Records whose keys are texts: `1.10` is the name of a field as it is written. */
function namedByTexts(): TagDefinition {
  const nameOf = (key: unknown): unknown => (key instanceof WrittenNumber ? key.text : key);
  return {
    ...mapTag,
    addPair: (record: Record<string, unknown>, key, value) => mapTag.addPair(record, nameOf(key), value),
    has: (record: Record<string, unknown>, key) => mapTag.has(record, nameOf(key)),
  };
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

/** What a YAML text holds. */
interface ParsedYaml {
  readonly documents: readonly unknown[];
  /** A key is written twice in one record; the last value counts here. */
  readonly hasDuplicates: boolean;
  /** Whether the documents may hold a `WrittenNumber`. */
  readonly hasWrittenNumbers: boolean;
  /** What js-yaml met on its way through the text: the source map is made from it. */
  readonly events: () => Event[];
}

/**
 * The documents of a YAML text; throws YAMLException. A text of the plain subset that nearly every agent
 * writes is read by a fast parser of our own, any other by js-yaml.
 */
export function parseYaml(text: string, limits: Limits): ParsedYaml {
  if (hasTooManyItems(text, limits)) refuseLarge(text, limits);
  let hasWrittenNumbers = false;
  const plain = parsePlainYaml(text, limits, () => {
    hasWrittenNumbers = true;
  });
  if (plain !== null)
    return { documents: [plain], hasDuplicates: false, hasWrittenNumbers, events: () => yamlEvents(text, limits) };
  const events = parseEvents(text, settingsFor(limits));
  return { ...constructDocuments(text, events), hasWrittenNumbers: DECIMAL.test(text), events: () => events };
}

/** A decimal point, so many digits that some could be lost, or -0: no other number is written as it does not print. */
const DECIMAL = /\d\.\d|\d{16}|-0/;

/** A key written twice is no reason to stop: the rest of the document can be checked all the same. */
function constructDocuments(text: string, events: Event[]): Pick<ParsedYaml, "documents" | "hasDuplicates"> {
  try {
    return { documents: yamlDocuments(text, events), hasDuplicates: false };
  } catch (error) {
    if (!(error instanceof YAMLException) || error.reason !== "duplicated mapping key") throw error;
    return { documents: yamlDocuments(text, events, true), hasDuplicates: true };
  }
}

/** The events of js-yaml, which it makes the documents from; throws YAMLException. */
export function yamlEvents(text: string, limits: Limits): Event[] {
  if (hasTooManyItems(text, limits)) refuseLarge(text, limits);
  return parseEvents(text, settingsFor(limits));
}

/**
 * The limit counts records and lists, the parser also a single value, and once more where it may turn out
 * to be a key. What it lets through is refused by the check of the document.
 */
function settingsFor(limits: Limits): { readonly maxDepth: number } {
  return { maxDepth: limits.depth + 2 };
}

/** The reason of the exception that refuses a text for its number of values. */
export const TOO_MANY_VALUES = "too many values";

/** A text that is nested too deep is refused for that: most such texts show it at their very beginning. */
function refuseLarge(text: string, limits: Limits): never {
  try {
    parseEvents(text.slice(0, BEGINNING), settingsFor(limits));
  } catch (error) {
    if (error instanceof YAMLException && TOO_DEEP.test(error.reason)) throw error;
  }
  throw new YAMLException(TOO_MANY_VALUES);
}

const BEGINNING = 20_000;

/** What the parser says of a text that is nested too deep. */
export const TOO_DEEP = /depth|nest/i;

/**
 * The documents of a YAML text, with `WrittenNumber`s in them. Aliases are refused; keys written twice too, unless
 * `tolerant`.
 */
export function yamlDocuments(text: string, events: Event[], tolerant = false): unknown[] {
  return constructFromEvents(events, { source: text, schema: schemas.exact(), maxAliases: 0, json: tolerant });
}

export function printYaml(document: unknown, spelling?: NumberSpelling): string {
  const value = spelling === undefined ? document : withSpelling(document, spelling);
  return dump(value, { schema: schemas.print(), lineWidth: -1, noRefs: true, quoteStyle: "double" });
}

/**
 * Whether a text has more commas than values are allowed, or more than two signs for each of them that may
 * begin or divide values: lines, brackets, commas, colons and hyphens. Such a text is not even parsed: the
 * parser's own notes on it would need most of the memory.
 */
function hasTooManyItems(text: string, limits: Limits): boolean {
  if (text.length <= limits.nodes) return false;
  let commas = 0;
  let others = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === COMMA) commas++;
    else if (code <= RETURN || code === COLON || code === HYPHEN) others += divides(code, text.charCodeAt(index + 1));
    else if (code === OPEN_BRACKET || code === OPEN_BRACE) others++;
  }
  return commas > limits.nodes || commas + others > 2 * limits.nodes;
}

/** Whether a line ends here, or a colon or hyphen has space behind it. */
function divides(code: number, next: number): number {
  if (code === COLON || code === HYPHEN) return next <= SPACE ? 1 : 0;
  return code === LINE_FEED || (code === RETURN && next !== LINE_FEED) ? 1 : 0;
}

const LINE_FEED = 10;
const RETURN = 13;
const SPACE = 32;
const COMMA = 44;
const HYPHEN = 45;
const COLON = 58;
const OPEN_BRACKET = 91;
const OPEN_BRACE = 123;
