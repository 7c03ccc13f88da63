import type { Fact } from "../../knowledge/fact.ts";
import { assembleFacts, missingFact, noSuchFact, type StoredFact, storedFactOf } from "../knowledge/stored-fact.ts";
import { textColumn } from "../sqlite/rows.ts";
import type { KnowledgeDatabase } from "./knowledge-database.ts";

/** A fact is read with at most so many sources: the first one and the newest others. */
const MAX_SOURCES = 50;

export function factSql(t: string) {
  const source = "w.fact, w.ordinal, w.place, l.run, l.task, l.step, l.agent, l.handoff, l.at";
  return {
    facts: `SELECT * FROM ${t}facts WHERE number = ANY($1::bigint[])`,
    factsById: `SELECT * FROM ${t}facts WHERE id = ANY($1::text[])`,
    sources: `SELECT ${source} FROM ${t}facts f JOIN ${t}witnesses w ON w.fact = f.number
      JOIN ${t}lessons l ON l.number = w.lesson
      WHERE f.number = ANY($1::bigint[]) AND (w.ordinal = 1
        OR w.ordinal > greatest(1, f.witnesses - ${MAX_SOURCES - 1}) AND w.is_repeat = 0)
      ORDER BY w.fact, w.ordinal`,
    opposites: `SELECT o.fact, f.id FROM ${t}opposites o JOIN ${t}facts f ON f.number = o.other
      WHERE o.fact = ANY($1::bigint[]) ORDER BY o.fact, o.other`,
  };
}

/** The facts in the order of their numbers. */
export async function loadPostgresFacts(
  { queries, prefix }: KnowledgeDatabase,
  numbers: readonly number[],
): Promise<Fact[]> {
  if (numbers.length === 0) return [];
  const list = [...new Set(numbers)];
  const sql = factSql(prefix);
  const stored = await queries.all(sql.facts, [list]);
  const sources = await queries.all(sql.sources, [list]);
  const opposites = await queries.all(sql.opposites, [list]);
  return assembleFacts(numbers, { stored: stored.map(storedFactOf), sources, opposites });
}

export async function loadPostgresFact(database: KnowledgeDatabase, number: number): Promise<Fact> {
  const [fact] = await loadPostgresFacts(database, [number]);
  if (fact === undefined) throw missingFact(number);
  return fact;
}

export async function storedFactWithId({ queries, prefix }: KnowledgeDatabase, id: string): Promise<StoredFact> {
  const [row] = await queries.all(factSql(prefix).factsById, [[id]]);
  if (row === undefined) throw noSuchFact(id);
  return storedFactOf(row);
}

/** The ids of facts, in the order of their numbers. */
export async function idsOf({ queries, prefix }: KnowledgeDatabase, numbers: readonly number[]): Promise<string[]> {
  if (numbers.length === 0) return [];
  const rows = await queries.all(`SELECT number, id FROM ${prefix}facts WHERE number = ANY($1::bigint[])`, [numbers]);
  const ids = new Map(rows.map((row) => [row["number"], textColumn(row, "id")]));
  return numbers.flatMap((number) => ids.get(number) ?? []);
}
