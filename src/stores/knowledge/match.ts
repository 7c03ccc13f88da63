import { normalTag } from "../../knowledge/words.ts";
import type { FactKind, FactStatus } from "../../knowledge/fact.ts";
import { integerOf, textOf } from "../sqlite/rows.ts";
import { mark, meaningfulWords } from "./saying.ts";
import type { Statements } from "./statements.ts";

const LONGEST_QUERY = 2_000;
const MOST_QUERY_WORDS = 12;
/** A shorter word is itself only: too many begin so. */
const SHORTEST_BEGINNING = 3;
const MOST_SCANNED = 500;
const MOST_ENDINGS = 12;

/** A word of a query, and the words that facts have for it. */
export interface WantedWord {
  readonly word: string;
  readonly tokens: readonly string[];
  /** The rarer the more. */
  readonly weight: number;
}

/** The words of a text that somebody is looking for, each once. */
export function queryWords(text: string): string[] {
  return [...new Set(meaningfulWords(text.slice(0, LONGEST_QUERY)))].slice(0, MOST_QUERY_WORDS);
}

/**
 * Words that begin so are looked up first and then searched for as they are: the full-text index would
 * collect every fact of every such word before it gave the first one. The most frequent ones count.
 */
export function expandWord(statements: Statements, word: string, facts: number): WantedWord {
  const exact = statements.tokenCounts.all(JSON.stringify([word]));
  const longer = word.length < SHORTEST_BEGINNING ? [] : statements.tokensFrom.all(word, endOf(word), MOST_SCANNED);
  const found = [...exact, ...longer]
    .map((row) => ({ token: textOf(row, "token"), count: integerOf(row, "facts") }))
    .filter(({ count }) => count > 0)
    .sort((left, right) => Number(right.token === word) - Number(left.token === word) || right.count - left.count);
  const tokens = [...new Set(found.map(({ token }) => token))].slice(0, MOST_ENDINGS);
  const count = found[0]?.count ?? 0;
  return { word, tokens, weight: rarity(count, facts) };
}

export function rarity(count: number, facts: number): number {
  return Math.log(1 + facts / Math.max(1, count));
}

/** No text that begins with the word comes after this. */
function endOf(word: string): string {
  return `${word}\u{10ffff}`;
}

export interface Marks {
  readonly tags?: readonly string[];
  readonly kinds?: readonly FactKind[];
  readonly status?: readonly FactStatus[];
}

/** Groups of tokens: a fact must have one of each. */
export function markGroups({ tags = [], kinds, status }: Marks): string[][] {
  return [
    ...tags.map((tag) => [mark.tag(normalTag(tag) ?? "")]),
    ...(kinds === undefined ? [] : [kinds.map(mark.kind)]),
    ...(status === undefined ? [] : [status.map(mark.status)]),
  ];
}

/** All groups, one token of each. Every token stands in quotes: no text of anybody becomes syntax. */
export function matchAll(groups: readonly (readonly string[])[]): string {
  return groups.map((tokens) => `(${tokens.map(quote).join(" OR ")})`).join(" AND ");
}

export function without(match: string, token: string): string {
  return `(${match}) NOT ${quote(token)}`;
}

function quote(token: string): string {
  return `"${token.replaceAll('"', '""')}"`;
}
