import { FACT_KINDS, type FactKind, type FactStatus } from "../../knowledge/fact.ts";
import type { FactQuery, FoundFact, KnownTask } from "../../ports/knowledge-store.ts";
import type { Machine } from "../../ports/machine.ts";
import { findRun } from "./tell-run.ts";

export {
  FACT_KINDS,
  type Citation,
  type Fact,
  type FactKind,
  type FactStatus,
  type Witness,
} from "../../knowledge/fact.ts";
export { printPlace } from "../../knowledge/print-place.ts";
export type { FactQuery, FoundFact, KnownTask } from "../../ports/knowledge-store.ts";

export const FACT_STATUSES: readonly FactStatus[] = ["trusted", "quarantined", "retired"];

/** What was retired is found only by whoever asks for it. */
const IN_USE: readonly FactStatus[] = ["trusted", "quarantined"];

/** The nearest first. `run` may be the beginning of one. */
export async function searchKnowledge(machine: Machine, query: FactQuery): Promise<readonly FoundFact[]> {
  const { run, status = [], ...others } = query;
  const named = run === undefined ? {} : { run: await knownRun(machine, run) };
  return machine.knowledge.search({ ...others, ...named, status: status.length === 0 ? IN_USE : status });
}

/** How many could have been found, and whether there are others. */
export async function countFacts({ knowledge }: Machine): Promise<{ inUse: number; hasRetired: boolean }> {
  const { facts } = await knowledge.totals();
  const inUse = Object.values(facts).reduce((sum, count) => sum + count, 0);
  const retired = await knowledge.search({ status: ["retired"], most: 1 });
  return { inUse, hasRetired: retired.length > 0 };
}

export interface TaskQuery {
  readonly tag?: string;
  readonly kind?: FactKind;
  readonly run?: string;
  readonly most: number;
}

/** Tasks that said such a fact, or all that are known; the newest first. */
export async function listKnownTasks(machine: Machine, query: TaskQuery): Promise<readonly KnownTask[]> {
  const { run, ...others } = query;
  return machine.knowledge.tasks({ ...others, ...(run === undefined ? {} : { run: await knownRun(machine, run) }) });
}

/** What was imported stands under a name of its own, and in no log. */
export const IMPORT_PREFIX = "import:";

async function knownRun(machine: Machine, name: string): Promise<string> {
  return name.startsWith(IMPORT_PREFIX) ? name : (await findRun(machine, name)).run;
}

export function isFactKind(word: string): word is FactKind {
  return (FACT_KINDS as readonly string[]).includes(word);
}
