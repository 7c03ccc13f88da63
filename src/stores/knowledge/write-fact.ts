import type { Fact, FactKind, FactStatus } from "../../knowledge/fact.ts";
import type { FactRecord } from "../../ports/knowledge-store.ts";
import { sameJson } from "../../shared/json-value.ts";
import { integerOf } from "../sqlite/rows.ts";
import { type StoredFact, storedFactOf } from "./fact-rows.ts";
import { type Saying, splitTokens, type Statement, tokensOf } from "./saying.ts";
import type { Statements } from "./statements.ts";

/** All inside a transaction. */
export interface Writing {
  readonly statements: Statements;
  /** How many facts more, or fewer, have a token: counted up first, because many facts share them. */
  readonly tokenCounts: Map<string, number>;
  /** The last number of a kind that was given out. */
  readonly lastNumbers: Map<FactKind, number>;
}

/** Does the work and stores what it counted. */
export function writeFacts<T>(statements: Statements, work: (writing: Writing) => T): T {
  const tokenCounts = new Map<string, number>();
  const lastNumbers = new Map<FactKind, number>();
  const result = work({ statements, tokenCounts, lastNumbers });
  for (const [token, count] of tokenCounts) if (count !== 0) statements.countToken.run(token, count);
  for (const [kind, last] of lastNumbers) statements.setLastNumber.run(kind, last);
  return result;
}

export interface NewFact {
  readonly id: string | null;
  readonly kind: FactKind;
  readonly status: FactStatus;
  readonly statement: Statement;
  readonly at: number;
  readonly saying: Saying;
}

/** Gives the number of the new fact. */
export function insertFact(writing: Writing, { id, kind, status, statement, at, saying }: NewFact): number {
  const { statements } = writing;
  const name = freeId(writing, kind, id);
  const { hash, isNegative } = statement;
  const tokens = tokensOf(kind, status, saying);
  const body = JSON.stringify(saying);
  const added = statements.insertFact.run(name, kind, status, hash, isNegative ? 1 : 0, at, tokens, body);
  const number = Number(added.lastInsertRowid);
  index(writing, number, "", tokens);
  for (const path of saying.files) statements.insertFile.run(path, number);
  return number;
}

/** The id that was wished for if nobody has it, else the next free number of its kind. */
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

function lastNumber(statements: Statements, kind: FactKind): number {
  const row = statements.lastNumber.get(kind);
  return row === undefined ? 0 : integerOf(row, "last");
}

function hasForm(kind: FactKind, id: string): boolean {
  return id.startsWith(`${kind}-`) && /^[\w.-]{1,80}$/.test(id);
}

export type FactUpdate = Partial<Pick<StoredFact, "status" | "mergedInto" | "isEdited" | "saying">> & {
  readonly statement?: Statement;
};

/** Gives what was different before; null when nothing was. */
export function updateFact(writing: Writing, fact: StoredFact, update: FactUpdate): Partial<Fact> | null {
  const { statements } = writing;
  const { status = fact.status, mergedInto = fact.mergedInto, isEdited = fact.isEdited, saying = fact.saying } = update;
  const { hash, isNegative } = update.statement ?? { hash: fact.statement, isNegative: fact.isNegative };
  const tokens = tokensOf(fact.kind, status, saying);
  statements.updateFact.run(
    status,
    hash,
    isNegative ? 1 : 0,
    mergedInto,
    isEdited ? 1 : 0,
    tokens,
    JSON.stringify(saying),
    fact.number,
  );
  index(writing, fact.number, fact.tokens, tokens);
  for (const path of fact.saying.files) if (!saying.files.includes(path)) statements.deleteFile.run(path, fact.number);
  for (const path of saying.files) if (!fact.saying.files.includes(path)) statements.insertFile.run(path, fact.number);
  return differences({ status: fact.status, ...fact.saying }, { status, ...saying });
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

export function record(statements: Statements, fact: number, { at, by, what, why, other, before }: NewRecord): void {
  statements.record.run(fact, at, by, what, why, other ?? null, before === null ? null : JSON.stringify(before));
}

/** The fact that says this now, also when the one that said it first was merged into it. */
export function findStatement(statements: Statements, { hash, isNegative }: Statement): StoredFact | null {
  const polarity = isNegative ? 1 : 0;
  const own = statements.factByStatement.get(hash, polarity);
  if (own !== undefined) return storedFactOf(own);
  const merged = statements.mergedByStatement.get(hash, polarity);
  const into = merged === undefined ? undefined : statements.fact.get(integerOf(merged, "number"));
  return into === undefined ? null : storedFactOf(into);
}

/** Whoever says the opposite is linked both ways. */
export function linkOpposite(statements: Statements, number: number, { hash, isNegative }: Statement): void {
  const opposite = findStatement(statements, { hash, isNegative: !isNegative });
  if (opposite === null || opposite.number === number) return;
  statements.oppose.run(number, opposite.number);
  statements.oppose.run(opposite.number, number);
}
