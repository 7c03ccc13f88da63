import type { Fact } from "../../knowledge/fact.ts";
import type { KnowledgeStatements } from "./statements.ts";
import { assembleFacts, missingFact, noSuchFact, type StoredFact, storedFactOf } from "./stored-fact.ts";

/** The facts in the order of their numbers, read with a few statements for all of them. */
export function loadFacts(statements: KnowledgeStatements, numbers: readonly number[]): Fact[] {
  const list = JSON.stringify([...new Set(numbers)]);
  const stored = statements.facts.all(list).map(storedFactOf);
  const withMoreSources = stored.filter(({ witnesses }) => witnesses > 1).map(({ number }) => number);
  const sources = [
    ...statements.firstWitnesses.all(list),
    ...(withMoreSources.length === 0 ? [] : statements.newestWitnesses.all(JSON.stringify(withMoreSources))),
  ];
  return assembleFacts(numbers, { stored, sources, opposites: statements.oppositesOf.all(list) });
}

export function loadFact(statements: KnowledgeStatements, number: number): Fact {
  const [fact] = loadFacts(statements, [number]);
  if (fact === undefined) throw missingFact(number);
  return fact;
}

export function storedFact(statements: KnowledgeStatements, number: number): StoredFact {
  const row = statements.fact.get(number);
  if (row === undefined) throw missingFact(number);
  return storedFactOf(row);
}

export function factWithId(statements: KnowledgeStatements, id: string): StoredFact {
  const row = statements.factById.get(id);
  if (row === undefined) throw noSuchFact(id);
  return storedFactOf(row);
}
