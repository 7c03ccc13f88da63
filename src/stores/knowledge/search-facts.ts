import type { FactQuery, FoundFact } from "../../ports/knowledge-store.ts";
import type { FactStatus } from "../../knowledge/fact.ts";
import { integerOf, type Row, textOf } from "../sqlite/rows.ts";
import { loadFacts, numbersOf } from "./fact-rows.ts";
import { expandWord, markGroups, matchAll, queryWords, type WantedWord } from "./match.ts";
import { hasToken } from "./saying.ts";
import type { Statements } from "./statements.ts";

/** So many of the newest are ranked, or as many as are wanted. */
const FEWEST_RANKED = 200;
/** Facts of one run, task or file that are looked at. */
const MOST_OF_ONE = 50_000;

/**
 * Two ways, by what is asked: facts of a run, task or file are few and are looked at one by one; all others are
 * found by their tokens. Both go from the newest to the oldest and stop when they have enough.
 */
export function searchFacts(statements: Statements, query: FactQuery): FoundFact[] {
  const most = Math.max(0, Math.floor(query.most));
  const hasText = query.text !== undefined && query.text.trim() !== "";
  const words = hasText ? wantedWords(statements, query.text ?? "") : [];
  if (most === 0 || (hasText && words.length === 0)) return [];
  const marks = markGroups(query);
  const whole = findRows(statements, query, [...words.map(({ tokens }) => tokens), ...marks], most);
  // Nothing has all the words: some of them will do.
  const some = words.flatMap(({ tokens }) => tokens);
  const rows = whole.length > 0 || words.length < 2 ? whole : findRows(statements, query, [some, ...marks], most);
  const ranked = rows
    .map((row) => rank(row, words))
    .sort(byScore)
    .slice(0, most);
  const facts = loadFacts(
    statements,
    ranked.map(({ number }) => number),
  );
  return facts.map((fact, at) => ({ fact, score: ranked[at]?.score ?? 0 }));
}

function wantedWords(statements: Statements, text: string): WantedWord[] {
  const facts = integerOf(statements.newestNumber.get() ?? {}, "number");
  return queryWords(text).map((word) => expandWord(statements, word, facts));
}

type Groups = readonly (readonly string[])[];

/** A group without a token can have no fact. */
function findRows(statements: Statements, query: FactQuery, groups: Groups, most: number): Row[] {
  if (groups.some((tokens) => tokens.length === 0)) return [];
  const enough = Math.max(most, FEWEST_RANKED);
  const near = nearNumbers(statements, query);
  const rows = near === null ? indexed(statements, groups, enough) : lookedAt(statements, near, groups, enough);
  return rows.filter((row) => query.since === undefined || integerOf(row, "learned_at") >= query.since);
}

function indexed(statements: Statements, groups: Groups, enough: number): Row[] {
  const rows = groups.length === 0 ? newest(statements, enough) : statements.matching.all(matchAll(groups), enough);
  return statements.weighed.all(JSON.stringify(numbersOf(rows)));
}

function newest(statements: Statements, enough: number): Row[] {
  const last = integerOf(statements.newestNumber.get() ?? {}, "number");
  return statements.page.all(Math.max(0, last - enough), enough);
}

const BATCH = 500;

function lookedAt(statements: Statements, numbers: readonly number[], groups: Groups, enough: number): Row[] {
  const found: Row[] = [];
  for (let first = 0; first < numbers.length && found.length < enough; first += BATCH) {
    const rows = statements.weighed.all(JSON.stringify(numbers.slice(first, first + BATCH)));
    found.push(...rows.filter((row) => hasAll(textOf(row, "tokens"), groups)));
  }
  return found.slice(0, enough);
}

function hasAll(tokens: string, groups: Groups): boolean {
  return groups.every((group) => hasToken(tokens, group) !== null);
}

/** The newest first; null when neither run nor task nor file is asked for. */
function nearNumbers(statements: Statements, { run, task, file }: FactQuery): number[] | null {
  const lists: number[][] = [];
  if (file !== undefined) lists.push(numbersOf(statements.factsOfFile.all(file, MOST_OF_ONE)));
  if (task !== undefined) lists.push(numbersOf(ofTask(statements, task, run)));
  else if (run !== undefined) lists.push(numbersOf(statements.factsOfRun.all(run, MOST_OF_ONE)));
  const [first, ...others] = lists;
  if (first === undefined) return null;
  const sets = others.map((numbers) => new Set(numbers));
  return first.filter((number) => sets.every((set) => set.has(number)));
}

function ofTask(statements: Statements, task: string, run: string | undefined): Row[] {
  if (run === undefined) return statements.factsOfTaskName.all(task, MOST_OF_ONE);
  return statements.factsOfTask.all(task, run, MOST_OF_ONE);
}

interface Ranked {
  readonly number: number;
  readonly id: string;
  readonly score: number;
}

/** Of a word that only begins as the wanted one does, and of one that only tags or files have. */
const BEGINNING = 0.6;
const FILED = 0.7;
const TRUST: Readonly<Record<FactStatus, number>> = { trusted: 1, quarantined: 0.8, retired: 0.4 };
/** Words decide; witnesses and help only between facts that are equally near. */
const STANDING = 0.05;

/** (weight of the words that the fact has + 0.05 ln(1 + witnesses + helped)) x trust. */
function rank(row: Row, words: readonly WantedWord[]): Ranked {
  const tokens = textOf(row, "tokens");
  let near = 0;
  for (const { word, tokens: forms, weight } of words) near += weight * nearness(tokens, word, forms);
  const standing = STANDING * Math.log(1 + integerOf(row, "witnesses") + integerOf(row, "helped"));
  const trust = TRUST[textOf(row, "status") as FactStatus];
  return { number: integerOf(row, "number"), id: textOf(row, "id"), score: (near + standing) * trust };
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
