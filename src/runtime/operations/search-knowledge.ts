import { FACT_KINDS, type FactKind, type FactStatus } from "../../knowledge/fact.ts";
import type { FactQuery, FoundFact, KnownTask } from "../../ports/knowledge-store.ts";
import type { Ports } from "../../ports/ports.ts";
import { findRun } from "./send-input.ts";

export {
  FACT_KINDS,
  FACT_STATUSES,
  type Citation,
  type Fact,
  type FactKind,
  type FactStatus,
} from "../../knowledge/fact.ts";
export { printPlace } from "../../knowledge/fact.ts";
export type { FactQuery, KnownTask } from "../../ports/knowledge-store.ts";

/** Retired facts are found only on request. */
const IN_USE: readonly FactStatus[] = ["trusted", "quarantined"];

/** Best match first. `run` may be a prefix of an id. */
export async function searchKnowledge(ports: Ports, query: FactQuery): Promise<readonly FoundFact[]> {
  const { run, status = [], ...others } = query;
  const named = run === undefined ? {} : { run: await knownRun(ports, run) };
  return ports.knowledge.search({ ...others, ...named, status: status.length === 0 ? IN_USE : status });
}

/** How many facts are in use, and whether there are retired ones. */
export async function countFacts({ knowledge }: Ports): Promise<{ inUse: number; hasRetired: boolean }> {
  const { facts } = await knowledge.totals();
  const inUse = Object.values(facts).reduce((sum, count) => sum + count, 0);
  const retired = await knowledge.search({ status: ["retired"], max: 1 });
  return { inUse, hasRetired: retired.length > 0 };
}

interface TaskQuery {
  readonly tag?: string;
  readonly kind?: FactKind;
  readonly run?: string;
  readonly max: number;
}

/** Tasks that stated such a fact, or all known tasks; newest first. */
export async function listKnownTasks(ports: Ports, query: TaskQuery): Promise<readonly KnownTask[]> {
  const { run, ...others } = query;
  return ports.knowledge.tasks({ ...others, ...(run === undefined ? {} : { run: await knownRun(ports, run) }) });
}

/** Imports are listed under names with this prefix, and are in no log. */
export const IMPORT_PREFIX = "import:";

async function knownRun(ports: Ports, name: string): Promise<string> {
  return name.startsWith(IMPORT_PREFIX) ? name : (await findRun(ports, name)).run;
}

export function isFactKind(word: string): word is FactKind {
  return (FACT_KINDS as readonly string[]).includes(word);
}
