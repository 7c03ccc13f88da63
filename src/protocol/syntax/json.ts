/**
 * Counts the keys written in a JSON text that JSON.parse has accepted. A record with a key written
 * twice has fewer keys than its text, so this count against the parsed value's is an exact and cheap
 * test for duplicates. It hops from quote to quote; the strings themselves are never looked at.
 */
export function countJsonKeys(text: string): number {
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
  let code = text.charCodeAt(after);
  while (code === SPACE || code === LINE_FEED || code === RETURN || code === TAB) code = text.charCodeAt(++after);
  return code === COLON;
}

export function isEscaped(text: string, quote: number): boolean {
  let slashes = 0;
  while (text.charCodeAt(quote - 1 - slashes) === BACKSLASH) slashes++;
  return slashes % 2 === 1;
}

export function printJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

const TAB = 9;
const LINE_FEED = 10;
const RETURN = 13;
const SPACE = 32;
const COLON = 58;
const BACKSLASH = 92;
