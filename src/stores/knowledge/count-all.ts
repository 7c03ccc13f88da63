import { FACT_KINDS, type FactKind } from "../../knowledge/fact.ts";
import type { KnowledgeTotals } from "../../ports/knowledge-store.ts";
import { integerOf } from "../sqlite/rows.ts";
import { markGroups, matchAll, without } from "./match.ts";
import { mark } from "./saying.ts";
import type { Statements } from "./statements.ts";

/** The index counts without reading a fact. */
export function countAll(statements: Statements): KnowledgeTotals {
  const ofKind = (kind: FactKind): number => {
    const match = without(matchAll(markGroups({ kinds: [kind] })), mark.status("retired"));
    return integerOf(statements.countMatching.get(match) ?? {}, "count");
  };
  return {
    facts: Object.fromEntries(FACT_KINDS.map((kind) => [kind, ofKind(kind)])) as Record<FactKind, number>,
    tasks: integerOf(statements.countTasks.get() ?? {}, "count"),
    files: integerOf(statements.countFiles.get() ?? {}, "count"),
  };
}
