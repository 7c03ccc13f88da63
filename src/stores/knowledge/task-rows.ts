import { FACT_KINDS, type FactKind } from "../../knowledge/fact.ts";
import type { FileTouch, KnowledgeTotals, KnownTask } from "../../ports/knowledge-store.ts";
import { columnOrNull, integerOf, type Row, textColumn } from "../sqlite/rows.ts";

export function knownTaskOf(row: Row, dependsOn: readonly string[]): KnownTask {
  return {
    run: textColumn(row, "run"),
    id: textColumn(row, "id"),
    name: textColumn(row, "name"),
    status: textColumn(row, "status"),
    dependsOn,
    at: integerOf(row, "at"),
  };
}

export function touchOf(row: Row): FileTouch {
  return {
    path: textColumn(row, "path"),
    change: textColumn(row, "change"),
    lines: columnOrNull(textColumn, row, "lines"),
    purpose: columnOrNull(textColumn, row, "purpose"),
    run: textColumn(row, "run"),
    task: textColumn(row, "task"),
    agent: textColumn(row, "agent"),
    at: integerOf(row, "at"),
  };
}

/** Every kind has a number, also when there is no fact of it. */
export function knowledgeTotalsOf(
  ofKind: (kind: FactKind) => number,
  others: Pick<KnowledgeTotals, "tasks" | "files">,
): KnowledgeTotals {
  const facts = Object.fromEntries(FACT_KINDS.map((kind) => [kind, ofKind(kind)])) as Record<FactKind, number>;
  return { facts, ...others };
}
