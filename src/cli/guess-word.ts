import { nearestWord } from "../shared/nearest-word.ts";

/** What was most likely meant, also when its letters are in another order: `--breif`. */
export function guessWord(text: string, choices: readonly string[]): string | null {
  const letters = sortedLetters(text);
  return nearestWord(text, choices) ?? choices.find((choice) => sortedLetters(choice) === letters) ?? null;
}

function sortedLetters(word: string): string {
  return [...word.toLowerCase()].sort().join("");
}
