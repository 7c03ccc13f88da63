/** A place in a text. Line and column start at 1; the offset starts at 0 and counts UTF-16 units. */
export interface Position {
  readonly line: number;
  readonly column: number;
  readonly offset: number;
}

export interface TextRange {
  readonly start: Position;
  readonly end: Position;
}

/** Turns offsets into lines and columns. CRLF, LF and a lone CR each end a line. */
export class LineTable {
  readonly #starts: number[] = [0];
  readonly #length: number;

  constructor(text: string) {
    this.#length = text.length;
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (code === LINE_FEED || (code === RETURN && text.charCodeAt(index + 1) !== LINE_FEED))
        this.#starts.push(index + 1);
    }
  }

  position(offset: number): Position {
    const within = Math.max(0, Math.min(offset, this.#length));
    const index = this.#lineIndex(within);
    return { line: index + 1, column: within - (this.#starts[index] ?? 0) + 1, offset: within };
  }

  range(start: number, end: number): TextRange {
    return { start: this.position(start), end: this.position(Math.max(start, end)) };
  }

  #lineIndex(offset: number): number {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

const LINE_FEED = 10;
const RETURN = 13;
