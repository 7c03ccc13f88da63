import type { KnowledgeCheck } from "../../ports/knowledge-store.ts";
import { integerOf, textColumn } from "../sqlite/rows.ts";
import type { KnowledgeDatabase } from "./knowledge-database.ts";

function forgetSql(t: string) {
  const lost = "ANY($1::bigint[])";
  return [
    `UPDATE ${t}facts SET merged_into = NULL WHERE merged_into = ${lost}`,
    `DELETE FROM ${t}opposites WHERE fact = ${lost} OR other = ${lost}`,
    `DELETE FROM ${t}fact_files WHERE fact = ${lost}`,
    `DELETE FROM ${t}witnesses WHERE fact = ${lost}`,
    `DELETE FROM ${t}history WHERE fact = ${lost} OR other = ${lost}`,
    `DELETE FROM ${t}facts WHERE number = ${lost}`,
  ];
}

/** What only facts that are forgotten had, and the numbers of facts with each token. */
function cleanSql(t: string) {
  return [
    `DELETE FROM ${t}touches x WHERE NOT EXISTS (SELECT 1 FROM ${t}witnesses w WHERE w.lesson = x.lesson)`,
    `DELETE FROM ${t}lessons x WHERE NOT EXISTS (SELECT 1 FROM ${t}witnesses w WHERE w.lesson = x.number)`,
    `DELETE FROM ${t}tokens`,
    `INSERT INTO ${t}tokens (token, facts) SELECT token, count(DISTINCT number)
      FROM ${t}facts, unnest(string_to_array(tokens, ' ')) token WHERE token NOT IN ('', '/') GROUP BY token`,
  ];
}

/**
 * Removes facts that something else than Baton has changed or added, with everything that belongs to them; all facts
 * where the seals themselves cannot be believed. Returns the ids of the removed facts.
 */
export async function forgetPostgresFacts(
  database: KnowledgeDatabase,
  { problems, altered }: KnowledgeCheck,
): Promise<string[]> {
  const { queries, prefix } = database;
  const everyFact = `SELECT number, id FROM ${prefix}facts`;
  const rows =
    problems.length > 0
      ? await queries.all(`${everyFact} ORDER BY number`)
      : await queries.all(`${everyFact} WHERE number = ANY($1::bigint[]) ORDER BY number`, [
          await factsOf(database, altered),
        ]);
  if (rows.length === 0) return [];
  const numbers = rows.map((row) => integerOf(row, "number"));
  for (const sql of forgetSql(prefix)) await queries.change(sql, [numbers]);
  for (const sql of cleanSql(prefix)) await queries.change(sql);
  return rows.map((row) => textColumn(row, "id"));
}

/** The facts that these rows belong to: their own rows, what was said of them, by whom, and their history. */
async function factsOf({ queries, prefix }: KnowledgeDatabase, altered: readonly string[]): Promise<number[]> {
  const named = altered.map((key) => key.split(" "));
  const numbersOfKind = (...kinds: readonly string[]): number[] =>
    named.flatMap(([kind = "", number]) => (kinds.includes(kind) ? [Number(number)] : []));
  const sql = `SELECT fact FROM ${prefix}witnesses WHERE lesson = ANY($1::bigint[])
    UNION SELECT fact FROM ${prefix}history WHERE number = ANY($2::bigint[])`;
  const rows = await queries.all(sql, [numbersOfKind("lesson"), numbersOfKind("record")]);
  return [...numbersOfKind("fact", "witness"), ...rows.map((row) => integerOf(row, "fact"))];
}
