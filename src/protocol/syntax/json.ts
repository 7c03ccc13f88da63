import type { Limits } from "../limits.ts";

/** A value that JSON.parse read. */
interface JsonText {
  readonly value: unknown;
}

/** JSON.parse without an exception: null when the text is not JSON. */
export function parseJson(text: string): JsonText | null {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return null;
  }
}

/**
 * Counts the keys written in a JSON text that JSON.parse has accepted. A record with a key written
 * twice has fewer keys than its text, so this count against the parsed value's is an exact and cheap
 * test for duplicates. It hops from colon to colon: a key's follows a closing quote. A colon inside a
 * string follows anything else, an escaped quote, or the quote that opens the string; only that last
 * one can look like a key, and then the strings are counted one by one.
 */
export function countJsonKeys(text: string): number {
  let keys = 0;
  for (let colon = text.indexOf(":"); colon !== -1; colon = text.indexOf(":", colon + 1)) {
    const quote = lastOtherThanSpace(text, colon - 1);
    if (text.charCodeAt(quote) !== QUOTE || isEscaped(text, quote)) continue;
    if (mayOpen(text, quote)) return countKeyStrings(text);
    keys++;
  }
  return keys;
}

/** Whether the quote stands where a string may begin. */
function mayOpen(text: string, quote: number): boolean {
  const before = lastOtherThanSpace(text, quote - 1);
  const code = text.charCodeAt(before);
  return before < 0 || code === COMMA || code === OPEN_BRACKET || code === OPEN_BRACE || code === COLON;
}

function lastOtherThanSpace(text: string, from: number): number {
  let at = from;
  while (isSpace(text.charCodeAt(at))) at--;
  return at;
}

/** The same, hopping from quote to quote: never in doubt, and three times as long. */
export function countKeyStrings(text: string): number {
  let keys = 0;
  let quote = text.indexOf('"');
  while (quote !== -1) {
    let end = text.indexOf('"', quote + 1);
    while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
    if (end === -1) return keys;
    if (isKeyEnd(text, end)) keys++;
    quote = text.indexOf('"', end + 1);
  }
  return keys;
}

/** Whether the string that ends with this quote is a key. */
export function isKeyEnd(text: string, quote: number): boolean {
  let after = quote + 1;
  while (isSpace(text.charCodeAt(after))) after++;
  return text.charCodeAt(after) === COLON;
}

function isSpace(code: number): boolean {
  return code === SPACE || code === LINE_FEED || code === RETURN || code === TAB;
}

export function isEscaped(text: string, quote: number): boolean {
  let slashes = 0;
  while (text.charCodeAt(quote - 1 - slashes) === BACKSLASH) slashes++;
  return slashes % 2 === 1;
}

/**
 * Whether a text has so many brackets that it may be nested far too deep: the engine's own parser takes any
 * depth, and much memory for it. Cheap for everybody else.
 */
export function hasManyBrackets(text: string, limits: Limits): boolean {
  if (text.length <= 2 * limits.nodes) return false;
  let left = 2 * limits.nodes;
  for (const bracket of "[{")
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) if (--left < 0) return true;
  return false;
}

export function writeJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

const TAB = 9;
const LINE_FEED = 10;
const RETURN = 13;
const SPACE = 32;
const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const OPEN_BRACKET = 91;
const BACKSLASH = 92;
const OPEN_BRACE = 123;
