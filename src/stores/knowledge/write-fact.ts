import type { Fact, FactKind, FactStatus } from "../../knowledge/fact.ts";
import { sameJson } from "../../shared/json-value.ts";
import type { FactTables } from "./fact-tables.ts";
import { type FactText, splitTokens, type StatementKey, searchTokensOf } from "./fact-text.ts";
import type { StoredFact } from "./stored-fact.ts";

interface NewFact {
  readonly id: string | null;
  readonly kind: FactKind;
  readonly status: FactStatus;
  readonly statement: StatementKey;
  readonly at: number;
  readonly factText: FactText;
}

/** Returns the number of the new fact. */
export function insertFact(tables: FactTables, { id, kind, status, factText, ...others }: NewFact): number {
  const tokens = searchTokensOf(kind, status, factText);
  return tables.insertFact({ id: freeId(tables, kind, id), kind, status, factText, tokens, ...others });
}

/** The requested id if it is free, else the next free number of its kind. */
function freeId(tables: FactTables, kind: FactKind, wished: string | null): string {
  const isTaken = (id: string): boolean => tables.factById(id) !== null;
  if (wished !== null && hasForm(kind, wished) && !isTaken(wished)) return wished;
  let last = tables.lastNumber(kind);
  let id: string;
  do id = factId(kind, ++last);
  while (isTaken(id));
  tables.setLastNumber(kind, last);
  return id;
}

export function factId(kind: FactKind, number: number): string {
  return `${kind}-${String(number).padStart(3, "0")}`;
}

function hasForm(kind: FactKind, id: string): boolean {
  return id.startsWith(`${kind}-`) && /^[\w.-]{1,80}$/.test(id);
}

type FactUpdate = Partial<Pick<StoredFact, "status" | "mergedInto" | "isEdited" | "factText">> & {
  readonly statement?: StatementKey;
};

/** Returns the old values of what changed; null when nothing did. */
export function updateFact(tables: FactTables, fact: StoredFact, update: FactUpdate): Partial<Fact> | null {
  const {
    status = fact.status,
    statement = { hash: fact.statement, isNegative: fact.isNegative },
    mergedInto = fact.mergedInto,
    isEdited = fact.isEdited,
    factText = fact.factText,
  } = update;
  const tokens = searchTokensOf(fact.kind, status, factText);
  tables.updateFact(fact, { status, statement, mergedInto, isEdited, tokens, factText });
  return differences({ status: fact.status, ...fact.factText }, { status, ...factText });
}

function differences(before: Partial<Fact>, after: Partial<Fact>): Partial<Fact> | null {
  const changed = Object.entries(before).filter(([name, value]) => !sameJson(value, after[name as keyof Fact]));
  return changed.length === 0 ? null : Object.fromEntries(changed);
}

/** How the number of facts with a token changes, summed up because many facts share tokens. */
export class TokenCounts {
  readonly #counts = new Map<string, number>();

  /** The tokens of one fact before and after. */
  move(before: string, after: string): void {
    const had = new Set(splitTokens(before));
    const has = new Set(splitTokens(after));
    for (const token of had) if (!has.has(token)) this.#add(token, -1);
    for (const token of has) if (!had.has(token)) this.#add(token, 1);
  }

  #add(token: string, count: number): void {
    this.#counts.set(token, (this.#counts.get(token) ?? 0) + count);
  }

  changed(): [token: string, count: number][] {
    return [...this.#counts].filter(([, count]) => count !== 0);
  }
}

/** Links the fact with its opposite in both directions. */
export function linkOpposite(tables: FactTables, number: number, { hash, isNegative }: StatementKey): void {
  const opposite = tables.factByStatement({ hash, isNegative: !isNegative });
  if (opposite !== null && opposite.number !== number) tables.oppose(number, opposite.number);
}
