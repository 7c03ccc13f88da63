import type { FactQuery, FoundFact, Signals } from "../../ports/knowledge-store.ts";
import type { FactStatus, Fact, FactKind } from "../../knowledge/fact.ts";
import { integerOf, type Row, textColumn } from "../sqlite/rows.ts";
import { loadFacts } from "./fact-rows.ts";
import { kindOf, numbersOf } from "./stored-fact.ts";
import { hasToken, searchMark, searchWords } from "./fact-text.ts";
import type { KnowledgeStatements } from "./statements.ts";
import { stemOf } from "../../knowledge/stem-word.ts";
import { normalTag } from "../../knowledge/words.ts";

/** At least so many of the newest facts are ranked. */
const FEWEST_RANKED = 200;
/** The most facts of one run, task or file that are read. */
const MAX_OF_ONE = 50_000;

/**
 * Facts of a run, task or file are few and are read one by one; all others are found by their tokens. Both searches go
 * from the newest to the oldest and stop when they have enough.
 */
export function searchFacts(statements: KnowledgeStatements, query: FactQuery): FoundFact[] {
  const max = Math.max(0, Math.floor(query.max));
  const hasText = query.text !== undefined && query.text.trim() !== "";
  const words = hasText ? wantedWords(statements, query.text ?? "") : [];
  if (max === 0 || (hasText && words.length === 0)) return [];
  const marks = markGroups(query);
  const find = (groups: Groups): Row[] => findRows(statements, query, [...groups, ...marks], max);
  const ranked = (words.length === 0 ? find([]) : findByWords(words, find))
    .map((row) => rank(row, words))
    .sort(byScore)
    .slice(0, max);
  const facts = loadFacts(
    statements,
    ranked.map(({ number }) => number),
  );
  return facts.map((fact, at) => ({ fact, score: ranked[at]?.score ?? 0 }));
}

/** Facts with all the words; if there are none, with all but one of them; if there are none, with some of them. */
function findByWords(words: readonly WantedWord[], find: (groups: Groups) => Row[]): Row[] {
  const whole = find(words.map(({ tokens }) => tokens));
  const known = words.map(({ tokens }) => tokens).filter((tokens) => tokens.length > 0);
  if (whole.length > 0 || known.length === 0) return whole;
  const some = known.length < words.length ? find(known) : [];
  if (some.length > 0 || known.length < 2) return some;
  const most = known.length < 3 ? [] : known.flatMap((_, left) => find(known.filter((__, at) => at !== left)));
  return most.length > 0 ? onceEachRow(most) : find([known.flat()]);
}

function onceEachRow(rows: readonly Row[]): Row[] {
  return [...new Map(rows.map((row) => [integerOf(row, "number"), row])).values()];
}

function wantedWords(statements: KnowledgeStatements, text: string): WantedWord[] {
  const facts = integerOf(statements.newestNumber.get() ?? {}, "number");
  return queryWords(text).map((word) => expandWord(statements, word, facts));
}

type Groups = readonly (readonly string[])[];

/** No fact can match a group without tokens. */
function findRows(statements: KnowledgeStatements, query: FactQuery, groups: Groups, max: number): Row[] {
  if (groups.some((tokens) => tokens.length === 0)) return [];
  const enough = Math.max(max, FEWEST_RANKED);
  const near = nearNumbers(statements, query);
  const rows = near === null ? indexed(statements, groups, enough) : lookedAt(statements, near, groups, enough);
  return rows.filter((row) => query.since === undefined || integerOf(row, "learned_at") >= query.since);
}

function indexed(statements: KnowledgeStatements, groups: Groups, enough: number): Row[] {
  const rows = groups.length === 0 ? newest(statements, enough) : statements.matching.all(matchAll(groups), enough);
  return statements.weighed.all(JSON.stringify(numbersOf(rows)));
}

function newest(statements: KnowledgeStatements, enough: number): Row[] {
  const last = integerOf(statements.newestNumber.get() ?? {}, "number");
  return statements.page.all(Math.max(0, last - enough), enough);
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

interface Ranked {
  readonly number: number;
  readonly id: string;
  readonly score: number;
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

function byScore(left: Ranked, right: Ranked): number {
  return right.score - left.score || (left.id < right.id ? -1 : 1);
}

const MAX_TOKENS = 8;
const MAX_PAIRED = 3;
const MAX_PLACES = 50;
/** How many of the newest facts with a token are read. */
const FEWEST_SEEN = 50;
const MAX_SEEN = 200;

/** Searches by tags, words, files and tasks separately, so that a common tag cannot displace the one fact about a file. */
export function findCandidates(statements: KnowledgeStatements, signals: Signals): Fact[] {
  const { tags, words, files, tasks, kinds, max } = signals;
  if (kinds?.length === 0) return [];
  const enough = Math.min(Math.max(max, FEWEST_SEEN), MAX_SEEN);
  const tagTokens = rarestTokens(statements, tags.flatMap((tag) => normalTag(tag) ?? []).map(searchMark.tag));
  const wordTokens = rarestTokens(statements, words.map(stemOf));
  // One tag is enough to match; of frequent words, two are needed.
  const wordGroups = [...alone(wordTokens), ...pairs(wordTokens.filter(({ count }) => count > enough))];
  const ofFiles = files.slice(0, MAX_PLACES).map((path) => numbersOf(statements.factsOfFile.all(path, enough)));
  const ofTasks = tasks
    .slice(0, MAX_PLACES)
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
  const paired = tokens.slice(0, MAX_PAIRED);
  return paired.flatMap((left, at) => paired.slice(at + 1).map((right) => [left, right]));
}

/**
 * Collects the newest facts of each group of tokens, and returns those whose matching tokens have the greatest weight.
 */
function nearestByTokens(
  statements: KnowledgeStatements,
  groups: readonly Group[],
  signals: Signals,
  enough: number,
): number[] {
  const { kinds, max } = signals;
  const marks = markGroups(kinds === undefined ? {} : { kinds });
  const seen = new Map<number, number>();
  for (const tokens of groups) {
    const match = matchAll([...tokens.map(({ token }) => [token]), ...marks]);
    const weight = tokens.reduce((sum, one) => sum + one.weight, 0);
    for (const number of numbersOf(
      statements.matching.all(matchWithout(match, searchMark.status("retired")), enough),
    )) {
      seen.set(number, (seen.get(number) ?? 0) + weight);
    }
  }
  const tokens = [...new Set(groups.flat())];
  return heaviest(weigh(statements, heaviest([...seen], max * 2), tokens), max);
}

interface WeighedToken {
  readonly token: string;
  readonly count: number;
  readonly weight: number;
}

function rarestTokens(statements: KnowledgeStatements, wanted: readonly string[]): WeighedToken[] {
  const facts = integerOf(statements.newestNumber.get() ?? {}, "number");
  return statements.tokenCounts
    .all(JSON.stringify([...new Set(wanted)].slice(0, MAX_WANTED)))
    .map((row) => ({ token: textColumn(row, "token"), count: integerOf(row, "facts") }))
    .filter(({ count }) => count > 0)
    .sort((left, right) => left.count - right.count || (left.token < right.token ? -1 : 1))
    .slice(0, MAX_TOKENS)
    .map(({ token, count }) => ({ token, count, weight: rarity(count, facts) }));
}

const MAX_WANTED = 500;

type Weights = readonly (readonly [number: number, weight: number])[];

function weigh(statements: KnowledgeStatements, numbers: readonly number[], tokens: readonly WeighedToken[]): Weights {
  return statements.tokensOf.all(JSON.stringify(numbers)).map((row) => {
    const has = textColumn(row, "tokens");
    let weight = 0;
    for (const token of tokens) if (has.includes(` ${token.token} `)) weight += token.weight;
    return [integerOf(row, "number"), weight];
  });
}

/** A fact that belongs to several of the places ranks higher. */
function nearestByPlace(
  statements: KnowledgeStatements,
  lists: readonly (readonly number[])[],
  { kinds, max }: Signals,
): number[] {
  const counts = new Map<number, number>();
  for (const number of lists.flat()) counts.set(number, (counts.get(number) ?? 0) + 1);
  const nearest = heaviest([...counts], max * 2);
  const rows = statements.weighed.all(JSON.stringify(nearest));
  const fitting = rows.filter(
    (row) => textColumn(row, "status") !== "retired" && (kinds === undefined || kinds.includes(kindOf(row))),
  );
  const weights = numbersOf(fitting).map((number) => [number, counts.get(number) ?? 0] as const);
  return heaviest(weights, max);
}

/** Among equal weights the newest comes first. */
function heaviest(weights: Weights, max: number): number[] {
  return weights
    .toSorted((left, right) => right[1] - left[1] || right[0] - left[0])
    .slice(0, max)
    .map(([number]) => number);
}

const MAX_QUERY = 2_000;
const MAX_QUERY_WORDS = 12;
/** A shorter word matches only itself: too many words begin with it. */
const SHORTEST_BEGINNING = 3;
const MAX_SCANNED = 500;
const MAX_ENDINGS = 12;

/** A word of a query, and the indexed words that match it. */
interface WantedWord {
  readonly word: string;
  readonly tokens: readonly string[];
  /** Greater for rarer words. */
  readonly weight: number;
}

/** The words of a query, each once. */
function queryWords(text: string): string[] {
  return [...new Set(searchWords(text.slice(0, MAX_QUERY)))].slice(0, MAX_QUERY_WORDS);
}

/**
 * Looks up the indexed words with this beginning, and searches for the most frequent of them: a prefix query of the
 * full-text index would collect every fact of every such word before it returned the first one.
 */
function expandWord(statements: KnowledgeStatements, word: string, facts: number): WantedWord {
  const exact = statements.tokenCounts.all(JSON.stringify([word]));
  const found = [...exact, ...tokensLike(statements, word)]
    .map((row) => ({ token: textColumn(row, "token"), count: integerOf(row, "facts") }))
    .filter(({ count }) => count > 0)
    .sort((left, right) => Number(right.token === word) - Number(left.token === word) || right.count - left.count);
  const tokens = [...new Set(found.map(({ token }) => token))].slice(0, MAX_ENDINGS);
  const count = found[0]?.count ?? 0;
  return { word, tokens, weight: rarity(count, facts) };
}

/** Indexed words that begin with the word; if there are none, with most of it. */
function tokensLike(statements: KnowledgeStatements, word: string): Row[] {
  if (word.length < SHORTEST_BEGINNING) return [];
  const shortest = Math.max(SHORTEST_BEGINNING + 1, Math.ceil(word.length * MOST_OF_IT));
  for (let length = word.length; length === word.length || length >= shortest; length--) {
    const start = word.slice(0, length);
    const rows = statements.tokensFrom.all(start, endOf(start), MAX_SCANNED);
    if (rows.some((row) => integerOf(row, "facts") > 0)) return rows;
  }
  return [];
}

const MOST_OF_IT = 0.7;

function rarity(count: number, facts: number): number {
  return Math.log(1 + facts / Math.max(1, count));
}

/** Greater than any text that begins with the word. */
function endOf(word: string): string {
  return `${word}\u{10ffff}`;
}

interface Marks {
  readonly tags?: readonly string[];
  readonly kinds?: readonly FactKind[];
  readonly status?: readonly FactStatus[];
}

/** Groups of tokens; a fact must have one token of each group. */
export function markGroups({ tags = [], kinds, status }: Marks): string[][] {
  return [
    ...tags.map((tag) => [searchMark.tag(normalTag(tag) ?? "")]),
    ...(kinds === undefined ? [] : [kinds.map(searchMark.kind)]),
    ...(status === undefined ? [] : [status.map(searchMark.status)]),
  ];
}

/** A query for one token of each group. Every token is quoted, so that no text becomes syntax. */
export function matchAll(groups: readonly (readonly string[])[]): string {
  return groups.map((tokens) => `(${tokens.map(quote).join(" OR ")})`).join(" AND ");
}

export function matchWithout(match: string, token: string): string {
  return `(${match}) NOT ${quote(token)}`;
}

function quote(token: string): string {
  return `"${token.replaceAll('"', '""')}"`;
}
