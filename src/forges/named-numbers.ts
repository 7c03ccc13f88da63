/** Numbers of issues that a text names, `#71`. */
export function namedNumbers(words: string): number[] {
  return [...words.matchAll(/(?<![\w&])#([1-9]\d{0,8})\b/g)].map(([, number]) => Number(number));
}
