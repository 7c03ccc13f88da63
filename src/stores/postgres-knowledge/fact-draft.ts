import type { Fact, FactKind } from "../../knowledge/fact.ts";
import type { AnsweredStep, KnownTask } from "../../ports/knowledge-store.ts";
import { bytesOf, columnOrNull, integerOf, type Row, textColumn } from "../sqlite/rows.ts";
import type {
  AskedQuestion,
  FactColumns,
  FactTables,
  NewFactRow,
  NewRecord,
  NewWitness,
  Unproven,
} from "../knowledge/fact-tables.ts";
import type { StatementKey } from "../knowledge/fact-text.ts";
import { missingFact, type StoredFact, storedFactOf } from "../knowledge/stored-fact.ts";
import { TokenCounts } from "../knowledge/write-fact.ts";
import { DraftTable } from "./draft-table.ts";
import { TABLE_SHAPES } from "./table-shapes.ts";
import { cutTokens, keyOf, storedForm } from "./tables.ts";

/** The last number of each kind of row, and the last seal. */
export interface Ledger {
  facts: number;
  lessons: number;
  records: number;
  seals: number;
  digest: string | null;
}

/**
 * What one transaction has read, and what it changes. Everything that is decided on must have been loaded before
 * (`load-draft.ts`); what was changed is stored at the end (`store-draft.ts`). So the lock over all writers is held for
 * a few statements, however many facts are learned.
 */
export class FactDraft implements FactTables {
  readonly ledger: Ledger;
  readonly facts = new DraftTable(TABLE_SHAPES.facts);
  readonly lessons = new DraftTable(TABLE_SHAPES.lessons);
  readonly witnesses = new DraftTable(TABLE_SHAPES.witnesses);
  readonly history = new DraftTable(TABLE_SHAPES.history);
  readonly opposed = new DraftTable(TABLE_SHAPES.opposites);
  readonly files = new DraftTable(TABLE_SHAPES.fact_files);
  readonly tasks = new DraftTable(TABLE_SHAPES.tasks);
  readonly dependencies = new DraftTable(TABLE_SHAPES.dependencies);
  readonly touches = new DraftTable(TABLE_SHAPES.touches);
  readonly helpedSteps = new DraftTable(TABLE_SHAPES.helped_steps);
  readonly numbering = new DraftTable(TABLE_SHAPES.numbering);
  readonly tokenCounts = new TokenCounts();
  /** Of facts that a change needs with their sources. */
  readonly wholeFacts = new Map<number, Fact>();
  /** Facts that an answer was stored for before. */
  readonly answered = new Set<number>();
  readonly #byId = new Map<string, number>();
  readonly #byStatement = new Map<string, Row[]>();

  constructor(ledger: Ledger) {
    this.ledger = { ...ledger };
  }

  loadFacts(rows: readonly Row[]): void {
    this.facts.load(rows);
    for (const row of this.facts.rows()) this.#byId.set(textColumn(row, "id"), integerOf(row, "number"));
    this.#indexStatements();
  }

  #indexStatements(): void {
    this.#byStatement.clear();
    for (const row of this.facts.rows()) this.#indexStatement(row);
  }

  #indexStatement(row: Row): void {
    const key = statementText(storedStatement(row));
    this.#byStatement.set(key, [...(this.#byStatement.get(key) ?? []), row]);
  }

  fact(number: number): StoredFact {
    const row = this.facts.get(number);
    if (row === null) throw missingFact(number);
    return storedFactOf(row);
  }

  factById(id: string): StoredFact | null {
    const number = this.#byId.get(id);
    return number === undefined ? null : this.fact(number);
  }

  factByStatement(statement: StatementKey): StoredFact | null {
    const same = (this.#byStatement.get(statementText(statement)) ?? []).map((row) => this.#factRow(row));
    const own = same.find((row) => row["merged_into"] === null);
    if (own !== undefined) return storedFactOf(own);
    const newest = Math.max(0, ...same.map((row) => integerOf(row, "number")));
    const merged = this.facts.get(newest);
    return merged === null ? null : this.fact(integerOf(merged, "merged_into"));
  }

  /** The row as it is now. */
  #factRow(row: Row): Row {
    return this.facts.get(row["number"]) ?? row;
  }

  wholeFact(number: number): Fact {
    const fact = this.wholeFacts.get(number);
    if (fact === undefined) throw missingFact(number);
    return fact;
  }

  insertFact({ id, kind, status, statement, at, tokens, factText }: NewFactRow): number {
    const number = ++this.ledger.facts;
    const row = {
      number,
      id,
      kind,
      ...columnsOf({ status, statement, tokens, factText, mergedInto: null, isEdited: false }),
      learned_at: at,
      witnesses: 0,
      repeats: 0,
      helped: 0,
    };
    this.facts.put(row);
    this.#byId.set(id, number);
    this.#indexStatement(row);
    this.tokenCounts.move("", row.tokens);
    for (const path of factText.files) this.files.put({ path_key: keyOf(path), fact: number });
    return number;
  }

  updateFact({ number, factText: old }: StoredFact, now: FactColumns): void {
    const before = this.facts.get(number) ?? {};
    const row = { ...before, ...columnsOf(now) };
    this.facts.put(row);
    if (row.merged_into !== before["merged_into"] || !sameBytes(row.statement, before["statement"]))
      this.#indexStatements();
    this.tokenCounts.move(textColumn(before, "tokens"), row.tokens);
    const { files } = now.factText;
    for (const path of old.files) if (!files.includes(path)) this.files.remove({ path_key: keyOf(path), fact: number });
    for (const path of files) if (!old.files.includes(path)) this.files.put({ path_key: keyOf(path), fact: number });
  }

  addCounts(number: number, counts: Parameters<FactTables["addCounts"]>[1]): void {
    const row = this.facts.get(number);
    if (row === null) return;
    const now = { ...row };
    for (const [name, count] of Object.entries(counts)) now[name] = integerOf(row, name) + count;
    this.facts.put(now);
  }

  lastNumber(kind: FactKind): number {
    const row = this.numbering.get(kind);
    return row === null ? 0 : integerOf(row, "last");
  }

  setLastNumber(kind: FactKind, last: number): void {
    this.numbering.put({ kind, last });
  }

  lesson({ run, step, handoff }: Parameters<FactTables["lesson"]>[0]): number | null {
    const key = keyOf(run, step, handoff);
    const same = this.lessons.rows().find((row) => sameBytes(key, row["key"]));
    return same === undefined ? null : integerOf(same, "number");
  }

  insertLesson(
    source: Parameters<FactTables["insertLesson"]>[0],
    files: Parameters<FactTables["insertLesson"]>[1],
  ): number {
    const lesson = ++this.ledger.lessons;
    const { run, task, step, agent, handoff, at } = source;
    this.lessons.put({ number: lesson, run, task, step, agent, handoff, at, ...lessonKeys(source) });
    for (const [ordinal, { path, change, lines, purpose }] of files.entries())
      this.touches.put({ lesson, ordinal, path, change, lines, purpose, path_key: keyOf(path) });
    return lesson;
  }

  taskTime(run: string, id: string): number | null {
    const row = this.tasks.get(keyOf(run, id));
    return row === null ? null : integerOf(row, "at");
  }

  putTask({ run, id, name, status, dependsOn, at }: KnownTask): void {
    const key = keyOf(run, id);
    this.tasks.put({ key, run_key: keyOf(run), run, id, name, status, at });
    for (const row of this.dependencies.rows()) this.dependencies.delete(row);
    for (const [ordinal, needs] of dependsOn.entries())
      this.dependencies.put({ task_key: key, ordinal, run, task: id, needs, needs_key: keyOf(run, needs) });
  }

  witnessed(lesson: number, place: string): number | null {
    const stored = storedForm(place);
    const row = this.witnesses.rows().find((one) => one["lesson"] === lesson && one["place"] === stored);
    return row === undefined ? null : integerOf(row, "fact");
  }

  insertWitness({ isRepeat, place, ...witness }: NewWitness): void {
    this.witnesses.put({ ...witness, place: storedForm(place), is_repeat: isRepeat ? 1 : 0 });
  }

  unproven(run: string, step: string): Unproven[] {
    return this.#saidInStep(run, step).flatMap(({ said, ...place }) => (said === null ? [] : [{ ...place, said }]));
  }

  questions(run: string, step: string): AskedQuestion[] {
    const asked = this.#saidInStep(run, step).filter(({ fact }) => this.fact(fact).kind === "question");
    return asked.sort((left, right) => left.fact - right.fact || left.ordinal - right.ordinal);
  }

  /** In the order in which it was learned. */
  #saidInStep(run: string, step: string): AskedQuestion[] {
    const key = keyOf(run, step);
    const lessons = this.lessons.rows().filter((row) => sameBytes(key, row["step_key"]));
    const numbers = lessons.map((row) => integerOf(row, "number"));
    return this.witnesses
      .rows()
      .filter((row) => numbers.includes(integerOf(row, "lesson")))
      .sort(byLesson)
      .map((row) => ({
        fact: integerOf(row, "fact"),
        ordinal: integerOf(row, "ordinal"),
        said: columnOrNull(textColumn, row, "said"),
      }));
  }

  setSaid(fact: number, ordinal: number, said: string | null): void {
    const row = this.witnesses.get(fact, ordinal);
    if (row !== null) this.witnesses.put({ ...row, said });
  }

  moveWitnesses(from: number, into: number, by: number): void {
    for (const row of this.witnesses.rows().filter(({ fact }) => fact === from)) {
      this.witnesses.delete(row);
      this.witnesses.put({ ...row, fact: into, ordinal: integerOf(row, "ordinal") + by });
    }
  }

  opposites(fact: number): number[] {
    const rows = this.opposed.rows().filter((row) => row["fact"] === fact);
    return rows.map((row) => integerOf(row, "other"));
  }

  oppose(fact: number, other: number): void {
    this.opposed.put({ fact, other });
    this.opposed.put({ fact: other, other: fact });
  }

  reconcile(fact: number, other: number): void {
    this.opposed.remove({ fact, other });
    this.opposed.remove({ fact: other, other: fact });
  }

  followMerge(from: number, into: number): void {
    for (const row of this.facts.rows()) if (row["merged_into"] === from) this.facts.put({ ...row, merged_into: into });
    this.#indexStatements();
  }

  appendRecord(fact: number, { at, by, what, why, other, before }: NewRecord): void {
    const number = ++this.ledger.records;
    const old = before === null ? null : JSON.stringify(before);
    this.history.put({ number, fact, at, by, what, why, other: other ?? null, before: old });
  }

  isAnswered(fact: number, { at, by }: Pick<AnsweredStep, "at" | "by">): boolean {
    const isSame = (row: Row): boolean =>
      row["fact"] === fact && row["at"] === at && row["by"] === by && row["what"] === "answered";
    return this.answered.has(fact) || this.history.rows().some(isSame);
  }

  insertHelp(run: string, step: string): boolean {
    const key = keyOf(run, step);
    if (this.helpedSteps.get(key) !== null) return false;
    this.helpedSteps.put({ key, run, step });
    return true;
  }
}

function lessonKeys({ run, task, step, agent, handoff }: Parameters<FactTables["insertLesson"]>[0]): Row {
  return {
    key: keyOf(run, step, handoff),
    run_key: keyOf(run),
    step_key: keyOf(run, step),
    task_key: keyOf(run, task),
    task_name_key: keyOf(task),
    agent_key: keyOf(agent),
  };
}

function columnsOf({ status, statement, mergedInto, isEdited, tokens, factText }: FactColumns) {
  return {
    status,
    statement: statement.hash,
    is_negative: statement.isNegative ? 1 : 0,
    merged_into: mergedInto,
    is_edited: isEdited ? 1 : 0,
    tokens: cutTokens(tokens),
    body: JSON.stringify(factText),
  };
}

function storedStatement(row: Row): StatementKey {
  return { hash: bytesOf(row, "statement"), isNegative: integerOf(row, "is_negative") === 1 };
}

function statementText({ hash, isNegative }: StatementKey): string {
  return `${hash.toString("base64")} ${isNegative}`;
}

function sameBytes(left: Buffer, right: unknown): boolean {
  return right instanceof Uint8Array && left.equals(right);
}

function byLesson(left: Row, right: Row): number {
  const of = (row: Row, column: string): number => integerOf(row, column);
  return (
    of(left, "lesson") - of(right, "lesson") ||
    of(left, "fact") - of(right, "fact") ||
    of(left, "ordinal") - of(right, "ordinal")
  );
}
