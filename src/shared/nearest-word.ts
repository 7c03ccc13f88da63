/** The word of `choices` that `text` most likely meant, or null when none is close. */
export function nearestWord(text: string, choices: readonly string[]): string | null {
  if (text.length > 60) return null;
  const wanted = bare(text);
  let best: string | null = null;
  let bestDistance = Math.floor(Math.max(wanted.length, 3) / 3) + 1;
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

/** Letters to change, add or leave out: one row of the usual table, worked over in place; `most` when they are more. */
function editDistance(left: string, right: string, most: number): number {
  for (let column = 0; column <= right.length; column++) row[column] = column;
  for (let line = 1; line <= left.length; line++) {
    let diagonal = line - 1;
    let best = line;
    let before = line;
    for (let column = 1; column <= right.length; column++) {
      const above = row[column] ?? 0;
      const same = left.charCodeAt(line - 1) === right.charCodeAt(column - 1);
      before = Math.min(diagonal + (same ? 0 : 1), above + 1, before + 1);
      row[column] = before;
      diagonal = above;
      if (before < best) best = before;
    }
    // From line to line the least of them never falls.
    if (best >= most) return most;
  }
  return row[right.length] ?? 0;
}

/** Made once and written anew each time: to make one takes longer than to fill it. */
const row: number[] = [];
