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
  const tagTokens = tags.flatMap((tag) => normalTag(tag) ?? []).map(mark.tag);
  const ofFiles = files.slice(0, MOST_PLACES).map((path) => numbersOf(statements.factsOfFile.all(path, MOST_SEEN)));
  const ofTasks = tasks
    .slice(0, MOST_PLACES)
    .map(({ run, task }) => numbersOf(statements.factsOfTask.all(task, run, MOST_SEEN)));
  const numbers = new Set([
    ...nearestByTokens(statements, tagTokens, kinds, most),
    ...nearestByTokens(statements, words, kinds, most),
    ...nearestByPlace(statements, ofFiles, kinds, most),
    ...nearestByPlace(statements, ofTasks, kinds, most),
  ]);
  return loadFacts(statements, [...numbers]);
}

/**
 * The newest facts of each of the rarest tokens, and of pairs of those that have too many facts to take them all;
 * among these, the facts whose tokens weigh most together. What is seen by the way chooses those that are looked at.
 */
function nearestByTokens(statements: Statements, wanted: readonly string[], kinds: Kinds, most: number): number[] {
  const rarest = rarestTokens(statements, wanted);
  const enough = Math.min(Math.max(most, FEWEST_SEEN), MOST_SEEN);
  const frequent = rarest.filter(({ count }) => count > enough).slice(0, MOST_PAIRED);
  const pairs = frequent.flatMap((left, at) => frequent.slice(at + 1).map((right) => [left, right]));
  const seen = new Map<number, number>();
  for (const tokens of [...pairs, ...rarest.map((one) => [one])]) {
    const groups = [...tokens.map(({ token }) => [token]), ...markGroups(kinds === undefined ? {} : { kinds })];
    const match = without(matchAll(groups), mark.status("retired"));
    const weight = tokens.reduce((sum, one) => sum + one.weight, 0);
    for (const number of numbersOf(statements.matching.all(match, enough))) {
      seen.set(number, (seen.get(number) ?? 0) + weight);
    }
  }
  return heaviest(weigh(statements, heaviest([...seen], most * 2), rarest), most);
}

type Kinds = Signals["kinds"];

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
  kinds: Kinds,
  most: number,
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
