/** `1 file`, `2 files`; a word whose plural is another one brings it along: `count(2, "entry", "entries")`. */
export function count(number: number, word: string, plural: string = `${word}s`): string {
  return `${number} ${number === 1 ? word : plural}`;
}
