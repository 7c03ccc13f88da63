import type { FactKind, FactStatus } from "../../knowledge/fact.ts";
import { normalTag } from "../../knowledge/words.ts";
import { stemOf } from "../../knowledge/stem-word.ts";
import type { FactQuery, Signals } from "../../ports/knowledge-store.ts";
import { integerOf, type Row, textColumn } from "../sqlite/rows.ts";
import { hasToken, searchMark, searchWords } from "./fact-text.ts";
import { kindOf, numbersOf } from "./stored-fact.ts";

/**
 * What every store decides in the same way when facts are searched: which tokens are looked for, in which order, and
 * which of the facts that were found come first. A row of a fact has the columns `number`, `id`, `kind`, `status`,
 * `learned_at`, `sources`, `helped` and `tokens`.
 */

/** Groups of tokens; a fact must have one token of each group. No fact can match a group without tokens. */
export type Groups = readonly (readonly string[])[];

/** At least so many of the newest facts are ranked. */
export const FEWEST_RANKED = 200;

const MAX_QUERY = 2_000;
const MAX_QUERY_WORDS = 12;
/** A shorter word matches only itself: too many words begin with it. */
const SHORTEST_BEGINNING = 3;
/** How many indexed words with one beginning are read. */
export const MAX_SCANNED = 500;
const MAX_ENDINGS = 12;

/** A word of a query, and the indexed words that match it. */
export interface WantedWord {
  readonly word: string;
  readonly tokens: readonly string[];
  /** Greater for rarer words. */
  readonly weight: number;
}

/** The words of a query, each once; null when the query has no text. */
export function queryWords(text: string | undefined): string[] | null {
  if (text === undefined || text.trim() === "") return null;
  return [...new Set(searchWords(text.slice(0, MAX_QUERY)))].slice(0, MAX_QUERY_WORDS);
}

/**
 * Beginnings by which indexed words are looked up: the word itself, then most of it. The first one that a fact has a
 * word for counts.
 */
export function beginningsOf(word: string): string[] {
  if (word.length < SHORTEST_BEGINNING) return [];
  const shortest = Math.max(SHORTEST_BEGINNING + 1, Math.ceil(word.length * MOST_OF_IT));
  const shorter = Array.from({ length: Math.max(0, word.length - shortest) }, (_, cut) => word.slice(0, -1 - cut));
  return [word, ...shorter];
}

const MOST_OF_IT = 0.7;

/** Greater than any text that begins with the word. */
export function endOf(word: string): string {
  return `${word}\u{10ffff}`;
}

export interface CountedToken {
  readonly token: string;
  /** How many facts have it. */
  readonly count: number;
}

export function countedTokenOf(row: Row): CountedToken {
  return { token: textColumn(row, "token"), count: integerOf(row, "facts") };
}

/**
 * Of the indexed words that are the word or begin like it, the most frequent: a prefix query of a full-text index would
 * collect every fact of every such word before it returned the first one.
 */
export function expandWord(word: string, indexed: readonly CountedToken[], facts: number): WantedWord {
  const found = indexed
    .filter(({ count }) => count > 0)
    .sort((left, right) => Number(right.token === word) - Number(left.token === word) || right.count - left.count);
  const tokens = [...new Set(found.map(({ token }) => token))].slice(0, MAX_ENDINGS);
  return { word, tokens, weight: rarity(found[0]?.count ?? 0, facts) };
}

function rarity(count: number, facts: number): number {
  return Math.log(1 + facts / Math.max(1, count));
}

/**
 * Facts with all the words; if there are none, with all but one of them; if there are none, with some of them. Yields
 * the groups to look for next and takes what was found for each of them.
 */
export function* searchSteps(words: readonly WantedWord[]): Generator<readonly Groups[], Row[], readonly Row[]> {
  const whole = yield [words.map(({ tokens }) => tokens)];
  const known = words.map(({ tokens }) => tokens).filter((tokens) => tokens.length > 0);
  if (whole.length > 0 || known.length === 0) return [...whole];
  const some = known.length < words.length ? yield [known] : [];
  if (some.length > 0 || known.length < 2) return [...some];
  const most = known.length < 3 ? [] : yield known.map((_, left) => known.filter((__, at) => at !== left));
  if (most.length > 0) return onceEachRow(most);
  return [...(yield [[known.flat()]])];
}

function onceEachRow(rows: readonly Row[]): Row[] {
  return [...new Map(rows.map((row) => [integerOf(row, "number"), row])).values()];
}

interface Marks {
  readonly tags?: readonly string[];
  readonly kinds?: readonly FactKind[];
  readonly status?: readonly FactStatus[];
}

export function markGroups({ tags = [], kinds, status }: Marks): string[][] {
  return [
    ...tags.map((tag) => [searchMark.tag(normalTag(tag) ?? "")]),
    ...(kinds === undefined ? [] : [kinds.map(searchMark.kind)]),
    ...(status === undefined ? [] : [status.map(searchMark.status)]),
  ];
}

interface Ranked {
  readonly number: number;
  readonly id: string;
  readonly score: number;
}

export function learnedSince(rows: readonly Row[], { since }: Pick<FactQuery, "since">): Row[] {
  return rows.filter((row) => since === undefined || integerOf(row, "learned_at") >= since);
}

/** The best of them. */
export function rankFacts(rows: readonly Row[], words: readonly WantedWord[], max: number): Ranked[] {
  return rows
    .map((row) => rank(row, words))
    .sort((left, right) => right.score - left.score || (left.id < right.id ? -1 : 1))
    .slice(0, max);
}

/** Weights of a word that only begins like the wanted one, and of one that only tags or files contain. */
const BEGINNING = 0.6;
const FILED = 0.7;
const TRUST: Readonly<Record<FactStatus, number>> = { trusted: 1, quarantined: 0.8, retired: 0.4 };
/** Words decide; sources and help only order facts that match equally well. */
const STANDING = 0.05;

/** (weight of the words that the fact has + 0.05 ln(1 + sources + helped)) x trust. */
function rank(row: Row, words: readonly WantedWord[]): Ranked {
  const tokens = textColumn(row, "tokens");
  let near = 0;
  for (const { word, tokens: forms, weight } of words) near += weight * nearness(tokens, word, forms);
  const standing = STANDING * Math.log(1 + integerOf(row, "sources") + integerOf(row, "helped"));
  const trust = TRUST[textColumn(row, "status") as FactStatus];
  return { number: integerOf(row, "number"), id: textColumn(row, "id"), score: (near + standing) * trust };
}

function nearness(tokens: string, word: string, forms: readonly string[]): number {
  const place = (wanted: readonly string[]): number => {
    const has = hasToken(tokens, wanted);
    return has === null ? 0 : has === "said" ? 1 : FILED;
  };
  return Math.max(place([word]), place(forms) * BEGINNING);
}

interface WeighedToken extends CountedToken {
  readonly weight: number;
}

const MAX_WANTED = 500;
const MAX_TOKENS = 8;

/** The tokens of tags or words that candidates are looked up by. */
function wantedTokens(tokens: readonly string[]): string[] {
  return [...new Set(tokens)].slice(0, MAX_WANTED);
}

export function tagTokens(tags: readonly string[]): string[] {
  return wantedTokens(tags.flatMap((tag) => normalTag(tag) ?? []).map(searchMark.tag));
}

export function wordTokens(words: readonly string[]): string[] {
  return wantedTokens(words.map(stemOf));
}

export function rarestTokens(indexed: readonly CountedToken[], facts: number): WeighedToken[] {
  return indexed
    .filter(({ count }) => count > 0)
    .sort((left, right) => left.count - right.count || (left.token < right.token ? -1 : 1))
    .slice(0, MAX_TOKENS)
    .map(({ token, count }) => ({ token, count, weight: rarity(count, facts) }));
}

const MAX_PAIRED = 3;
/** How many of the newest facts with a token are read. */
const FEWEST_SEEN = 50;
const MAX_SEEN = 200;
/** How many files and tasks of the signals are looked up. */
export const MAX_PLACES = 50;

export function enoughSeen(max: number): number {
  return Math.min(Math.max(max, FEWEST_SEEN), MAX_SEEN);
}

/** Tokens that a candidate must all have. */
export type TokenGroup = readonly WeighedToken[];

/** One tag is enough to match. */
export function tagGroups(tokens: TokenGroup): TokenGroup[] {
  return tokens.map((token) => [token]);
}

/** One rare word is enough; of frequent words, two are needed. */
export function wordGroups(tokens: TokenGroup, enough: number): TokenGroup[] {
  const paired = tokens.filter(({ count }) => count > enough).slice(0, MAX_PAIRED);
  const pairs = paired.flatMap((left, at) => paired.slice(at + 1).map((right) => [left, right]));
  return [...tokens.map((token) => [token]), ...pairs];
}

type Weights = readonly (readonly [number: number, weight: number])[];

/** Facts that were found for groups of tokens; those whose tokens weigh most come first, twice as many as wanted. */
export function nearByTokens(
  groups: readonly TokenGroup[],
  found: readonly (readonly number[])[],
  max: number,
): number[] {
  const seen = new Map<number, number>();
  for (const [at, tokens] of groups.entries()) {
    const weight = tokens.reduce((sum, one) => sum + one.weight, 0);
    for (const number of found[at] ?? []) seen.set(number, (seen.get(number) ?? 0) + weight);
  }
  return heaviest([...seen], max * 2);
}

/** Of these facts those whose matching tokens have the greatest weight. */
export function nearestByTokens(rows: readonly Row[], groups: readonly TokenGroup[], max: number): number[] {
  const tokens = [...new Set(groups.flat())];
  const weights = rows.map((row) => {
    const has = textColumn(row, "tokens");
    let weight = 0;
    for (const token of tokens) if (has.includes(` ${token.token} `)) weight += token.weight;
    return [integerOf(row, "number"), weight] as const;
  });
  return heaviest(weights, max);
}

/** Facts of several places, twice as many as wanted. A fact that belongs to several of them ranks higher. */
export function nearByPlace(lists: readonly (readonly number[])[], max: number): Map<number, number> {
  const counts = new Map<number, number>();
  for (const number of lists.flat()) counts.set(number, (counts.get(number) ?? 0) + 1);
  return new Map(heaviest([...counts], max * 2).map((number) => [number, counts.get(number) ?? 0]));
}

export function nearestByPlace(
  rows: readonly Row[],
  near: ReadonlyMap<number, number>,
  { kinds, max }: Pick<Signals, "kinds" | "max">,
): number[] {
  const fitting = rows.filter(
    (row) => textColumn(row, "status") !== "retired" && (kinds === undefined || kinds.includes(kindOf(row))),
  );
  return heaviest(
    numbersOf(fitting).map((number) => [number, near.get(number) ?? 0] as const),
    max,
  );
}

/** Among equal weights the newest comes first. */
function heaviest(weights: Weights, max: number): number[] {
  return weights
    .toSorted((left, right) => right[1] - left[1] || right[0] - left[0])
    .slice(0, max)
    .map(([number]) => number);
}
