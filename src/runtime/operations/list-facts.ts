import type { Fact } from "../../knowledge/fact.ts";
import type { Freshness } from "../../knowledge/freshness.ts";
import { type Standing, standingOf } from "../../knowledge/standing.ts";
import type { FactQuery, Subgraph } from "../../ports/knowledge-store.ts";
import type { Engine } from "../engine.ts";
import { checkFreshness, withoutDecided } from "../prepare-packet.ts";
import { searchKnowledge } from "./search-knowledge.ts";
import { findFact } from "./show-fact.ts";

export interface FactItem {
  readonly fact: Fact;
  readonly freshness: Freshness | null;
  readonly standing: Standing;
  readonly score: number | null;
}

/** Facts as they stand now: what the list says of one is what its page says, and what packets go by. */
export async function listFacts({ machine, root }: Engine, query: FactQuery): Promise<FactItem[]> {
  const found = await searchKnowledge(machine, query);
  const facts = found.map(({ fact }) => fact);
  const checked = await checkFreshness(machine, root, facts);
  const decided = await withoutDecided(machine, facts);
  return found.map(({ fact, score }, at) => {
    const freshness = checked[at]?.freshness ?? null;
    return { fact, freshness, standing: standingOf(decided[at] ?? fact, freshness), score };
  });
}

const MOST_NODES = 120;

export async function graphAround(engine: Engine, id: string, depth: number): Promise<Subgraph> {
  await findFact(engine, id);
  return engine.machine.knowledge.neighbours(`fact:${id}`, depth, MOST_NODES);
}
