import type { Fact } from "../../knowledge/fact.ts";
import type { Lesson } from "../../ports/knowledge-store.ts";
import { integerOf, textOf } from "../sqlite/rows.ts";
import { loadFacts, parseSaying, type StoredFact, storedFact } from "./fact-rows.ts";
import { enrich, type Saying, sayingOf, statementIn } from "./saying.ts";
import type { Statements } from "./statements.ts";
import {
  findStatement,
  insertFact,
  linkOpposite,
  type NewRecord,
  record,
  updateFact,
  writeFacts,
  type Writing,
} from "./write-fact.ts";

/** Inside a transaction, like everything here. */
export function learnLesson(statements: Statements, lesson: Lesson): Fact[] {
  const numbers = writeFacts(statements, (writing) => {
    const number = putLesson(statements, lesson);
    return lesson.facts.map((learned) => learnFact(writing, lesson, number, learned));
  });
  return loadFacts(statements, numbers);
}

/** The task is told about once: an old handoff that is learned again says nothing new about it. */
function putLesson(statements: Statements, { source, task, files }: Lesson): number {
  const known = statements.lesson.get(source.run, source.step, source.handoff);
  if (known !== undefined) return integerOf(known, "number");
  const { run, step, agent, handoff, at } = source;
  const number = Number(statements.insertLesson.run(run, source.task, step, agent, handoff, at).lastInsertRowid);
  putTask(statements, run, task, task.at ?? at);
  for (const [ordinal, { path, change, lines, purpose }] of files.entries()) {
    statements.insertTouch.run(number, ordinal, path, change, lines, purpose);
  }
  return number;
}

function putTask(statements: Statements, run: string, task: Lesson["task"], at: number): void {
  const known = statements.task.get(run, task.id);
  if (known !== undefined && integerOf(known, "at") > at) return;
  statements.putTask.run(run, task.id, task.name, task.status, at);
  statements.deleteNeeds.run(run, task.id);
  for (const [ordinal, needs] of [...new Set(task.dependsOn)].entries()) {
    statements.insertNeed.run(run, task.id, ordinal, needs);
  }
}

/** Gives the number of the fact. */
function learnFact(writing: Writing, lesson: Lesson, number: number, learned: Lesson["facts"][number]): number {
  const { statements } = writing;
  const witnessed = statements.witnessed.get(number, learned.where);
  if (witnessed !== undefined) return integerOf(witnessed, "fact");

  const saying = sayingOf(learned);
  const statement = statementIn(learned.kind, learned.text);
  const known = findStatement(statements, statement);
  const at = lesson.source.at;
  const told = { at, by: lesson.source.agent, why: null };
  const unproven = lesson.status === "trusted" ? null : saying;
  if (known === null) {
    const { id, kind } = learned;
    const added = insertFact(writing, { id, kind, status: lesson.status, statement, at, saying });
    linkOpposite(statements, added, statement);
    addWitness(statements, { fact: added, ordinal: 1, lesson: number, where: learned.where, unproven });
    record(statements, added, { ...told, what: "learned", before: null });
    return added;
  }
  const ordinal = known.witnesses + 1;
  addWitness(statements, { fact: known.number, ordinal, lesson: number, where: learned.where, unproven });
  const before = applySaying(writing, known, saying, lesson.status === "trusted");
  record(statements, known.number, { ...told, what: "witnessed", before });
  return known.number;
}

interface NewWitness {
  readonly fact: number;
  readonly ordinal: number;
  readonly lesson: number;
  readonly where: string;
  readonly unproven: Saying | null;
}

function addWitness(statements: Statements, { fact, ordinal, lesson, where, unproven }: NewWitness): void {
  statements.insertWitness.run(fact, ordinal, lesson, where, unproven === null ? null : JSON.stringify(unproven));
  statements.countWitness.run(1, fact);
}

/**
 * What a saying changes. A fact that becomes trusted by it says what this one says: what others have added to it
 * is still unproven. Gives what was different before.
 */
function applySaying(writing: Writing, fact: StoredFact, saying: Saying, isProven: boolean): Partial<Fact> | null {
  if (fact.status === "retired" || (fact.status === "trusted" && !isProven)) return null;
  const isFirstProof = isProven && fact.status === "quarantined" && saysTheSame(fact, saying);
  const said = isFirstProof ? saying : enrich(fact.saying, saying);
  return updateFact(writing, fact, {
    status: isProven ? "trusted" : fact.status,
    saying: fact.isEdited ? fact.saying : said,
  });
}

/** False when its witness came with a fact that a person has merged into this one. */
function saysTheSame(fact: StoredFact, { text }: Saying): boolean {
  const { hash, isNegative } = statementIn(fact.kind, text);
  return fact.isNegative === isNegative && fact.statement.equals(hash);
}

/** Gives how many facts became trusted. */
export function trustStep(statements: Statements, run: string, step: string, at: number): number {
  return writeFacts(statements, (writing) => {
    let trusted = 0;
    for (const lesson of statements.lessonsOfStep.all(run, step)) {
      for (const row of statements.unproven.all(integerOf(lesson, "number"))) {
        const fact = storedFact(statements, integerOf(row, "fact"));
        const before = applySaying(writing, fact, parseSaying(textOf(row, "said"), fact.id), true);
        statements.proveWitness.run(fact.number, integerOf(row, "ordinal"));
        const told: NewRecord = { at, by: `${run}/${step}`, what: "trusted", why: null, before };
        if (before !== null) record(statements, fact.number, told);
        if (fact.status === "quarantined") trusted++;
      }
    }
    return trusted;
  });
}
