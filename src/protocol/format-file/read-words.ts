import { type JsonPath, type JsonRecord, type JsonValue, isRecord, ownValue, shown } from "../../shared/json-value.ts";
import { nearestWord, sameWordOtherSpelling } from "../../shared/nearest-word.ts";
import { type Problems, clipText } from "../file-problems.ts";
import type { TextFormat } from "../format.ts";
import { FORMAT_LIMITS, TEXT_FORMATS } from "./field-keys.ts";
import type { ValueModel, WordModel } from "./format-model.ts";
import { readPattern } from "./linear-pattern.ts";
import { numberAt, truthAt } from "./plain-values.ts";

/** A text: any, one of some words, or one of a form. */
export function readText(record: JsonRecord, at: JsonPath, problems: Problems): ValueModel {
  const none = record["none"];
  if (none !== undefined && (typeof none !== "string" || none.trim() === ""))
    problems.add({
      code: "wrong-type",
      path: [...at, "none"],
      message: "`none` is the word that means that there is none.",
      hint: "For example: none: nobody",
    });
  return {
    type: "text",
    words: readWords(record["words"], [...at, "words"], problems),
    format: readForm(record, at, problems),
    none: typeof none === "string" ? none : null,
    maxLength: numberAt(record, "max_length", at, problems),
    mayBeEmpty: truthAt(record, "empty", at, problems),
  };
}

/** True or false; with `words`, what each of them means. */
export function readTruth(record: JsonRecord, at: JsonPath, problems: Problems): ValueModel {
  const given = record["words"];
  if (given === undefined) return { type: "boolean", words: null };
  const words = isRecord(given) ? meant(given) : null;
  if (words?.length === 2 && words.every(({ word }) => word === "true" || word === "false"))
    return { type: "boolean", words };
  problems.add({
    code: "inconsistent",
    path: [...at, "words"],
    message: "The words of a truth value are `true` and `false`, each with what it means.",
    hint: "For example: words: { true: done, false: failed }. For other words use `type: text`.",
  });
  return { type: "boolean", words: null };
}

const WORDS_HINT = "A list of words, or each with what it means: words: { hoch: high, niedrig: low }";

function readWords(value: JsonValue | undefined, at: JsonPath, problems: Problems): readonly WordModel[] | null {
  if (value === undefined) return null;
  const words = Array.isArray(value) ? listed(value) : isRecord(value) ? meant(value) : null;
  if (words === null && typeof value === "object" && value !== null) {
    reportNoWord(value, at, problems);
    return null;
  }
  if (words === null || words.length === 0 || words.length > FORMAT_LIMITS.words) {
    const message = `\`words\` names 1 to ${FORMAT_LIMITS.words} words.`;
    problems.add({ code: "wrong-type", path: at, message, hint: WORDS_HINT });
    return null;
  }
  words.forEach(({ word }, index) => checkWord(word, words.slice(0, index), at, Array.isArray(value), index, problems));
  return words;
}

/** In YAML `true` and `3` are no texts, unless they are in quotes. */
function reportNoWord(words: JsonRecord | readonly JsonValue[], at: JsonPath, problems: Problems): void {
  for (const [key, value] of Object.entries(words)) {
    if (typeof value === "string" || (typeof value === "boolean" && !Array.isArray(words))) continue;
    const [path, what] = Array.isArray(words) ? [[...at, Number(key)], "a word"] : [[...at, key], "what a word means"];
    const message = `\`${clipText(shown(value))}\` is not ${what}: it is no text.`;
    const isScalar = typeof value === "number" || typeof value === "boolean";
    problems.add({
      code: "wrong-type",
      path,
      message,
      hint: isScalar ? `Put it in quotes: "${String(value)}".` : WORDS_HINT,
    });
    return;
  }
}

function listed(list: readonly JsonValue[]): WordModel[] | null {
  return list.every((word) => typeof word === "string") ? list.map((word) => ({ word, means: word })) : null;
}

function meant(record: JsonRecord): WordModel[] | null {
  const words = Object.keys(record).map((word) => ({ word, means: ownValue(record, word) }));
  return words.every((word): word is WordModel => typeof word.means === "string" || typeof word.means === "boolean")
    ? words
    : null;
}

/** Words that differ only in case or hyphens could not be told apart in a misspelled handoff. */
function checkWord(
  word: string,
  before: readonly WordModel[],
  at: JsonPath,
  isList: boolean,
  index: number,
  problems: Problems,
): void {
  const place = { path: [...at, isList ? index : word], atKey: !isList };
  const other = sameWordOtherSpelling(
    word,
    before.map((earlier) => earlier.word),
  );
  if (other !== null) {
    const message = `\`${clipText(word)}\` and \`${clipText(other)}\` are the same word but for case, \`-\`, \`_\` and spaces.`;
    problems.add({ code: "inconsistent", ...place, message, hint: "Keep one of them." });
  } else if (
    word.trim() === "" ||
    word !== word.trim() ||
    word.length > FORMAT_LIMITS.name ||
    /[\p{Cc}|]/u.test(word)
  ) {
    const message = `\`${clipText(word)}\` cannot be a word.`;
    const hint = `A word has at most ${FORMAT_LIMITS.name} characters, no space at its ends, no line break and no \`|\`.`;
    problems.add({ code: "bad-format", ...place, message, hint });
  }
}

/** A form by its name, or by a pattern. */
function readForm(record: JsonRecord, at: JsonPath, problems: Problems): TextFormat | null {
  const [format, pattern] = [record["format"], record["pattern"]];
  if (pattern !== undefined) return readOwnForm(pattern, record, at, problems);
  if (format === undefined) return null;
  const known = typeof format === "string" ? ownValue(TEXT_FORMATS, format) : undefined;
  if (known === undefined) {
    const names = Object.keys(TEXT_FORMATS);
    const meantName = typeof format === "string" ? nearestWord(format, names) : null;
    const hint =
      meantName === null
        ? `There are ${names.join(", ")}; \`pattern\` describes another.`
        : `Did you mean ${meantName}?`;
    problems.add({ code: "not-allowed", path: [...at, "format"], message: "No form of texts has this name.", hint });
  }
  return known ?? null;
}

function readOwnForm(value: JsonValue, record: JsonRecord, at: JsonPath, problems: Problems): TextFormat | null {
  const path = [...at, "pattern"];
  const reading = typeof value === "string" ? readPattern(value) : null;
  if (reading === null || reading.problem !== null) {
    const { start, end, message, hint } = reading?.problem ?? {
      start: 0,
      end: 0,
      message: "A pattern is a text in quotes.",
      hint: 'For example: pattern: "^[A-Z]+-[0-9]+$"',
    };
    problems.add({ code: "bad-format", path, ...(end > start && { within: { start, end } }), message, hint });
    return null;
  }
  const { pattern } = reading;
  const example = typeof record["example"] === "string" ? record["example"] : "";
  return {
    name: "pattern",
    description: `text of the form ${pattern.source}`,
    pattern: pattern.source,
    example: example === "" ? `a text of the form ${pattern.source}` : example,
    accepts: (text) => pattern.matches(text),
  };
}
