import type { Fact } from "../../knowledge/fact.ts";
import type { Freshness } from "../../knowledge/freshness.ts";
import { type Standing, standingOf } from "../../knowledge/standing.ts";
import type { FactRecord } from "../../ports/knowledge-store.ts";
import { AppError } from "../../shared/app-error.ts";
import type { Engine } from "../engine.ts";
import { checkFreshness, withoutDecided } from "../prepare-packet.ts";

export type { Freshness } from "../../knowledge/freshness.ts";
export type { FactRecord } from "../../ports/knowledge-store.ts";

export interface ShownFact {
  readonly fact: Fact;
  /** Of its citation, against the files as they are now; null when it cites nothing. */
  readonly freshness: Freshness | null;
  readonly standing: Standing;
  readonly opposes: readonly Pick<Fact, "id" | "text" | "status">[];
  readonly history: readonly FactRecord[];
}

export async function showFact(engine: Engine, id: string): Promise<ShownFact> {
  const { knowledge } = engine.machine;
  const fact = await findFact(engine, id);
  const [checked] = await checkFreshness(engine.machine, engine.root, [fact]);
  const opposes = [];
  for (const other of fact.opposes) {
    const opposite = await knowledge.find(other);
    if (opposite !== null) opposes.push({ id: other, text: opposite.text, status: opposite.status });
  }
  const freshness = checked?.freshness ?? null;
  const [decided = fact] = await withoutDecided(engine.machine, [fact]);
  return { fact, freshness, standing: standingOf(decided, freshness), opposes, history: await knowledge.history(id) };
}

export async function findFact({ machine }: Engine, id: string): Promise<Fact> {
  const fact = await machine.knowledge.find(id);
  if (fact !== null) return fact;
  throw new AppError("no-match", `There is no fact ${id}.`, "`baton knowledge search` finds facts and their ids.");
}
