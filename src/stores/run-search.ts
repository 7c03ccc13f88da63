/** The part of a brief that lists show and search; the log has all of it. */
const MAX_BRIEF = 500;

/** Encoded and decoded once: a cut surrogate pair changes in UTF-8, and the checksum has to cover what is stored. */
export function shownBrief(brief: string): string {
  return Buffer.from(brief.slice(0, MAX_BRIEF), "utf8").toString("utf8");
}

/** Indexes of texts have parts of three letters, so a shorter word cannot be found. */
const SHORTEST_PART = 3;
const MAX_WORDS = 8;
const MAX_TEXT = 200;

interface SearchWords {
  /** Those that are long enough to be found; all of them have to be in the run. */
  readonly words: readonly string[];
  /** The first word, which may be the beginning of a run's id. */
  readonly begin: string;
}

/** Splits the text of a search. No part of it is treated as syntax. */
export function splitSearch(text: string): SearchWords {
  const typed = text.slice(0, MAX_TEXT).replaceAll("\u0000", " ").trim();
  const all = typed.split(/\s+/).filter((word) => word !== "");
  const words = all.filter((word) => [...word].length >= SHORTEST_PART).slice(0, MAX_WORDS);
  return { words, begin: all[0] ?? "" };
}
