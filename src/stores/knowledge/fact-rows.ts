import { type Fact, FACT_KINDS, type FactKind, type FactStatus, type Witness } from "../../knowledge/fact.ts";
import { StoreError } from "../../ports/event-log.ts";
import { isRecord, type JsonRecord } from "../../shared/json-value.ts";
import { parseRecord } from "../parse-record.ts";
import { bytesOf, integerOf, orNull, type Row, textOf } from "../sqlite/rows.ts";
import type { Saying } from "./saying.ts";
import type { Statements } from "./statements.ts";

/** A fact as it is stored, without those who know about it. */
export interface StoredFact {
  readonly number: number;
  readonly id: string;
  readonly kind: FactKind;
  readonly status: FactStatus;
  readonly statement: Buffer;
  readonly isNegative: boolean;
  /** The fact it went on as. */
  readonly mergedInto: number | null;
  readonly isEdited: boolean;
  readonly witnesses: number;
  readonly helped: number;
  readonly tokens: string;
  readonly saying: Saying;
}

export function storedFactOf(row: Row): StoredFact {
  const id = textOf(row, "id");
  return {
    number: integerOf(row, "number"),
    id,
    kind: kindOf(row),
    status: textOf(row, "status") as FactStatus,
    statement: bytesOf(row, "statement"),
    isNegative: integerOf(row, "is_negative") === 1,
    mergedInto: orNull(integerOf, row, "merged_into"),
    isEdited: integerOf(row, "is_edited") === 1,
    witnesses: integerOf(row, "witnesses"),
    helped: integerOf(row, "helped"),
    tokens: textOf(row, "tokens"),
    saying: parseSaying(textOf(row, "body"), id),
  };
}

export function kindOf(row: Row): FactKind {
  const kind = textOf(row, "kind");
  if (!(FACT_KINDS as readonly string[]).includes(kind)) throw new StoreError("damaged", `${kind} is no kind of fact`);
  return kind as FactKind;
}

/** The file may have been edited by others: what is not a fact is damage. */
export function parseSaying(text: string, id: string): Saying {
  const record = parseRecord(text, `the fact ${id}`);
  const isWhole =
    typeof record["text"] === "string" &&
    typeof record["isBlocking"] === "boolean" &&
    isTextOrNull(record["detail"]) &&
    isTextOrNull(record["severity"]) &&
    isTextOrNull(record["answer"] ?? null) &&
    isTextList(record["tags"]) &&
    isTextList(record["files"]) &&
    isCitation(record["citation"]);
  if (!isWhole) throw new StoreError("damaged", `the fact ${id} is not whole`);
  // One from before questions were kept with their answers has none.
  return { answer: null, ...record } as JsonRecord & Saying;
}

function isTextOrNull(value: unknown): boolean {
  return value === null || typeof value === "string";
}

function isTextList(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function isCitation(value: unknown): boolean {
  if (value === null) return true;
  if (!isRecord(value) || typeof value["path"] !== "string" || !isTextList(value["text"])) return false;
  return hasLines(value["lines"]) && isTextOrNull(value["commit"]);
}

function hasLines(value: unknown): boolean {
  return value === null || (isRecord(value) && Number.isInteger(value["first"]) && Number.isInteger(value["last"]));
}

/** Each in the place of its number; a few statements for all of them. */
export function loadFacts(statements: Statements, numbers: readonly number[]): Fact[] {
  const list = JSON.stringify([...new Set(numbers)]);
  const stored = statements.facts.all(list).map(storedFactOf);
  const oftenSaid = stored.filter(({ witnesses }) => witnesses > 1).map(({ number }) => number);
  const rows = [
    ...statements.firstWitnesses.all(list),
    ...(oftenSaid.length === 0 ? [] : statements.newestWitnesses.all(JSON.stringify(oftenSaid))),
  ];
  const witnesses = groupBy(rows, witnessOf);
  const opposites = groupBy(statements.oppositesOf.all(list), (row) => textOf(row, "id"));
  const facts = new Map(
    stored.map(({ number, id, kind, status, helped, saying }) => {
      const known = { witnesses: witnesses.get(number) ?? [], opposes: opposites.get(number) ?? [] };
      return [number, factOf({ id, kind, status, helped, ...known }, saying)];
    }),
  );
  return numbers.flatMap((number) => facts.get(number) ?? []);
}

function factOf(
  { id, kind, status, helped, witnesses, opposes }: Omit<Fact, keyof Saying>,
  { text, detail, severity, isBlocking, answer, tags, files, citation }: Saying,
): Fact {
  return {
    id,
    kind,
    text,
    detail,
    severity,
    isBlocking,
    answer,
    tags,
    files,
    citation,
    status,
    witnesses,
    opposes,
    helped,
  };
}

function groupBy<T>(rows: readonly Row[], read: (row: Row) => T): Map<number, T[]> {
  const groups = new Map<number, T[]>();
  for (const row of rows) {
    const fact = integerOf(row, "fact");
    const group = groups.get(fact);
    if (group === undefined) groups.set(fact, [read(row)]);
    else group.push(read(row));
  }
  return groups;
}

function witnessOf(row: Row): Witness {
  return {
    run: textOf(row, "run"),
    task: textOf(row, "task"),
    step: textOf(row, "step"),
    agent: textOf(row, "agent"),
    handoff: textOf(row, "handoff"),
    where: textOf(row, "place"),
    at: integerOf(row, "at"),
  };
}

export function loadFact(statements: Statements, number: number): Fact {
  const [fact] = loadFacts(statements, [number]);
  if (fact === undefined) throw new StoreError("damaged", `fact ${number} is missing`);
  return fact;
}

export function storedFact(statements: Statements, number: number): StoredFact {
  const row = statements.fact.get(number);
  if (row === undefined) throw new StoreError("damaged", `fact ${number} is missing`);
  return storedFactOf(row);
}

export function factWithId(statements: Statements, id: string): StoredFact {
  const row = statements.factById.get(id);
  if (row === undefined) throw new StoreError("no-such-fact", `there is no fact ${id}`);
  return storedFactOf(row);
}

export function numbersOf(rows: readonly Row[]): number[] {
  return rows.map((row) => integerOf(row, "number"));
}
