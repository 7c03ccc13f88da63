import type { Fact } from "../../knowledge/fact.ts";
import type { FactQuery, FoundFact, Signals } from "../../ports/knowledge-store.ts";
import { integerOf, type Row, textColumn } from "../sqlite/rows.ts";
import { loadFacts } from "./fact-rows.ts";
import { hasToken, searchMark } from "./fact-text.ts";
import {
  beginningsOf,
  type CountedToken,
  countedTokenOf,
  endOf,
  enoughSeen,
  expandWord,
  FEWEST_RANKED,
  type Groups,
  learnedSince,
  markGroups,
  MAX_PLACES,
  MAX_SCANNED,
  nearByPlace,
  nearByTokens,
  nearestByPlace,
  nearestByTokens,
  queryWords,
  rankFacts,
  rarestTokens,
  searchSteps,
  tagGroups,
  tagTokens,
  type TokenGroup,
  type WantedWord,
  wordGroups,
  wordTokens,
} from "./rank-facts.ts";
import type { KnowledgeStatements } from "./statements.ts";
import { numbersOf } from "./stored-fact.ts";

/** The most facts of one run, task or file that are read. */
const MAX_OF_ONE = 50_000;

/**
 * Facts of a run, task or file are few and are read one by one; all others are found by their tokens. Both searches go
 * from the newest to the oldest and stop when they have enough.
 */
export function searchFacts(statements: KnowledgeStatements, query: FactQuery): FoundFact[] {
  const max = Math.max(0, Math.floor(query.max));
  const named = queryWords(query.text);
  if (max === 0 || named?.length === 0) return [];
  const facts = countFacts(statements);
  const words = (named ?? []).map((word) => expandWord(word, tokensLike(statements, word), facts));
  const marks = markGroups(query);
  const find = (groups: Groups): Row[] => findRows(statements, query, [...groups, ...marks], max);
  const ranked = rankFacts(named === null ? find([]) : findByWords(words, find), words, max);
  const found = loadFacts(
    statements,
    ranked.map(({ number }) => number),
  );
  return found.map((fact, at) => ({ fact, score: ranked[at]?.score ?? 0 }));
}

function findByWords(words: readonly WantedWord[], find: (groups: Groups) => Row[]): Row[] {
  const steps = searchSteps(words);
  let step = steps.next();
  while (step.done !== true) step = steps.next(step.value.flatMap(find));
  return step.value;
}

function countFacts(statements: KnowledgeStatements): number {
  return integerOf(statements.newestNumber.get() ?? {}, "number");
}

function findRows(statements: KnowledgeStatements, query: FactQuery, groups: Groups, max: number): Row[] {
  if (groups.some((tokens) => tokens.length === 0)) return [];
  const enough = Math.max(max, FEWEST_RANKED);
  const near = nearNumbers(statements, query);
  const rows = near === null ? indexed(statements, groups, enough) : lookedAt(statements, near, groups, enough);
  return learnedSince(rows, query);
}

function indexed(statements: KnowledgeStatements, groups: Groups, enough: number): Row[] {
  const rows = groups.length === 0 ? newest(statements, enough) : statements.matching.all(matchAll(groups), enough);
  return statements.weighed.all(JSON.stringify(numbersOf(rows)));
}

function newest(statements: KnowledgeStatements, enough: number): Row[] {
  return statements.page.all(Math.max(0, countFacts(statements) - enough), enough);
}

const BATCH = 500;

function lookedAt(statements: KnowledgeStatements, numbers: readonly number[], groups: Groups, enough: number): Row[] {
  const found: Row[] = [];
  for (let first = 0; first < numbers.length && found.length < enough; first += BATCH) {
    const rows = statements.weighed.all(JSON.stringify(numbers.slice(first, first + BATCH)));
    found.push(...rows.filter((row) => hasAll(textColumn(row, "tokens"), groups)));
  }
  return found.slice(0, enough);
}

function hasAll(tokens: string, groups: Groups): boolean {
  return groups.every((group) => hasToken(tokens, group) !== null);
}

/** Newest first; null when the query names no run, task or file. */
function nearNumbers(statements: KnowledgeStatements, { run, task, file }: FactQuery): number[] | null {
  const lists: number[][] = [];
  if (file !== undefined) lists.push(numbersOf(statements.factsOfFile.all(file, MAX_OF_ONE)));
  if (task !== undefined) lists.push(numbersOf(ofTask(statements, task, run)));
  else if (run !== undefined) lists.push(numbersOf(statements.factsOfRun.all(run, MAX_OF_ONE)));
  const [first, ...others] = lists;
  if (first === undefined) return null;
  const sets = others.map((numbers) => new Set(numbers));
  return first.filter((number) => sets.every((set) => set.has(number)));
}

function ofTask(statements: KnowledgeStatements, task: string, run: string | undefined): Row[] {
  if (run === undefined) return statements.factsOfTaskName.all(task, MAX_OF_ONE);
  return statements.factsOfTask.all(task, run, MAX_OF_ONE);
}

/** Searches by tags, words, files and tasks separately, so that a common tag cannot displace the one fact about a file. */
export function findCandidates(statements: KnowledgeStatements, signals: Signals): Fact[] {
  const { tags, words, files, tasks, kinds, max } = signals;
  if (kinds?.length === 0) return [];
  const enough = enoughSeen(max);
  const facts = countFacts(statements);
  const rarest = (tokens: readonly string[]): TokenGroup => rarestTokens(countsOf(statements, tokens), facts);
  const ofFiles = files.slice(0, MAX_PLACES).map((path) => numbersOf(statements.factsOfFile.all(path, enough)));
  const ofTasks = tasks
    .slice(0, MAX_PLACES)
    .map(({ run, task }) => numbersOf(statements.factsOfTask.all(task, run, enough)));
  const numbers = new Set([
    ...byTokens(statements, tagGroups(rarest(tagTokens(tags))), signals, enough),
    ...byTokens(statements, wordGroups(rarest(wordTokens(words)), enough), signals, enough),
    ...byPlace(statements, ofFiles, signals),
    ...byPlace(statements, ofTasks, signals),
  ]);
  return loadFacts(statements, [...numbers]);
}

/** The newest facts of each group of tokens, and of these the nearest. */
function byTokens(
  statements: KnowledgeStatements,
  groups: readonly TokenGroup[],
  { kinds, max }: Signals,
  enough: number,
): number[] {
  const marks = markGroups(kinds === undefined ? {} : { kinds });
  const found = groups.map((tokens) => {
    const match = matchAll([...tokens.map(({ token }) => [token]), ...marks]);
    return numbersOf(statements.matching.all(matchWithout(match, searchMark.status("retired")), enough));
  });
  const near = nearByTokens(groups, found, max);
  return nearestByTokens(statements.tokensOf.all(JSON.stringify(near)), groups, max);
}

function byPlace(statements: KnowledgeStatements, lists: readonly (readonly number[])[], signals: Signals): number[] {
  const near = nearByPlace(lists, signals.max);
  return nearestByPlace(statements.weighed.all(JSON.stringify([...near.keys()])), near, signals);
}

function countsOf(statements: KnowledgeStatements, tokens: readonly string[]): CountedToken[] {
  return statements.tokenCounts.all(JSON.stringify(tokens)).map(countedTokenOf);
}

/** The indexed word itself, and those that begin like it. */
function tokensLike(statements: KnowledgeStatements, word: string): CountedToken[] {
  const exact = countsOf(statements, [word]);
  for (const start of beginningsOf(word)) {
    const rows = statements.tokensFrom.all(start, endOf(start), MAX_SCANNED).map(countedTokenOf);
    if (rows.some(({ count }) => count > 0)) return [...exact, ...rows];
  }
  return exact;
}

/** A query for one token of each group. Every token is quoted, so that no text becomes syntax. */
export function matchAll(groups: Groups): string {
  return groups.map((tokens) => `(${tokens.map(quote).join(" OR ")})`).join(" AND ");
}

export function matchWithout(match: string, token: string): string {
  return `(${match}) NOT ${quote(token)}`;
}

function quote(token: string): string {
  return `"${token.replaceAll('"', '""')}"`;
}
