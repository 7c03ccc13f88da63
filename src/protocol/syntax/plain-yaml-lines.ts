/** The indentation after the last line. */
export const END: number = -1;

/** The lines of a text that are neither blank nor comments. */
export class Lines {
  readonly text: string;
  /** Columns before the first character; `END` after the last line. */
  indent = 0;
  start = 0;
  /** Where the first character stands that is no space. */
  first = 0;
  end = 0;
  /** Set by the reader when it meets a number that does not print as it is written. */
  hasWrittenNumbers = false;
  #next = 0;
  #hash = -1;

  constructor(text: string) {
    this.text = text;
    this.advance();
  }

  /** The next `#` at or after a place that only grows, on this line or far behind it: looked for once. */
  nextHash(from: number): number {
    if (this.#hash < from) {
      const found = this.text.indexOf("#", from);
      this.#hash = found === -1 ? this.text.length : found;
    }
    return this.#hash;
  }

  advance(): void {
    while (this.step()) {
      if (this.first < this.end && this.text.charCodeAt(this.first) !== HASH) return;
    }
    this.indent = END;
  }

  /** To the very next line, blank or not. */
  step(): boolean {
    const { text } = this;
    if (this.#next >= text.length) return false;
    this.start = this.#next;
    const found = text.indexOf("\n", this.start);
    this.end = found === -1 ? text.length : found;
    this.#next = this.end + 1;
    this.first = skipSpaces(text, this.start, this.end);
    this.indent = this.first - this.start;
    return true;
  }

  /** Takes what stands behind a `- ` for a line of its own. */
  enterItem(first: number): void {
    this.first = first;
    this.indent = first - this.start;
  }

  /** Lets the next step give this line again. */
  hold(): void {
    this.#next = this.start;
  }
}

export function skipSpaces(text: string, from: number, end: number): number {
  let at = from;
  while (at < end && text.charCodeAt(at) === SPACE) at++;
  return at;
}

const SPACE = 0x20;
const HASH = 0x23;
