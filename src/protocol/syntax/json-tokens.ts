import { isEscaped } from "./json.ts";

/**
 * The tokens of a text that is meant to be JSON, broken or not. It tells only what the search for slips
 * needs, and copies nothing: white space of a megabyte costs no memory.
 */
export class JsonTokens {
  /** Bounds of the token last read. */
  start = 0;
  end = 0;
  readonly #text: string;
  /** The first line ending that is not before the string last read. */
  #lineEnd = -1;
  readonly #hasReturns: boolean;

  constructor(text: string) {
    this.#text = text;
    this.#hasReturns = text.includes("\r");
  }

  /** Its first character, `/` for a comment; the empty string at the end of the text. */
  next(): string {
    const text = this.#text;
    let start = this.end;
    while (kindOf(text.charCodeAt(start)) === SPACE) start++;
    this.start = start;
    const kind = start < text.length ? kindOf(text.charCodeAt(start)) : END;
    if (kind === MARK) this.end = start + 1;
    else if (kind === END) this.end = start;
    else if (kind === STRING) this.end = this.#stringEnd(start);
    else if (kind === SLASH && isComment(text, start)) this.end = commentEnd(text, start);
    else {
      this.end = wordEnd(text, start);
      if (kind === SLASH) return "?";
    }
    return text.charAt(start);
  }

  /** Most strings are closed before their line ends. */
  #stringEnd(quote: number): number {
    const text = this.#text;
    let end = text.indexOf('"', quote + 1);
    while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
    if (this.#lineEnd < quote) {
      const found = text.indexOf("\n", quote);
      this.#lineEnd = found === -1 ? text.length : found;
    }
    return end === -1 || end > this.#lineEnd || this.#hasReturns ? stringEnd(text, quote) : end + 1;
  }
}

const WORD = 0;
const MARK = 1;
const STRING = 2;
const SLASH = 3;
const SPACE = 4;
const END = 5;

/** What a token is that begins with the character of this code. */
const KINDS = new Uint8Array(128);
for (const mark of "{}[],:") KINDS[mark.charCodeAt(0)] = MARK;
for (const space of " \n\r\t") KINDS[space.charCodeAt(0)] = SPACE;
KINDS['"'.charCodeAt(0)] = STRING;
KINDS["/".charCodeAt(0)] = SLASH;

function kindOf(code: number): number {
  return KINDS[code] ?? WORD;
}

function wordEnd(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length && kindOf(text.charCodeAt(end)) === WORD) end++;
  return end;
}

/** A string that is not closed ends with its line. */
function stringEnd(text: string, quote: number): number {
  for (let at = quote + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at++;
    else if (code === QUOTE) return at + 1;
    else if (code === LINE_FEED || code === RETURN) return at;
  }
  return text.length;
}

function isComment(text: string, start: number): boolean {
  return text[start] === "/" && (text[start + 1] === "/" || text[start + 1] === "*");
}

function commentEnd(text: string, start: number): number {
  if (text[start + 1] === "*") {
    const closed = text.indexOf("*/", start + 2);
    return closed === -1 ? text.length : closed + 2;
  }
  let end = start + 2;
  while (end < text.length && text.charCodeAt(end) !== LINE_FEED && text.charCodeAt(end) !== RETURN) end++;
  return end;
}

const LINE_FEED = 10;
const RETURN = 13;
const QUOTE = 34;
const BACKSLASH = 92;
