/** A shorter word is found nowhere by its three-letter parts. */
const SHORTEST_PART = 3;
const MOST_WORDS = 8;
const LONGEST_TEXT = 200;

export interface SearchWords {
  /** All of these must stand in a run, as the full-text index is asked; null when there is none long enough. */
  readonly match: string | null;
  readonly words: readonly string[];
  /** Then its id begins so. */
  readonly begin: string;
}

/** What somebody typed into a search. Nothing of it is syntax. */
export function splitSearch(text: string): SearchWords {
  const typed = text.slice(0, LONGEST_TEXT).replaceAll("\u0000", " ").trim();
  const all = typed.split(/\s+/).filter((word) => word !== "");
  const words = all.filter((word) => [...word].length >= SHORTEST_PART).slice(0, MOST_WORDS);
  const match = words.length === 0 ? null : words.map((word) => `"${word.replaceAll('"', '""')}"`).join(" ");
  return { match, words, begin: all[0] ?? "" };
}
