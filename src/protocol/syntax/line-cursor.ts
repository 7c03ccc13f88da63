const LINE_FEED = 0x0a;
const ASTERISK = 0x2a;
const PLUS = 0x2b;
export const TAB = 0x09;
export const SPACE = 0x20;
export const HYPHEN = 0x2d;

/** 1 for every character that can begin a line worth a second look. */
const LINE_MARKS = markTable(" \t#`~-*_+0123456789hH<");

/** Walks the lines of a text. LF, CRLF and a lone CR each end a line. */
export class LineCursor {
  readonly text: string;
  /** Bounds of the current line, without its ending. */
  start = 0;
  end = 0;
  /** The current line's first character that is no space or tab, and its column: see measureIndent. */
  first = 0;
  indent = 0;
  #next: number;
  readonly #hasReturns: boolean;
  // The nearest line endings not yet passed. Both are remembered, because looking for an absent one
  // again on every line would make the walk quadratic.
  #lineFeed = -1;
  #carriageReturn = -1;

  constructor(text: string, from: number) {
    this.text = text;
    this.#next = from;
    this.#hasReturns = text.includes("\r");
    if (!this.#hasReturns) this.#carriageReturn = text.length;
  }

  /** Where the line after the current one starts, or the end of the text. */
  get next(): number {
    return Math.min(this.#next, this.text.length);
  }

  /** To the next line that begins with one of the line marks: all others are passed over as fast as can be. */
  advanceToMark(): boolean {
    const { text } = this;
    if (!this.#hasReturns) this.#next = nextMarked(text, this.#next);
    else while (this.#next < text.length && !isMarked(text, this.#next, text.charCodeAt(this.#next))) this.advance();
    return this.advance();
  }

  advance(): boolean {
    const start = this.#next;
    if (start >= this.text.length) return false;
    if (this.#lineFeed < start) this.#lineFeed = indexOrEnd(this.text, "\n", start);
    if (this.#carriageReturn < start) this.#carriageReturn = indexOrEnd(this.text, "\r", start);
    const lineFeed = this.#lineFeed;
    const carriageReturn = this.#carriageReturn;
    this.start = start;
    if (lineFeed <= carriageReturn) {
      this.end = lineFeed;
      this.#next = lineFeed + 1;
    } else {
      this.end = carriageReturn;
      this.#next = carriageReturn + 1 === lineFeed ? lineFeed + 1 : carriageReturn + 1;
    }
    return true;
  }

  /** Lets the next advance read the current line again. */
  holdLine(): void {
    this.#next = this.start;
  }

  measureIndent(): void {
    this.skipBlanks(this.start, 0);
  }

  skipBlanks(from: number, column: number): void {
    let at = from;
    let reached = column;
    for (; at < this.end; at += 1) {
      const code = this.text.charCodeAt(at);
      if (code === SPACE) reached += 1;
      else if (code === TAB) reached += 4 - (reached % 4);
      else break;
    }
    this.first = at;
    this.indent = reached;
  }
}

/** The first line at or after a line's start that is marked, in a text whose lines all end with LF. */
function nextMarked(text: string, from: number): number {
  let start = from;
  while (start < text.length) {
    const code = text.charCodeAt(start);
    if (code === LINE_FEED) start += 1;
    else if (isMarked(text, start, code)) break;
    else start = indexOrEnd(text, "\n", start) + 1;
  }
  return start;
}

/** Whether the line that starts here is worth a second look. A list item that goes on with a letter is not. */
function isMarked(text: string, start: number, code: number): boolean {
  if (LINE_MARKS[code] !== 1) return false;
  return !(isBullet(code) && text.charCodeAt(start + 1) === SPACE && isLetter(text.charCodeAt(start + 2)));
}

export function isBullet(code: number): boolean {
  return code === HYPHEN || code === ASTERISK || code === PLUS;
}

function isLetter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a);
}

function indexOrEnd(text: string, character: string, from: number): number {
  const index = text.indexOf(character, from);
  return index === -1 ? text.length : index;
}

function markTable(marks: string): Uint8Array {
  const table = new Uint8Array(128);
  for (const mark of marks) table[mark.charCodeAt(0)] = 1;
  return table;
}
