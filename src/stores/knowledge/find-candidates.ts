import { normalTag } from "../../knowledge/words.ts";
import type { Fact } from "../../knowledge/fact.ts";
import type { Signals } from "../../ports/knowledge-store.ts";
import { integerOf, textOf } from "../sqlite/rows.ts";
import { kindOf, loadFacts, numbersOf } from "./fact-rows.ts";
import { markGroups, matchAll, rarity, without } from "./match.ts";
import { mark } from "./saying.ts";
import type { Statements } from "./statements.ts";

const MOST_TOKENS = 8;
const MOST_PAIRED = 3;
const MOST_PLACES = 50;
/** Of the facts that have a token, so many of the newest are seen. */
const FEWEST_SEEN = 50;
const MOST_SEEN = 200;

/** Each kind of nearness by itself, so that a common tag cannot push out the one fact on a file. */
export function findCandidates(statements: Statements, signals: Signals): Fact[] {
  const { tags, words, files, tasks, kinds, most } = signals;
  if (kinds?.length === 0) return [];
  const enough = Math.min(Math.max(most, FEWEST_SEEN), MOST_SEEN);
  const tagTokens = rarestTokens(statements, tags.flatMap((tag) => normalTag(tag) ?? []).map(mark.tag));
  const wordTokens = rarestTokens(statements, words);
  // A tag says by itself what a fact is about; of words that many facts have, only several do.
  const wordGroups = [...alone(wordTokens), ...pairs(wordTokens.filter(({ count }) => count > enough))];
  const ofFiles = files.slice(0, MOST_PLACES).map((path) => numbersOf(statements.factsOfFile.all(path, enough)));
  const ofTasks = tasks
    .slice(0, MOST_PLACES)
    .map(({ run, task }) => numbersOf(statements.factsOfTask.all(task, run, enough)));
  const numbers = new Set([
    ...nearestByTokens(statements, alone(tagTokens), signals, enough),
    ...nearestByTokens(statements, wordGroups, signals, enough),
    ...nearestByPlace(statements, ofFiles, signals),
    ...nearestByPlace(statements, ofTasks, signals),
  ]);
  return loadFacts(statements, [...numbers]);
}

type Group = readonly WeighedToken[];

function alone(tokens: Group): Group[] {
  return tokens.map((token) => [token]);
}

function pairs(tokens: Group): Group[] {
  const paired = tokens.slice(0, MOST_PAIRED);
  return paired.flatMap((left, at) => paired.slice(at + 1).map((right) => [left, right]));
}

/**
 * The newest facts of each group of tokens; among these, the facts whose tokens weigh most together. What is seen by
 * the way chooses those that are looked at.
 */
function nearestByTokens(statements: Statements, groups: readonly Group[], signals: Signals, enough: number): number[] {
  const { kinds, most } = signals;
  const marks = markGroups(kinds === undefined ? {} : { kinds });
  const seen = new Map<number, number>();
  for (const tokens of groups) {
    const match = matchAll([...tokens.map(({ token }) => [token]), ...marks]);
    const weight = tokens.reduce((sum, one) => sum + one.weight, 0);
    for (const number of numbersOf(statements.matching.all(without(match, mark.status("retired")), enough))) {
      seen.set(number, (seen.get(number) ?? 0) + weight);
    }
  }
  const tokens = [...new Set(groups.flat())];
  return heaviest(weigh(statements, heaviest([...seen], most * 2), tokens), most);
}

interface WeighedToken {
  readonly token: string;
  readonly count: number;
  readonly weight: number;
}

function rarestTokens(statements: Statements, wanted: readonly string[]): WeighedToken[] {
  const facts = integerOf(statements.newestNumber.get() ?? {}, "number");
  return statements.tokenCounts
    .all(JSON.stringify([...new Set(wanted)].slice(0, MOST_WANTED)))
    .map((row) => ({ token: textOf(row, "token"), count: integerOf(row, "facts") }))
    .filter(({ count }) => count > 0)
    .sort((left, right) => left.count - right.count || (left.token < right.token ? -1 : 1))
    .slice(0, MOST_TOKENS)
    .map(({ token, count }) => ({ token, count, weight: rarity(count, facts) }));
}

const MOST_WANTED = 500;

type Weights = readonly (readonly [number: number, weight: number])[];

function weigh(statements: Statements, numbers: readonly number[], tokens: readonly WeighedToken[]): Weights {
  return statements.tokensOf.all(JSON.stringify(numbers)).map((row) => {
    const has = textOf(row, "tokens");
    let weight = 0;
    for (const token of tokens) if (has.includes(` ${token.token} `)) weight += token.weight;
    return [integerOf(row, "number"), weight];
  });
}

/** A fact that several of the places know is nearer. */
function nearestByPlace(
  statements: Statements,
  lists: readonly (readonly number[])[],
  { kinds, most }: Signals,
): number[] {
  const counts = new Map<number, number>();
  for (const number of lists.flat()) counts.set(number, (counts.get(number) ?? 0) + 1);
  const nearest = heaviest([...counts], most * 2);
  const rows = statements.weighed.all(JSON.stringify(nearest));
  const fitting = rows.filter(
    (row) => textOf(row, "status") !== "retired" && (kinds === undefined || kinds.includes(kindOf(row))),
  );
  const weights = numbersOf(fitting).map((number) => [number, counts.get(number) ?? 0] as const);
  return heaviest(weights, most);
}

/** Among equals the newest. */
function heaviest(weights: Weights, most: number): number[] {
  return weights
    .toSorted((left, right) => right[1] - left[1] || right[0] - left[0])
    .slice(0, most)
    .map(([number]) => number);
}
