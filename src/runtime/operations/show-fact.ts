import type { Fact } from "../../knowledge/fact.ts";
import { type Freshness, type FactStanding, factStandingOf } from "../../knowledge/freshness.ts";
import type { FactRecord, FactQuery, NodeId } from "../../ports/knowledge-store.ts";
import { AppError } from "../../shared/app-error.ts";
import type { Engine } from "../engine.ts";
import { checkFreshness, withoutDecided } from "../prepare-packet.ts";
import type { FactGraph, FactItem } from "../../views/fact-page.ts";
import { searchKnowledge } from "./search-knowledge.ts";

export type { Freshness } from "../../knowledge/freshness.ts";
export type { FactRecord } from "../../ports/knowledge-store.ts";

export interface ShownFact {
  readonly fact: Fact;
  /** Whether the cited lines still match the files; null when the fact cites nothing. */
  readonly freshness: Freshness | null;
  readonly standing: FactStanding;
  readonly opposes: readonly Pick<Fact, "id" | "text" | "status">[];
  readonly history: readonly FactRecord[];
}

export async function showFact(engine: Engine, id: string): Promise<ShownFact> {
  const { knowledge } = engine.ports;
  const fact = await findFact(engine, id);
  const [checked] = await checkFreshness(engine.ports, engine.root, [fact]);
  const opposes = [];
  for (const other of fact.opposes) {
    const opposite = await knowledge.find(other);
    if (opposite !== null) opposes.push({ id: other, text: opposite.text, status: opposite.status });
  }
  const freshness = checked?.freshness ?? null;
  const [decided = fact] = await withoutDecided(engine.ports, [fact]);
  return {
    fact,
    freshness,
    standing: factStandingOf(decided, freshness),
    opposes,
    history: await knowledge.history(id),
  };
}

export async function findFact({ ports }: Engine, id: string): Promise<Fact> {
  const fact = await ports.knowledge.find(id);
  if (fact !== null) return fact;
  throw new AppError("no-match", `There is no fact ${id}.`, "`baton knowledge search` finds facts and their ids.");
}

export type { FactItem } from "../../views/fact-page.ts";

/** Facts in their present form, as on their pages and in packets. */
export async function listFacts({ ports, root }: Engine, query: FactQuery): Promise<FactItem[]> {
  const found = await searchKnowledge(ports, query);
  const facts = found.map(({ fact }) => fact);
  const checked = await checkFreshness(ports, root, facts);
  const decided = await withoutDecided(ports, facts);
  return found.map(({ fact, score }, at) => {
    const freshness = checked[at]?.freshness ?? null;
    return { fact, freshness, standing: factStandingOf(decided[at] ?? fact, freshness), score };
  });
}

/** By what a client looks for facts; each may be left out. */
interface FactFilter {
  readonly text?: string | undefined;
  readonly tag?: string | undefined;
  readonly type?: Fact["kind"] | undefined;
  readonly file?: string | undefined;
  readonly task?: string | undefined;
  readonly status?: Fact["status"] | undefined;
  readonly since?: number | undefined;
  readonly limit: number;
}

export async function findFacts(engine: Engine, filter: FactFilter): Promise<FactItem[]> {
  const { text, tag, type, file, task, status, since, limit } = filter;
  return listFacts(engine, {
    ...(text !== undefined && { text }),
    ...(tag !== undefined && { tags: [tag] }),
    ...(type !== undefined && { kinds: [type] }),
    ...(file !== undefined && { file }),
    ...(task !== undefined && { task }),
    ...(status !== undefined && { status: [status] }),
    ...(since !== undefined && { since }),
    max: limit,
  });
}

const MAX_NODES = 120;

export async function graphAround(engine: Engine, id: string, depth: number): Promise<FactGraph> {
  await findFact(engine, id);
  const { nodes, edges, isCut } = await engine.ports.knowledge.neighbours(`fact:${id}`, depth, MAX_NODES);
  return {
    nodes: nodes.map((node) => ({ id: node.id, label: node.label, kind: kindOf(node.id) })),
    edges: edges.map(({ from, to, as }) => ({ from, to, as })),
    is_cut: isCut,
  };
}

function kindOf(id: NodeId): FactGraph["nodes"][number]["kind"] {
  return id.slice(0, id.indexOf(":")) as ReturnType<typeof kindOf>;
}
