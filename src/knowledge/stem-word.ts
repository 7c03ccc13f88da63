/** The endings that a form of a word may have, longest first. */
const ENDINGS = (
  "izations isations ization isation ations ation ators ator ating ated ates ate izing ising ized ised izes ises ize ise " +
  "ments ment ness able ible ions ion ings ing ies ied ers er ed ive ity ly es s e y"
).split(" ");

const SHORTEST = 3;

/**
 * The part that the forms of an English word share: `cache`, `cached` and `caching` are `cach`. Search compares nothing
 * else, so it need not be a word.
 */
export function stemOf(word: string): string {
  if (!/^[a-z]+$/.test(word)) return word;
  for (const ending of ENDINGS) {
    const start = word.slice(0, -ending.length);
    if (word.endsWith(ending) && mayEnd(start, ending)) return withoutDouble(start, ending);
  }
  return word;
}

/** `pass`, `status`, `speed` and `string` have no ending. */
function mayEnd(start: string, ending: string): boolean {
  if (start.length < SHORTEST || !/[aeiouy]/.test(start)) return false;
  if (ending === "s") return !/[su]$/.test(start);
  if (ending === "es") return /(?:[sxz]|ch|sh|[^aeiou])$/.test(start);
  return ending !== "ed" || !start.endsWith("e");
}

/** `running` and `stopped` double a letter; `pass` and `call` have two of their own. */
function withoutDouble(start: string, ending: string): string {
  const isDoubled = /^(?:ings?|ed|ers?)$/.test(ending) && /([^aeioulsz])\1$/.test(start);
  if (isDoubled && start.length > SHORTEST) return start.slice(0, -1);
  // `retrying` and `retry`, `freeing` and `free`.
  return start.length > SHORTEST ? start.replace(/[ey]$/, "") : start;
}
