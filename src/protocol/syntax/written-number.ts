import {
  type JsonPath,
  type JsonRecord,
  type JsonValue,
  isRecord,
  ownValue,
  printPath,
} from "../../shared/json-value.ts";
import type { Shape } from "../shape.ts";
import { numberAsWritten } from "./syntax.ts";

/**
 * A plain scalar that is a decimal number and does not print as it is written: `7.0`, `0.50`, or more digits than a
 * number keeps. The parser cannot know whether `15.10` is a figure or the id of a task: `settleNumbers` decides, by the
 * shape of the document.
 */
export class WrittenNumber implements JsonRecord {
  [key: string]: JsonValue | undefined;
  readonly text: string;
  /** Null when the number would lose digits. */
  readonly value: number | null;

  constructor(text: string, value: number | null) {
    this.text = text;
    this.value = value;
  }
}

/** Null for text. `007` and `1e3` are text: neither is how a figure is written, and ids look like both. */
export function readPlainNumber(source: string): number | WrittenNumber | null {
  const value = numberAsWritten(source);
  if (value !== null) return value;
  return DECIMAL.test(source) ? new WrittenNumber(source, valueOf(source)) : null;
}

const DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

function valueOf(source: string): number | null {
  // Without the sign of -0, which JSON does not keep.
  const value = Number(source) + 0;
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return null;
  const digits = source.replaceAll(/^-?[0.]*|\./g, "");
  const significant = digits.replace(/0+$/, "");
  if (value === 0) return significant === "" ? value : null;
  const printed = source.includes(".") ? source.replace(/\.?0+$/, "") : source;
  return significant.length <= SAFE_DIGITS || String(value) === printed ? value : null;
}

/** A double keeps every decimal number of so many digits. */
const SAFE_DIGITS = 15;

/** The numbers of a document that do not print as they are written, by their place: `handoff.metrics.score`. */
export type NumberSpelling = Readonly<Record<string, string>>;

interface SettledNumbers {
  readonly document: unknown;
  /** Null when every number prints as it is written. */
  readonly spelling: NumberSpelling | null;
  /** Values that stay text because a number would lose digits, where a number may be meant. */
  readonly inexact: readonly JsonPath[];
}

/**
 * Makes each written number of a parsed document a number or a text: what the shape says, and a number where it says
 * nothing, unless its key says that it names something. Changes the document, which must be freshly parsed.
 */
export function settleNumbers(document: unknown, shape: Shape): SettledNumbers {
  const walk = new NumberWalk();
  const settled = walk.settle(document as JsonValue, shape, []);
  return { document: settled, spelling: walk.isEmpty ? null : walk.spelling, inexact: walk.inexact };
}

class NumberWalk {
  readonly spelling: Record<string, string> = {};
  readonly inexact: JsonPath[] = [];
  isEmpty = true;

  settle(value: JsonValue | undefined, shape: Shape, path: JsonPath): JsonValue | undefined {
    if (value instanceof WrittenNumber) return this.#choose(value, shape, path);
    if (Array.isArray(value)) {
      for (const [at, item] of value.entries()) value[at] = this.settle(item, itemShape(shape), [...path, at]) ?? null;
    } else if (isRecord(value)) {
      for (const key of Object.keys(value))
        value[key] = this.settle(value[key], fieldShape(shape, key), [...path, key]);
    }
    return value;
  }

  #choose({ text, value }: WrittenNumber, shape: Shape, path: JsonPath): string | number {
    const { kind } = shape.kind === "nullable" ? shape.of : shape;
    if (kind === "text" || (kind !== "number" && isIdentifier(path))) return text;
    if (value === null) {
      this.inexact.push(path);
      return text;
    }
    this.isEmpty = false;
    this.spelling[printPath(path)] = text;
    return value;
  }
}

const OPEN: Shape = { kind: "anything" };

function itemShape(shape: Shape): Shape {
  const outer = shape.kind === "nullable" ? shape.of : shape;
  return outer.kind === "list" ? outer.item : OPEN;
}

function fieldShape(shape: Shape, key: string): Shape {
  const outer = shape.kind === "nullable" ? shape.of : shape;
  if (outer.kind === "map") return outer.values;
  return (outer.kind === "record" ? ownValue(outer.fields, key)?.shape : undefined) ?? OPEN;
}

/** Whether the nearest key says that the value names something: `node_version`, `baseCommit`, `tasks` above a list. */
function isIdentifier(path: JsonPath): boolean {
  const key = path.findLast((step) => typeof step === "string");
  return typeof key === "string" && (typeof path.at(-1) === "number" ? IDENTIFIERS : IDENTIFIER).test(key);
}

const NAMING_WORDS = "id|version|task|issue|commit|sha|hash|ref|revision|tag|branch|release|model";
const IDENTIFIER = new RegExp(`(?:^|[^A-Za-z])(?:${NAMING_WORDS})$|[a-z](?:${capitalized(NAMING_WORDS)})$`);
/** Of a list; on a single value the plural is a count. */
const IDENTIFIERS = new RegExp(
  `(?:^|[^A-Za-z])(?:${NAMING_WORDS}|dependencie|depends_on)s?$|[a-z](?:${capitalized(NAMING_WORDS)})s?$`,
);

function capitalized(words: string): string {
  return words.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase());
}

/** The document with its numbers as they were written, for a printer: those that still have the value. */
export function withSpelling(document: unknown, spelling: NumberSpelling): unknown {
  const walk = (value: unknown, path: JsonPath): unknown => {
    if (typeof value === "number") return spelled(value, ownValue(spelling, printPath(path)));
    if (Array.isArray(value)) return value.map((item, at) => walk(item, [...path, at]));
    if (!isRecord(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, walk(inner, [...path, key])]));
  };
  return walk(document, []);
}

function spelled(value: number, text: string | undefined): number | WrittenNumber {
  const read = text === undefined ? null : readPlainNumber(text);
  return read instanceof WrittenNumber && read.value === value ? read : value;
}

/** Only what the document still holds: parts of it may have been taken out since it was parsed. */
export function keptSpelling(document: JsonRecord, spelling: NumberSpelling): NumberSpelling | null {
  const kept: Record<string, string> = {};
  const walk = (value: unknown, path: JsonPath): void => {
    if (value instanceof WrittenNumber) kept[printPath(path)] = value.text;
    else if (Array.isArray(value)) for (const [at, item] of value.entries()) walk(item, [...path, at]);
    else if (isRecord(value)) for (const [key, inner] of Object.entries(value)) walk(inner, [...path, key]);
  };
  walk(withSpelling(document, spelling), []);
  return Object.keys(kept).length === 0 ? null : kept;
}
