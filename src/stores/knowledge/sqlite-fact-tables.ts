import type { Fact, FactKind } from "../../knowledge/fact.ts";
import type { AnsweredStep, KnownTask } from "../../ports/knowledge-store.ts";
import { integerOf, columnOrNull, type Row, textColumn } from "../sqlite/rows.ts";
import { loadFact, storedFact } from "./fact-rows.ts";
import type {
  AskedQuestion,
  FactColumns,
  FactTables,
  NewFactRow,
  NewRecord,
  NewWitness,
  Unproven,
} from "./fact-tables.ts";
import type { StatementKey } from "./fact-text.ts";
import type { KnowledgeStatements } from "./statements.ts";
import { type StoredFact, storedFactOf } from "./stored-fact.ts";
import { TokenCounts } from "./write-fact.ts";

/** Inside a transaction: runs `work`, then stores the counts. */
export function writeFacts<T>(statements: KnowledgeStatements, work: (tables: FactTables) => T): T {
  const tables = new SqliteFactTables(statements);
  const result = work(tables);
  tables.storeCounts();
  return result;
}

class SqliteFactTables implements FactTables {
  readonly #statements: KnowledgeStatements;
  readonly #tokenCounts = new TokenCounts();
  readonly #lastNumbers = new Map<FactKind, number>();

  constructor(statements: KnowledgeStatements) {
    this.#statements = statements;
  }

  storeCounts(): void {
    for (const [token, count] of this.#tokenCounts.changed()) this.#statements.countToken.run(token, count);
    for (const [kind, last] of this.#lastNumbers) this.#statements.setLastNumber.run(kind, last);
  }

  fact(number: number): StoredFact {
    return storedFact(this.#statements, number);
  }

  factById(id: string): StoredFact | null {
    return factOrNull(this.#statements.factById.get(id));
  }

  factByStatement({ hash, isNegative }: StatementKey): StoredFact | null {
    const polarity = isNegative ? 1 : 0;
    const own = this.#statements.factByStatement.get(hash, polarity);
    if (own !== undefined) return storedFactOf(own);
    const merged = this.#statements.mergedByStatement.get(hash, polarity);
    return merged === undefined ? null : factOrNull(this.#statements.fact.get(integerOf(merged, "number")));
  }

  wholeFact(number: number): Fact {
    return loadFact(this.#statements, number);
  }

  insertFact({ id, kind, status, statement, at, tokens, factText }: NewFactRow): number {
    const { hash, isNegative } = statement;
    const body = JSON.stringify(factText);
    const row = [id, kind, status, hash, isNegative ? 1 : 0, at, tokens, body];
    const number = Number(this.#statements.insertFact.run(...row).lastInsertRowid);
    this.#index(number, "", tokens);
    for (const path of factText.files) this.#statements.insertFile.run(path, number);
    return number;
  }

  updateFact({ number, tokens: before, factText: old }: StoredFact, now: FactColumns): void {
    const { status, statement, mergedInto, isEdited, tokens, factText } = now;
    const { hash, isNegative } = statement;
    const flags = [isNegative ? 1 : 0, mergedInto, isEdited ? 1 : 0];
    this.#statements.updateFact.run(status, hash, ...flags, tokens, JSON.stringify(factText), number);
    this.#index(number, before, tokens);
    for (const path of old.files) if (!factText.files.includes(path)) this.#statements.deleteFile.run(path, number);
    for (const path of factText.files) if (!old.files.includes(path)) this.#statements.insertFile.run(path, number);
  }

  #index(number: number, before: string, after: string): void {
    if (before === after) return;
    if (before !== "") this.#statements.unindex.run(number);
    this.#statements.index.run(number, after);
    this.#tokenCounts.move(before, after);
  }

  addCounts(fact: number, { witnesses = 0, repeats = 0, helped = 0 }: Parameters<FactTables["addCounts"]>[1]): void {
    if (witnesses !== 0 || repeats !== 0) this.#statements.countWitness.run(witnesses, repeats, fact);
    if (helped !== 0) this.#statements.help.run(helped, fact);
  }

  lastNumber(kind: FactKind): number {
    const known = this.#lastNumbers.get(kind);
    if (known !== undefined) return known;
    const row = this.#statements.lastNumber.get(kind);
    return row === undefined ? 0 : integerOf(row, "last");
  }

  setLastNumber(kind: FactKind, last: number): void {
    this.#lastNumbers.set(kind, last);
  }

  lesson({ run, step, handoff }: Parameters<FactTables["lesson"]>[0]): number | null {
    const row = this.#statements.batch.get(run, step, handoff);
    return row === undefined ? null : integerOf(row, "number");
  }

  insertLesson(
    { run, task, step, agent, handoff, at }: Parameters<FactTables["insertLesson"]>[0],
    files: Parameters<FactTables["insertLesson"]>[1],
  ): number {
    const added = this.#statements.insertLesson.run(run, task, step, agent, handoff, at);
    const number = Number(added.lastInsertRowid);
    for (const [ordinal, { path, change, lines, purpose }] of files.entries()) {
      this.#statements.insertTouch.run(number, ordinal, path, change, lines, purpose);
    }
    return number;
  }

  taskTime(run: string, id: string): number | null {
    const row = this.#statements.task.get(run, id);
    return row === undefined ? null : integerOf(row, "at");
  }

  putTask({ run, id, name, status, dependsOn, at }: KnownTask): void {
    this.#statements.putTask.run(run, id, name, status, at);
    this.#statements.deleteNeeds.run(run, id);
    for (const [ordinal, needs] of dependsOn.entries()) this.#statements.insertNeed.run(run, id, ordinal, needs);
  }

  witnessed(lesson: number, place: string): number | null {
    const row = this.#statements.witnessed.get(lesson, place);
    return row === undefined ? null : integerOf(row, "fact");
  }

  insertWitness({ fact, ordinal, lesson, place, said, isRepeat }: NewWitness): void {
    this.#statements.insertWitness.run(fact, ordinal, lesson, place, said, isRepeat ? 1 : 0);
  }

  unproven(run: string, step: string): Unproven[] {
    const lessons = this.#statements.lessonsOfStep.all(run, step);
    const rows = lessons.flatMap((row) => this.#statements.unproven.all(integerOf(row, "number")));
    return rows.map((row) => ({ ...placeOf(row), said: textColumn(row, "said") }));
  }

  questions(run: string, step: string): AskedQuestion[] {
    const rows = this.#statements.questionsOfStep.all(run, step);
    return rows.map((row) => ({ ...placeOf(row), said: columnOrNull(textColumn, row, "said") }));
  }

  setSaid(fact: number, ordinal: number, said: string | null): void {
    this.#statements.sayAgain.run(said, fact, ordinal);
  }

  moveWitnesses(from: number, into: number, by: number): void {
    this.#statements.moveWitnesses.run(into, by, from);
  }

  opposites(fact: number): number[] {
    return this.#statements.opposites.all(fact).map((row) => integerOf(row, "other"));
  }

  oppose(fact: number, other: number): void {
    this.#statements.oppose.run(fact, other);
    this.#statements.oppose.run(other, fact);
  }

  reconcile(fact: number, other: number): void {
    this.#statements.reconcile.run(fact, other);
    this.#statements.reconcile.run(other, fact);
  }

  followMerge(from: number, into: number): void {
    this.#statements.followMerge.run(into, from);
  }

  appendRecord(fact: number, { at, by, what, why, other, before }: NewRecord): void {
    this.#statements.record.run(
      fact,
      at,
      by,
      what,
      why,
      other ?? null,
      before === null ? null : JSON.stringify(before),
    );
  }

  isAnswered(fact: number, { at, by }: Pick<AnsweredStep, "at" | "by">): boolean {
    return this.#statements.answered.get(fact, at, by) !== undefined;
  }

  insertHelp(run: string, step: string): boolean {
    return Number(this.#statements.insertHelp.run(run, step).changes) > 0;
  }
}

function factOrNull(row: Row | undefined): StoredFact | null {
  return row === undefined ? null : storedFactOf(row);
}

function placeOf(row: Row): Pick<Unproven, "fact" | "ordinal"> {
  return { fact: integerOf(row, "fact"), ordinal: integerOf(row, "ordinal") };
}
