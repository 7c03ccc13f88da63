import { beginningsOf, type CountedToken, countedTokenOf, endOf, MAX_SCANNED } from "../knowledge/rank-facts.ts";
import { integerOf, textColumn } from "../sqlite/rows.ts";
import type { TokenStatistics } from "./find-facts.ts";
import type { KnowledgeDatabase } from "./knowledge-database.ts";

function tokenSql(t: string) {
  return {
    newestNumber: `SELECT coalesce(max(number), 0) AS number FROM ${t}facts`,
    tokenCounts: `SELECT token, facts FROM ${t}tokens WHERE token = ANY($1::text[])`,
    tokensFrom: `SELECT s.start, k.token, k.facts FROM unnest($1::text[], $2::text[]) s (start, after)
      CROSS JOIN LATERAL (SELECT token, facts FROM ${t}tokens WHERE token >= s.start AND token < s.after
        ORDER BY token LIMIT ${MAX_SCANNED}) k`,
  };
}

export async function tokenStatistics(
  database: KnowledgeDatabase,
  tokens: readonly string[],
): Promise<TokenStatistics> {
  const known = await countsOf(database, tokens);
  return { facts: await countFacts(database), counts: new Map(known.map(({ token, count }) => [token, count])) };
}

interface LookedUpTokens {
  readonly statistics: TokenStatistics;
  /** For each word the indexed word itself, and those that begin like it. */
  readonly like: ReadonlyMap<string, readonly CountedToken[]>;
}

export async function lookUpTokens(
  database: KnowledgeDatabase,
  words: readonly string[],
  marks: readonly string[],
): Promise<LookedUpTokens> {
  const facts = await countFacts(database);
  const exact = await countsOf(database, [...words, ...marks]);
  const begun = await tokensThatBegin(database, words);
  const like = new Map(
    words.map((word) => [word, [...exact.filter(({ token }) => token === word), ...(begun.get(word) ?? [])]]),
  );
  const counts = [...exact, ...[...like.values()].flat()].map(({ token, count }) => [token, count] as const);
  return { statistics: { facts, counts: new Map(counts) }, like };
}

/** The indexed words with the longest beginning of each word that facts have. */
async function tokensThatBegin(
  database: KnowledgeDatabase,
  words: readonly string[],
): Promise<ReadonlyMap<string, readonly CountedToken[]>> {
  const whole = await tokensFrom(
    database,
    words.flatMap((word) => beginningsOf(word).slice(0, 1)),
  );
  const missing = words.filter((word) => !whole.has(word));
  const shorter = await tokensFrom(
    database,
    missing.flatMap((word) => beginningsOf(word).slice(1)),
  );
  const known = new Map([...whole, ...shorter]);
  return new Map(
    words.flatMap((word) => {
      const start = beginningsOf(word).find((beginning) => known.has(beginning));
      return start === undefined ? [] : [[word, known.get(start) ?? []] as const];
    }),
  );
}

/** The indexed words with each of these beginnings; none for a beginning of words that no fact has any more. */
async function tokensFrom(
  { queries, prefix }: KnowledgeDatabase,
  starts: readonly string[],
): Promise<Map<string, CountedToken[]>> {
  const found = new Map<string, CountedToken[]>();
  if (starts.length === 0) return found;
  const rows = await queries.all(tokenSql(prefix).tokensFrom, [starts, starts.map(endOf)]);
  for (const row of rows) {
    const start = textColumn(row, "start");
    found.set(start, [...(found.get(start) ?? []), countedTokenOf(row)]);
  }
  return new Map([...found].filter(([, tokens]) => tokens.some(({ count }) => count > 0)));
}

async function countsOf({ queries, prefix }: KnowledgeDatabase, tokens: readonly string[]): Promise<CountedToken[]> {
  if (tokens.length === 0) return [];
  return (await queries.all(tokenSql(prefix).tokenCounts, [tokens])).map(countedTokenOf);
}

async function countFacts({ queries, prefix }: KnowledgeDatabase): Promise<number> {
  const [row] = await queries.all(tokenSql(prefix).newestNumber);
  return integerOf(row ?? {}, "number");
}
