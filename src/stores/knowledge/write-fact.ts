import type { Fact, FactKind, FactStatus } from "../../knowledge/fact.ts";
import type { FactRecord } from "../../ports/knowledge-store.ts";
import { sameJson } from "../../shared/json-value.ts";
import { integerOf } from "../sqlite/rows.ts";
import { type StoredFact, storedFactOf } from "./fact-rows.ts";
import { type FactText, splitTokens, type StatementKey, searchTokensOf } from "./fact-text.ts";
import type { KnowledgeStatements } from "./statements.ts";

/** All inside a transaction. */
export interface Writing {
  readonly statements: KnowledgeStatements;
  /** How the number of facts with a token changes, summed up because many facts share tokens. */
  readonly tokenCounts: Map<string, number>;
  /** The last number that was used for a kind. */
  readonly lastNumbers: Map<FactKind, number>;
}

/** Runs `work`, then stores the counts. */
export function writeFacts<T>(statements: KnowledgeStatements, work: (writing: Writing) => T): T {
  const tokenCounts = new Map<string, number>();
  const lastNumbers = new Map<FactKind, number>();
  const result = work({ statements, tokenCounts, lastNumbers });
  for (const [token, count] of tokenCounts) if (count !== 0) statements.countToken.run(token, count);
  for (const [kind, last] of lastNumbers) statements.setLastNumber.run(kind, last);
  return result;
}

interface NewFact {
  readonly id: string | null;
  readonly kind: FactKind;
  readonly status: FactStatus;
  readonly statement: StatementKey;
  readonly at: number;
  readonly factText: FactText;
}

/** Returns the number of the new fact. */
export function insertFact(writing: Writing, { id, kind, status, statement, at, factText }: NewFact): number {
  const { statements } = writing;
  const name = freeId(writing, kind, id);
  const { hash, isNegative } = statement;
  const tokens = searchTokensOf(kind, status, factText);
  const body = JSON.stringify(factText);
  const added = statements.insertFact.run(name, kind, status, hash, isNegative ? 1 : 0, at, tokens, body);
  const number = Number(added.lastInsertRowid);
  index(writing, number, "", tokens);
  for (const path of factText.files) statements.insertFile.run(path, number);
  return number;
}

/** The requested id if it is free, else the next free number of its kind. */
function freeId({ statements, lastNumbers }: Writing, kind: FactKind, wished: string | null): string {
  const isTaken = (id: string): boolean => statements.factById.get(id) !== undefined;
  if (wished !== null && hasForm(kind, wished) && !isTaken(wished)) return wished;
  let last = lastNumbers.get(kind) ?? lastNumber(statements, kind);
  let id: string;
  do id = `${kind}-${String(++last).padStart(3, "0")}`;
  while (isTaken(id));
  lastNumbers.set(kind, last);
  return id;
}

function lastNumber(statements: KnowledgeStatements, kind: FactKind): number {
  const row = statements.lastNumber.get(kind);
  return row === undefined ? 0 : integerOf(row, "last");
}

function hasForm(kind: FactKind, id: string): boolean {
  return id.startsWith(`${kind}-`) && /^[\w.-]{1,80}$/.test(id);
}

type FactUpdate = Partial<Pick<StoredFact, "status" | "mergedInto" | "isEdited" | "factText">> & {
  readonly statement?: StatementKey;
};

/** Returns the old values of what changed; null when nothing did. */
export function updateFact(writing: Writing, fact: StoredFact, update: FactUpdate): Partial<Fact> | null {
  const { statements } = writing;
  const {
    status = fact.status,
    mergedInto = fact.mergedInto,
    isEdited = fact.isEdited,
    factText = fact.factText,
  } = update;
  const { hash, isNegative } = update.statement ?? { hash: fact.statement, isNegative: fact.isNegative };
  const tokens = searchTokensOf(fact.kind, status, factText);
  statements.updateFact.run(
    status,
    hash,
    isNegative ? 1 : 0,
    mergedInto,
    isEdited ? 1 : 0,
    tokens,
    JSON.stringify(factText),
    fact.number,
  );
  index(writing, fact.number, fact.tokens, tokens);
  for (const path of fact.factText.files)
    if (!factText.files.includes(path)) statements.deleteFile.run(path, fact.number);
  for (const path of factText.files)
    if (!fact.factText.files.includes(path)) statements.insertFile.run(path, fact.number);
  return differences({ status: fact.status, ...fact.factText }, { status, ...factText });
}

function differences(before: Partial<Fact>, after: Partial<Fact>): Partial<Fact> | null {
  const changed = Object.entries(before).filter(([name, value]) => !sameJson(value, after[name as keyof Fact]));
  return changed.length === 0 ? null : Object.fromEntries(changed);
}

function index({ statements, tokenCounts }: Writing, number: number, before: string, after: string): void {
  if (before === after) return;
  if (before !== "") statements.unindex.run(number);
  statements.index.run(number, after);
  const had = new Set(splitTokens(before));
  const has = new Set(splitTokens(after));
  for (const token of had) if (!has.has(token)) tokenCounts.set(token, (tokenCounts.get(token) ?? 0) - 1);
  for (const token of has) if (!had.has(token)) tokenCounts.set(token, (tokenCounts.get(token) ?? 0) + 1);
}

export interface NewRecord extends Omit<FactRecord, "other"> {
  readonly other?: number;
}

export function appendFactHistory(
  statements: KnowledgeStatements,
  fact: number,
  { at, by, what, why, other, before }: NewRecord,
): void {
  statements.record.run(fact, at, by, what, why, other ?? null, before === null ? null : JSON.stringify(before));
}

/** The fact with this statement, or the one that it was merged into. */
export function findStatement(statements: KnowledgeStatements, { hash, isNegative }: StatementKey): StoredFact | null {
  const polarity = isNegative ? 1 : 0;
  const own = statements.factByStatement.get(hash, polarity);
  if (own !== undefined) return storedFactOf(own);
  const merged = statements.mergedByStatement.get(hash, polarity);
  const into = merged === undefined ? undefined : statements.fact.get(integerOf(merged, "number"));
  return into === undefined ? null : storedFactOf(into);
}

/** Links the fact with its opposite in both directions. */
export function linkOpposite(
  statements: KnowledgeStatements,
  number: number,
  { hash, isNegative }: StatementKey,
): void {
  const opposite = findStatement(statements, { hash, isNegative: !isNegative });
  if (opposite === null || opposite.number === number) return;
  statements.oppose.run(number, opposite.number);
  statements.oppose.run(opposite.number, number);
}
