/**
 * The tokens of a text that is meant to be JSON, broken or not. It tells only what the search for slips
 * needs, and copies nothing: white space of a megabyte costs no memory.
 */
export class JsonTokens {
  /** Bounds of the token last read. */
  start = 0;
  end = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** Its first character, `/` for a comment; the empty string at the end of the text. */
  next(): string {
    const text = this.#text;
    let start = this.end;
    while (isSpace(text.charCodeAt(start))) start++;
    this.start = start;
    const first = text[start] ?? "";
    this.end = tokenEnd(text, start, first);
    return first === "/" && !isComment(text, start) ? "?" : first;
  }
}

function tokenEnd(text: string, start: number, first: string): number {
  if (first === "") return start;
  if (first === '"') return stringEnd(text, start);
  if (isComment(text, start)) return commentEnd(text, start);
  if (PUNCTUATION.includes(first)) return start + 1;
  let end = start + 1;
  while (end < text.length && !isSpace(text.charCodeAt(end)) && !ENDS_WORD.includes(text[end] ?? "")) end++;
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

function isSpace(code: number): boolean {
  return code === SPACE || code === LINE_FEED || code === RETURN || code === TAB;
}

const PUNCTUATION = "{}[],:";
const ENDS_WORD = `${PUNCTUATION}"/`;
const TAB = 9;
const LINE_FEED = 10;
const RETURN = 13;
const SPACE = 32;
const QUOTE = 34;
const BACKSLASH = 92;
