import type { Fact } from "../../knowledge/fact.ts";
import { assembleFacts, missingFact, noSuchFact, type StoredFact, storedFactOf } from "../knowledge/stored-fact.ts";
import type { KnowledgeDatabase } from "./knowledge-database.ts";

/** A fact is read with at most so many sources: the first one and the newest others. */
const MAX_SOURCES = 50;

/**
 * LATERAL with OFFSET 0 keeps the order in which the tables are written, as long as the planner knows nothing about
 * them: each row of one looks up its rows of the next by an index.
 */
export function factSql(t: string) {
  return {
    facts: `SELECT * FROM ${t}facts WHERE number = ANY($1::bigint[])`,
    factsById: `SELECT * FROM ${t}facts WHERE id = ANY($1::text[])`,
    sources: `SELECT w.fact, w.ordinal, w.place, l.run, l.task, l.step, l.agent, l.handoff, l.at
      FROM unnest($1::bigint[], $2::bigint[]) f (number, witnesses)
      CROSS JOIN LATERAL (SELECT * FROM ${t}witnesses WHERE fact = f.number AND (ordinal = 1
        OR ordinal > greatest(1, f.witnesses - ${MAX_SOURCES - 1}) AND is_repeat = 0) OFFSET 0) w
      CROSS JOIN LATERAL (SELECT * FROM ${t}lessons WHERE number = w.lesson OFFSET 0) l
      ORDER BY w.fact, w.ordinal`,
    opposites: `SELECT o.fact, f.id FROM unnest($1::bigint[]) k (fact)
      CROSS JOIN LATERAL (SELECT * FROM ${t}opposites WHERE fact = k.fact OFFSET 0) o
      CROSS JOIN LATERAL (SELECT id FROM ${t}facts WHERE number = o.other OFFSET 0) f
      ORDER BY o.fact, o.other`,
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
  const stored = (await queries.all(sql.facts, [list])).map(storedFactOf);
  const found = [stored.map(({ number }) => number), stored.map(({ witnesses }) => witnesses)];
  const sources = await queries.all(sql.sources, found);
  const opposites = await queries.all(sql.opposites, [list]);
  return assembleFacts(numbers, { stored, sources, opposites });
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
