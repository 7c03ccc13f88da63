import type { Fact } from "../../knowledge/fact.ts";
import { factMarkOf, type LearnedBatch, type TaughtFact } from "../../ports/knowledge-store.ts";
import { integerOf, textColumn } from "../sqlite/rows.ts";
import { loadFacts, parseFactText, type StoredFact, storedFact } from "./fact-rows.ts";
import { enrich, type FactText, factTextOf, statementKeyOf } from "./fact-text.ts";
import type { KnowledgeStatements } from "./statements.ts";
import {
  findStatement,
  insertFact,
  linkOpposite,
  type NewRecord,
  appendFactHistory,
  updateFact,
  writeFacts,
  type Writing,
} from "./write-fact.ts";

/** Inside a transaction, like all functions here. */
export function storeLearnedBatch(statements: KnowledgeStatements, batch: LearnedBatch): Fact[] {
  const numbers = writeFacts(statements, (writing) => {
    const number = putLesson(statements, batch);
    return batch.facts.map((learned) => learnFact(writing, batch, number, learned));
  });
  return loadFacts(statements, numbers);
}

/** The task is stored once: learning an old handoff again must not overwrite it. */
function putLesson(statements: KnowledgeStatements, { source, task, files }: LearnedBatch): number {
  const known = statements.batch.get(source.run, source.step, source.handoff);
  if (known !== undefined) return integerOf(known, "number");
  const { run, step, agent, handoff, at } = source;
  const number = Number(statements.insertLesson.run(run, source.task, step, agent, handoff, at).lastInsertRowid);
  putTask(statements, run, task, task.at ?? at);
  for (const [ordinal, { path, change, lines, purpose }] of files.entries()) {
    statements.insertTouch.run(number, ordinal, path, change, lines, purpose);
  }
  return number;
}

function putTask(statements: KnowledgeStatements, run: string, task: LearnedBatch["task"], at: number): void {
  const known = statements.task.get(run, task.id);
  if (known !== undefined && integerOf(known, "at") > at) return;
  statements.putTask.run(run, task.id, task.name, task.status, at);
  statements.deleteNeeds.run(run, task.id);
  for (const [ordinal, needs] of [...new Set(task.dependsOn)].entries()) {
    statements.insertNeed.run(run, task.id, ordinal, needs);
  }
}

/** Returns the number of the fact. */
function learnFact(writing: Writing, batch: LearnedBatch, number: number, learned: TaughtFact): number {
  const { statements } = writing;
  const witnessed = statements.witnessed.get(number, learned.where);
  if (witnessed !== undefined) return integerOf(witnessed, "fact");

  const factText = factTextOf(learned);
  const statement = statementKeyOf(learned.kind, learned.text);
  const known = findStatement(statements, statement);
  const at = batch.source.at;
  const told = { at, by: batch.source.agent, why: null };
  const status = statusOf(learned, batch);
  const unproven = status === "trusted" ? null : factText;
  if (known === null) {
    const { id, kind } = learned;
    const added = insertFact(writing, { id, kind, status, statement, at, factText });
    linkOpposite(statements, added, statement);
    addWitness(statements, { fact: added, ordinal: 1, batch: number, where: learned.where, unproven });
    appendFactHistory(statements, added, { ...told, what: "learned", before: null });
    return added;
  }
  const ordinal = known.witnesses + 1;
  if (isGiven(known, batch)) {
    const { where } = learned;
    addWitness(statements, { fact: known.number, ordinal, batch: number, where, unproven: null, isRepeat: true });
    return known.number;
  }
  addWitness(statements, { fact: known.number, ordinal, batch: number, where: learned.where, unproven });
  const before = applySaying(writing, known, factText, status === "trusted");
  appendFactHistory(statements, known.number, { ...told, what: "witnessed", before });
  return known.number;
}

function statusOf({ ownPlace }: TaughtFact, { status }: LearnedBatch): LearnedBatch["status"] {
  if (ownPlace === undefined) return status;
  return ownPlace === "confirmed" ? "trusted" : "quarantined";
}

interface NewWitness {
  readonly fact: number;
  readonly ordinal: number;
  readonly batch: number;
  readonly where: string;
  readonly unproven: FactText | null;
  readonly isRepeat?: boolean;
}

function addWitness(
  statements: KnowledgeStatements,
  { fact, ordinal, batch, where, unproven, isRepeat = false }: NewWitness,
): void {
  const said = unproven === null ? null : JSON.stringify(unproven);
  statements.insertWitness.run(fact, ordinal, batch, where, said, isRepeat ? 1 : 0);
  statements.countWitness.run(1, isRepeat ? 1 : 0, fact);
}

/** An agent that repeats its packet has found nothing; a question that it asks again is open again. */
function isGiven({ id, kind, factText }: StoredFact, { given = [] }: LearnedBatch): boolean {
  if (kind === "question" || given.length === 0) return false;
  const mark = factMarkOf(factText.text);
  return given.some((one) => one.id === id || one.said === mark);
}

/**
 * Applies a statement to a fact. A fact that becomes trusted by it takes its text from this statement, because what
 * other statements added is not proven. Returns the old values of what changed.
 */
function applySaying(writing: Writing, fact: StoredFact, factText: FactText, isProven: boolean): Partial<Fact> | null {
  if (fact.status === "retired" || (fact.status === "trusted" && !isProven)) return null;
  const isFirstProof = isProven && fact.status === "quarantined" && saysTheSame(fact, factText);
  const said = isFirstProof ? factText : enrich(fact.factText, factText);
  return updateFact(writing, fact, {
    status: isProven ? "trusted" : fact.status,
    factText: fact.isEdited ? fact.factText : said,
  });
}

/** False when the source belongs to a fact that a person has merged into this one. */
function saysTheSame(fact: StoredFact, { text }: FactText): boolean {
  const { hash, isNegative } = statementKeyOf(fact.kind, text);
  return fact.isNegative === isNegative && fact.statement.equals(hash);
}

/** Returns how many facts became trusted. */
export function trustStep(statements: KnowledgeStatements, run: string, step: string, at: number): number {
  return writeFacts(statements, (writing) => {
    let trusted = 0;
    for (const batch of statements.lessonsOfStep.all(run, step)) {
      for (const row of statements.unproven.all(integerOf(batch, "number"))) {
        const fact = storedFact(statements, integerOf(row, "fact"));
        const said = parseFactText(textColumn(row, "said"), fact.id);
        if (said.unconfirmedPlace !== undefined) continue;
        const before = applySaying(writing, fact, said, true);
        statements.proveWitness.run(fact.number, integerOf(row, "ordinal"));
        const told: NewRecord = { at, by: `${run}/${step}`, what: "trusted", why: null, before };
        if (before !== null) appendFactHistory(statements, fact.number, told);
        if (fact.status === "quarantined") trusted++;
      }
    }
    return trusted;
  });
}
