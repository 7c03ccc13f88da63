/** `1 file`, `2 files`; an irregular plural is given: `count(2, "entry", "entries")`. */
export function count(number: number, word: string, plural: string = `${word}s`): string {
  return `${number} ${number === 1 ? word : plural}`;
}
