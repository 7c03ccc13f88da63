import { markOf } from "../../ports/knowledge-store.ts";
import type { GivenFact } from "../../workflow/attempt-record.ts";
import { integerOf } from "../sqlite/rows.ts";
import { storedFactOf } from "./fact-rows.ts";
import type { Statements } from "./statements.ts";

/** Inside a transaction. A fact that was merged away has helped as the one that it went on as. */
export function countHelp(statements: Statements, run: string, step: string, facts: readonly GivenFact[]): number {
  if (Number(statements.insertHelp.run(run, step).changes) === 0) return 0;
  const helped = new Set<number>();
  for (const { id, said } of facts) {
    const row = statements.factById.get(id);
    if (row === undefined) continue;
    const { mergedInto, saying } = storedFactOf(row);
    if (markOf(saying.text) === said) helped.add(mergedInto ?? integerOf(row, "number"));
  }
  for (const number of helped) statements.help.run(1, number);
  return helped.size;
}
