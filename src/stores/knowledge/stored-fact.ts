import { type Fact, FACT_KINDS, type FactKind, type FactStatus, type FactSource } from "../../knowledge/fact.ts";
import { StoreError } from "../../ports/event-log.ts";
import type { FactRecord } from "../../ports/knowledge-store.ts";
import { isRecord, type JsonRecord } from "../../shared/json-value.ts";
import { parseRecord } from "../refusals.ts";
import { bytesOf, integerOf, columnOrNull, type Row, textColumn } from "../sqlite/rows.ts";
import type { FactText } from "./fact-text.ts";

/** A fact as it is stored, without its sources. */
export interface StoredFact {
  readonly number: number;
  readonly id: string;
  readonly kind: FactKind;
  readonly status: FactStatus;
  readonly statement: Buffer;
  readonly isNegative: boolean;
  /** The fact that this one was merged into. */
  readonly mergedInto: number | null;
  readonly isEdited: boolean;
  /** Repeats among them. */
  readonly witnesses: number;
  readonly repeats: number;
  readonly helped: number;
  readonly tokens: string;
  readonly factText: FactText;
}

export function storedFactOf(row: Row): StoredFact {
  const id = textColumn(row, "id");
  return {
    number: integerOf(row, "number"),
    id,
    kind: kindOf(row),
    status: textColumn(row, "status") as FactStatus,
    statement: bytesOf(row, "statement"),
    isNegative: integerOf(row, "is_negative") === 1,
    mergedInto: columnOrNull(integerOf, row, "merged_into"),
    isEdited: integerOf(row, "is_edited") === 1,
    witnesses: integerOf(row, "witnesses"),
    repeats: integerOf(row, "repeats"),
    helped: integerOf(row, "helped"),
    tokens: textColumn(row, "tokens"),
    factText: parseFactText(textColumn(row, "body"), id),
  };
}

export function kindOf(row: Row): FactKind {
  const kind = textColumn(row, "kind");
  if (!(FACT_KINDS as readonly string[]).includes(kind)) throw new StoreError("damaged", `${kind} is no kind of fact`);
  return kind as FactKind;
}

/** Other programs may have edited the file: anything but a fact is damage. */
export function parseFactText(text: string, id: string): FactText {
  const record = parseRecord(text, `the fact ${id}`);
  const isWhole =
    typeof record["text"] === "string" &&
    typeof record["isBlocking"] === "boolean" &&
    isTextOrNull(record["detail"]) &&
    isTextOrNull(record["severity"]) &&
    isTextOrNull(record["answer"] ?? null) &&
    isTextList(record["tags"]) &&
    isTextList(record["files"]) &&
    isTextOrNull(record["unconfirmedPlace"] ?? null) &&
    isCitation(record["citation"]);
  if (!isWhole) throw new StoreError("damaged", `the fact ${id} is incomplete`);
  // Facts of older versions have no answer.
  return { answer: null, ...record } as JsonRecord & FactText;
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
  if (!isTextList(value["names"] ?? [])) return false;
  return hasLines(value["lines"]) && isTextOrNull(value["commit"]);
}

function hasLines(value: unknown): boolean {
  return value === null || (isRecord(value) && Number.isInteger(value["first"]) && Number.isInteger(value["last"]));
}

/** Rows of the same facts in any order, the sources of each in their own. */
interface FactRows {
  readonly stored: readonly StoredFact[];
  readonly sources: readonly Row[];
  /** `fact` and the `id` of one that says the opposite. */
  readonly opposites: readonly Row[];
}

/** The facts in the order of their numbers. */
export function assembleFacts(numbers: readonly number[], { stored, sources, opposites }: FactRows): Fact[] {
  const witnesses = groupBy(sources, witnessOf);
  const opposing = groupBy(opposites, (row) => textColumn(row, "id"));
  const facts = new Map(
    stored.map(({ number, id, kind, status, helped, factText }) => {
      const known = { witnesses: witnesses.get(number) ?? [], opposes: opposing.get(number) ?? [] };
      return [number, factOf({ id, kind, status, helped, ...known }, factText)];
    }),
  );
  return numbers.flatMap((number) => facts.get(number) ?? []);
}

function factOf(
  { id, kind, status, helped, witnesses, opposes }: Omit<Fact, keyof FactText>,
  { text, detail, severity, isBlocking, answer, tags, files, citation, unconfirmedPlace }: FactText,
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
    ...(unconfirmedPlace !== undefined && { unconfirmedPlace }),
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

function witnessOf(row: Row): FactSource {
  return {
    run: textColumn(row, "run"),
    task: textColumn(row, "task"),
    step: textColumn(row, "step"),
    agent: textColumn(row, "agent"),
    handoff: textColumn(row, "handoff"),
    where: textColumn(row, "place"),
    at: integerOf(row, "at"),
  };
}

export function recordOf(row: Row): FactRecord {
  const before = columnOrNull(textColumn, row, "before");
  return {
    at: integerOf(row, "at"),
    by: textColumn(row, "by"),
    what: textColumn(row, "what") as FactRecord["what"],
    why: columnOrNull(textColumn, row, "why"),
    other: columnOrNull(textColumn, row, "other"),
    before: before === null ? null : parseRecord(before, "a record of the history"),
  };
}

export function missingFact(number: number): StoreError {
  return new StoreError("damaged", `fact ${number} is missing`);
}

export function noSuchFact(id: string): StoreError {
  return new StoreError("no-such-fact", `there is no fact ${id}`);
}

export function numbersOf(rows: readonly Row[]): number[] {
  return rows.map((row) => integerOf(row, "number"));
}
