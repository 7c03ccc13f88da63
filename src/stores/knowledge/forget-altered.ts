import type { KnowledgeCheck } from "../../ports/knowledge-store.ts";
import { integerOf, textColumn } from "../sqlite/rows.ts";
import { splitTokens } from "./fact-text.ts";
import type { KnowledgeStatements } from "./statements.ts";

/**
 * Removes facts that something else than Baton has changed or added, with everything that belongs to them; all facts
 * where the seals themselves cannot be believed. Inside a transaction. Returns the ids of the removed facts.
 */
export function forgetAltered(statements: KnowledgeStatements, { problems, altered }: KnowledgeCheck): string[] {
  const all = statements.everyFact.all();
  const lost = problems.length > 0 ? all.map((row) => integerOf(row, "number")) : factsOf(statements, altered);
  if (lost.length === 0) return [];
  const numbers = JSON.stringify(lost);
  for (const statement of [
    statements.forgetMerges,
    statements.forgetOpposites,
    statements.forgetFiles,
    statements.forgetWitnesses,
    statements.forgetHistory,
    statements.forgetFacts,
  ])
    statement.run({ numbers });
  for (const number of lost) statements.unindex.run(number);
  statements.forgetTouches.run();
  statements.forgetLessons.run();
  recountTokens(statements);
  const names = new Map(all.map((row) => [integerOf(row, "number"), textColumn(row, "id")]));
  return lost.flatMap((number) => names.get(number) ?? []);
}

/** The facts that these rows belong to: their own rows, what was said of them, by whom, and their history. */
function factsOf(statements: KnowledgeStatements, altered: readonly string[]): number[] {
  const facts = altered.flatMap((key) => {
    const [what, number = ""] = key.split(" ");
    if (what === "fact" || what === "witness") return [Number(number)];
    const rows = (what === "lesson" ? statements.factsOfLesson : statements.factOfRecord).all(Number(number));
    return rows.map((row) => integerOf(row, "fact"));
  });
  return [...new Set(facts)];
}

function recountTokens(statements: KnowledgeStatements): void {
  const counts = new Map<string, number>();
  for (const row of statements.everyFact.all())
    for (const token of new Set(splitTokens(textColumn(row, "tokens"))))
      counts.set(token, (counts.get(token) ?? 0) + 1);
  statements.forgetTokens.run();
  for (const [token, count] of counts) statements.countToken.run(token, count);
}
