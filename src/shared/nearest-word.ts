/** The word of `choices` that `text` most likely meant, or null when none is close. */
export function nearestWord(text: string, choices: readonly string[]): string | null {
  if (text.length > 60) return null;
  const wanted = bare(text);
  let best: string | null = null;
  let bestDistance = Math.floor(Math.max(wanted.length, 3) / 3) + 1;
  for (const choice of choices) {
    const distance = editDistance(wanted, bare(choice));
    if (distance < bestDistance) [best, bestDistance] = [choice, distance];
  }
  return best;
}

/** The choice that differs from `text` only in case and in `-`, `_` or spaces between words. */
export function sameWordOtherSpelling(text: string, choices: readonly string[]): string | null {
  const wanted = bare(text);
  return choices.find((choice) => bare(choice) === wanted) ?? null;
}

function bare(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, "_");
}

function editDistance(left: string, right: string): number {
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const substituted = (previous[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1);
      current.push(Math.min(substituted, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[right.length] ?? 0;
}
