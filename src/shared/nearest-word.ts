/** The word of `choices` that `text` most likely meant, or null when none is close. */
export function nearestWord(text: string, choices: readonly string[]): string | null {
  if (text.length > 60) return null;
  const wanted = bare(text);
  let best: string | null = null;
  // Of one or two letters, one that is another makes another word: a grade Z is not nearly an A.
  let bestDistance = wanted.length < 3 ? 1 : Math.floor(wanted.length / 3) + 1;
  const others = bareChoices(choices);
  for (let index = 0; index < others.length; index++) {
    const other = others[index] ?? "";
    // Every letter too many or too few is a change of its own.
    if (Math.abs(other.length - wanted.length) >= bestDistance) continue;
    const distance = editDistance(wanted, other, bestDistance);
    if (distance < bestDistance) [best, bestDistance] = [choices[index] ?? null, distance];
  }
  return best;
}

/** The choice that differs from `text` only in case and in `-`, `_` or spaces between words. */
export function sameWordOtherSpelling(text: string, choices: readonly string[]): string | null {
  return choices[bareChoices(choices).indexOf(bare(text))] ?? null;
}

const bareByChoices = new WeakMap<readonly string[], readonly string[]>();

/** The choices are the same few lists over and over. */
function bareChoices(choices: readonly string[]): readonly string[] {
  let words = bareByChoices.get(choices);
  if (words === undefined) {
    words = choices.map(bare);
    bareByChoices.set(choices, words);
  }
  return words;
}

function bare(text: string): string {
  if (/^[a-z]*$/.test(text)) return text;
  return text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, "_");
}

/** Letters to change, add, leave out or swap with their neighbour; `most` when they are so many or more. */
export function editDistance(left: string, right: string, max: number): number {
  if (Math.abs(left.length - right.length) >= max) return max;
  const width = right.length + 2;
  for (let column = 0; column <= right.length; column++) table[column] = column;
  // From line to line the least of them never falls: what reaches back by two lines, a swap, costs one.
  for (let line = 1; line <= left.length; line++) if (fillLine(left, right, line, width, max) >= max) return max;
  return Math.min(cell(left.length * width + right.length), max);
}

/** Fills one line of the usual table, where it lies near the diagonal, and gives the least of it. */
function fillLine(left: string, right: string, line: number, width: number, max: number): number {
  const first = Math.max(1, line - max + 1);
  const last = Math.min(right.length, line + max - 1);
  const start = line * width;
  let before = first === 1 ? line : max;
  let best = before;
  table[start + first - 1] = before;
  for (let column = first; column <= last; column++) {
    const above = start + column - width;
    const isSame = left.charCodeAt(line - 1) === right.charCodeAt(column - 1);
    before = Math.min(cell(above - 1) + (isSame ? 0 : 1), cell(above) + 1, before + 1);
    if (!isSame && isSwapped(left, right, line, column)) before = Math.min(before, cell(above - width - 2) + 1);
    table[start + column] = before;
    best = Math.min(best, before);
  }
  table[start + last + 1] = max;
  return best;
}

function isSwapped(left: string, right: string, line: number, column: number): boolean {
  return (
    line > 1 &&
    column > 1 &&
    left.charCodeAt(line - 1) === right.charCodeAt(column - 2) &&
    left.charCodeAt(line - 2) === right.charCodeAt(column - 1)
  );
}

function cell(at: number): number {
  return table[at] ?? 0;
}

/** Made once and written anew each time: to make one takes longer than to fill it. */
const table: number[] = [];
