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
    if (text.includes("\r")) this.#addMixed(text);
    else for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) this.#starts.push(at + 1);
  }

  #addMixed(text: string): void {
    const nextReturn = seeker(text, "\r");
    const nextFeed = seeker(text, "\n");
    for (let at = 0; at < text.length;) {
      const lineFeed = nextFeed(at);
      const lineReturn = nextReturn(at);
      at = lineReturn + 1 < lineFeed ? lineReturn + 1 : lineFeed + 1;
      if (at <= text.length) this.#starts.push(at);
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

/** Finds the next of a character at or after a place that only grows; one that is absent is looked for once. */
function seeker(text: string, character: string): (from: number) => number {
  let found = -1;
  return (from) => {
    if (found < from) found = text.indexOf(character, from);
    if (found === -1) found = Infinity;
    return found;
  };
}

export interface Interval {
  readonly start: number;
  readonly end: number;
}

/** Answers in logarithmic time whether an offset lies inside one of many stretches. */
export class IntervalSet {
  readonly #merged: Interval[] = [];

  constructor(intervals: readonly Interval[]) {
    const sorted = [...intervals].sort((left, right) => left.start - right.start);
    for (const { start, end } of sorted) {
      const last = this.#merged.at(-1);
      if (last !== undefined && start <= last.end)
        this.#merged[this.#merged.length - 1] = { start: last.start, end: Math.max(last.end, end) };
      else this.#merged.push({ start, end });
    }
  }

  has(offset: number): boolean {
    const index = lastStartingAt(this.#merged, offset);
    return index !== -1 && offset < (this.#merged[index]?.end ?? 0);
  }
}

/** Index of the last of the sorted intervals that starts at or before the offset, or -1. */
export function lastStartingAt(sorted: readonly Interval[], offset: number): number {
  let low = -1;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((sorted[middle]?.start ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}
