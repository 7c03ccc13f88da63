/**
 * The tokens of a text that is meant to be JSON, broken or not. They hold only what the search for slips
 * needs, and copy nothing: white space of a megabyte costs no memory.
 */

/** Where the first token at or after a place begins; the length of the text when there is none. */
export function nextToken(text: string, from: number): number {
  let at = from;
  while (at < text.length && isSpace(text.charCodeAt(at))) at++;
  return at;
}

/** Just after the token that begins here: a bracket, comma or colon, a string, a comment or a word. */
export function tokenEnd(text: string, start: number): number {
  const code = text.charCodeAt(start);
  if (code === QUOTE) return stringEnd(text, start);
  if (isMark(code)) return start + 1;
  return isComment(text, start) ? commentEnd(text, start) : wordEnd(text, start);
}

export function isComment(text: string, start: number): boolean {
  if (text.charCodeAt(start) !== SLASH) return false;
  const next = text.charCodeAt(start + 1);
  return next === SLASH || next === STAR;
}

function isMark(code: number): boolean {
  return (
    code === COMMA ||
    code === COLON ||
    code === OPEN_BRACE ||
    code === CLOSE_BRACE ||
    code === OPEN_BRACKET ||
    code === CLOSE_BRACKET
  );
}

function isSpace(code: number): boolean {
  return code === SPACE || code === LINE_FEED || code === RETURN || code === TAB;
}

function wordEnd(text: string, start: number): number {
  for (let end = start + 1; end < text.length; end++) {
    const code = text.charCodeAt(end);
    if (isSpace(code) || isMark(code) || code === QUOTE || code === SLASH) return end;
  }
  return text.length;
}

/** A string that is not closed ends with its line. */
function stringEnd(text: string, quote: number): number {
  for (let at = quote + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    if (code === BACKSLASH) at++;
    else if (code === LINE_FEED || code === RETURN) return at;
  }
  return text.length;
}

function commentEnd(text: string, start: number): number {
  if (text.charCodeAt(start + 1) === STAR) {
    const closed = text.indexOf("*/", start + 2);
    return closed === -1 ? text.length : closed + 2;
  }
  let end = start + 2;
  while (end < text.length && text.charCodeAt(end) !== LINE_FEED && text.charCodeAt(end) !== RETURN) end++;
  return end;
}

const TAB = 9;
const LINE_FEED = 10;
const RETURN = 13;
const SPACE = 32;
const QUOTE = 34;
const STAR = 42;
const COMMA = 44;
const SLASH = 47;
const COLON = 58;
const OPEN_BRACKET = 91;
const BACKSLASH = 92;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;
