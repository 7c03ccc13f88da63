import type { Fact } from "../../knowledge/fact.ts";
import { type Freshness, freshnessOf } from "../../knowledge/freshness.ts";
import { type Standing, standingOf } from "../../knowledge/standing.ts";
import type { FactQuery, Subgraph } from "../../ports/knowledge-store.ts";
import type { Engine } from "../engine.ts";
import { withoutDecided } from "../prepare-packet.ts";
import { searchKnowledge } from "./search-knowledge.ts";
import { findFact } from "./show-fact.ts";

export interface FactItem {
  readonly fact: Fact;
  readonly freshness: Freshness | null;
  readonly standing: Standing;
  readonly score: number | null;
}

const LARGEST = 1_048_576;

/** Facts, and whether their citations stand where they stood; where git says that a file went only its page asks. */
export async function listFacts({ machine, root }: Engine, query: FactQuery): Promise<FactItem[]> {
  const texts = new Map<string, string | null>();
  const read = async (path: string): Promise<string | null> => {
    const known = texts.get(path);
    if (known !== undefined) return known;
    const text = (await machine.workspace.read(root, path, LARGEST))?.text ?? null;
    texts.set(path, text);
    return text;
  };
  const items: FactItem[] = [];
  for (const { fact, score } of await searchKnowledge(machine, query)) {
    const { citation } = fact;
    const freshness = citation === null ? null : freshnessOf(citation, await read(citation.path));
    const [decided = fact] = await withoutDecided(machine, [fact]);
    items.push({ fact, freshness, standing: standingOf(decided, freshness), score });
  }
  return items;
}

const MOST_NODES = 120;

export async function graphAround(engine: Engine, id: string, depth: number): Promise<Subgraph> {
  await findFact(engine, id);
  return engine.machine.knowledge.neighbours(`fact:${id}`, depth, MOST_NODES);
}
