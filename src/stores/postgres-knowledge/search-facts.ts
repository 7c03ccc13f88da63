import type { Fact } from "../../knowledge/fact.ts";
import type { FactQuery, FoundFact, Signals } from "../../ports/knowledge-store.ts";
import { searchMark } from "../knowledge/fact-text.ts";
import {
  enoughSeen,
  expandWord,
  FEWEST_RANKED,
  type Groups,
  learnedSince,
  markGroups,
  MAX_PLACES,
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
} from "../knowledge/rank-facts.ts";
import { numbersOf } from "../knowledge/stored-fact.ts";
import { integerOf, type Row } from "../sqlite/rows.ts";
import { findFactsSql, type TokenStatistics, type WantedFacts } from "./find-facts.ts";
import type { KnowledgeDatabase } from "./knowledge-database.ts";
import { lookUpTokens, tokenStatistics } from "./look-up-tokens.ts";
import { loadPostgresFacts } from "./read-facts.ts";
import { cutToken, keyOf } from "./tables.ts";

function searchSql(t: string) {
  return {
    weighed: `SELECT number, kind, status, tokens FROM ${t}facts WHERE number = ANY($1::bigint[])`,
    factsOfFiles: `SELECT k.at, f.fact AS number FROM unnest($1::bytea[]) WITH ORDINALITY k (key, at)
      CROSS JOIN LATERAL (SELECT fact FROM ${t}fact_files WHERE path_key = k.key ORDER BY fact DESC LIMIT $2) f`,
    factsOfTasks: `SELECT k.at, f.fact AS number FROM unnest($1::bytea[]) WITH ORDINALITY k (key, at)
      CROSS JOIN LATERAL (SELECT DISTINCT w.fact FROM ${t}lessons l JOIN ${t}witnesses w ON w.lesson = l.number
        WHERE l.task_key = k.key ORDER BY w.fact DESC LIMIT $2) f`,
  };
}

export async function searchPostgresFacts(database: KnowledgeDatabase, query: FactQuery): Promise<FoundFact[]> {
  const max = Math.max(0, Math.floor(query.max));
  const named = queryWords(query.text)?.map(cutToken) ?? null;
  if (max === 0 || named?.length === 0) return [];
  const marks = markGroups(query);
  const { statistics, like } = await lookUpTokens(database, named ?? [], marks.flat());
  const words = (named ?? []).map((word) => expandWord(word, like.get(word) ?? [], statistics.facts));
  const enough = Math.max(max, FEWEST_RANKED);
  const find = async (choices: readonly Groups[]): Promise<Row[]> => {
    const wanted = choices.map((groups) => ({
      groups: [...groups, ...marks],
      near: query,
      columns: "ranked" as const,
      max: enough,
    }));
    return learnedSince(await findRows(database, wanted, statistics), query);
  };
  const ranked = rankFacts(named === null ? await find([[]]) : await findByWords(words, find), words, max);
  // Another host may have removed one of them by now.
  const scores = new Map(ranked.map(({ id, score }) => [id, score]));
  const found = await loadPostgresFacts(
    database,
    ranked.map(({ number }) => number),
  );
  return found.map((fact) => ({ fact, score: scores.get(fact.id) ?? 0 }));
}

async function findByWords(
  words: readonly WantedWord[],
  find: (choices: readonly Groups[]) => Promise<Row[]>,
): Promise<Row[]> {
  const steps = searchSteps(words);
  let step = steps.next();
  while (step.done !== true) step = steps.next(await find(step.value));
  return step.value;
}

async function findRows(
  { queries, prefix }: KnowledgeDatabase,
  wanted: readonly WantedFacts[],
  statistics: TokenStatistics,
): Promise<Row[]> {
  const possible = wanted.filter(({ groups }) => groups.every((tokens) => tokens.length > 0));
  if (possible.length === 0) return [];
  const { sql, values } = findFactsSql(prefix, possible, statistics);
  return queries.all(sql, values);
}

/** Searches by tags, words, files and tasks separately, so that a common tag cannot displace the one fact about a file. */
export async function findPostgresCandidates(database: KnowledgeDatabase, signals: Signals): Promise<Fact[]> {
  const { queries, prefix } = database;
  const { tags, words, files, tasks, kinds, max } = signals;
  if (kinds?.length === 0) return [];
  const sql = searchSql(prefix);
  const enough = enoughSeen(max);
  const fileKeys = files.slice(0, MAX_PLACES).map((path) => keyOf(path));
  const taskKeys = tasks.slice(0, MAX_PLACES).map(({ run, task }) => keyOf(run, task));
  const numbers = [
    ...(await byTokens(database, signals, tagTokens(tags), tagGroups)),
    ...(await byTokens(database, signals, wordTokens(words).map(cutToken), (rarest) => wordGroups(rarest, enough))),
    ...(await byPlace(database, signals, listsOf(await queries.all(sql.factsOfFiles, [fileKeys, enough])))),
    ...(await byPlace(database, signals, listsOf(await queries.all(sql.factsOfTasks, [taskKeys, enough])))),
  ];
  return loadPostgresFacts(database, [...new Set(numbers)]);
}

function listsOf(rows: readonly Row[]): number[][] {
  return [...groupNumbers(rows, "at").values()];
}

/** The newest facts of each group of tokens, and of these the nearest. */
async function byTokens(
  database: KnowledgeDatabase,
  { kinds, max }: Signals,
  tokens: readonly string[],
  groupsOf: (rarest: TokenGroup) => TokenGroup[],
): Promise<number[]> {
  const marks = markGroups(kinds === undefined ? {} : { kinds });
  const statistics = await tokenStatistics(database, [...tokens, ...marks.flat()]);
  const counted = tokens.map((token) => ({ token, count: statistics.counts.get(token) ?? 0 }));
  const groups = groupsOf(rarestTokens(counted, statistics.facts));
  const asked = groups.map((group) => ({
    groups: [...group.map(({ token }) => [token]), ...marks],
    without: searchMark.status("retired"),
    columns: "named" as const,
    max: enoughSeen(max),
  }));
  const found = await findRows(database, asked, statistics);
  const lists = groupNumbers(found, "part");
  const near = nearByTokens(
    groups,
    groups.map((_, part) => lists.get(part) ?? []),
    max,
  );
  return nearestByTokens(await weigh(database, near), groups, max);
}

async function weigh({ queries, prefix }: KnowledgeDatabase, numbers: readonly number[]): Promise<Row[]> {
  return numbers.length === 0 ? [] : queries.all(searchSql(prefix).weighed, [numbers]);
}

async function byPlace(
  database: KnowledgeDatabase,
  signals: Signals,
  lists: readonly (readonly number[])[],
): Promise<number[]> {
  const near = nearByPlace(lists, signals.max);
  return nearestByPlace(await weigh(database, [...near.keys()]), near, signals);
}

function groupNumbers(rows: readonly Row[], by: string): Map<number, number[]> {
  const groups = new Map<number, number[]>();
  for (const row of rows) {
    const group = integerOf(row, by);
    groups.set(group, [...(groups.get(group) ?? []), ...numbersOf([row])]);
  }
  return groups;
}
