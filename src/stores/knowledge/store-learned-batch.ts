import type { Fact } from "../../knowledge/fact.ts";
import { factMarkOf, type LearnedBatch, type TaughtFact } from "../../ports/knowledge-store.ts";
import type { FactTables, NewRecord, NewWitness } from "./fact-tables.ts";
import { enrich, type FactText, factTextOf, statementKeyOf } from "./fact-text.ts";
import { parseFactText, type StoredFact } from "./stored-fact.ts";
import { insertFact, linkOpposite, updateFact } from "./write-fact.ts";

/** Returns the numbers of the facts, in the order of the batch. */
export function storeLearnedBatch(tables: FactTables, batch: LearnedBatch): number[] {
  const lesson = putLesson(tables, batch);
  return batch.facts.map((learned) => learnFact(tables, batch, lesson, learned));
}

/** The task is stored once: learning an old handoff again must not overwrite it. */
function putLesson(tables: FactTables, { source, task, files }: LearnedBatch): number {
  const known = tables.lesson(source);
  if (known !== null) return known;
  const lesson = tables.insertLesson(source, files);
  const at = task.at ?? source.at;
  const last = tables.taskTime(source.run, task.id);
  if (last === null || last <= at)
    tables.putTask({ ...task, run: source.run, at, dependsOn: [...new Set(task.dependsOn)] });
  return lesson;
}

/** Returns the number of the fact. */
function learnFact(tables: FactTables, batch: LearnedBatch, lesson: number, learned: TaughtFact): number {
  const { where: place } = learned;
  const witnessed = tables.witnessed(lesson, place);
  if (witnessed !== null) return witnessed;

  const factText = factTextOf(learned);
  const statement = statementKeyOf(learned.kind, learned.text);
  const known = tables.factByStatement(statement);
  const at = batch.source.at;
  const told = { at, by: batch.source.agent, why: null };
  const status = statusOf(learned, batch);
  const said = status === "trusted" ? null : JSON.stringify(factText);
  if (known === null) {
    const { id, kind } = learned;
    const fact = insertFact(tables, { id, kind, status, statement, at, factText });
    linkOpposite(tables, fact, statement);
    addWitness(tables, { fact, ordinal: 1, lesson, place, said, isRepeat: false });
    tables.appendRecord(fact, { ...told, what: "learned", before: null });
    return fact;
  }
  const witness = { fact: known.number, ordinal: known.witnesses + 1, lesson, place };
  if (isGiven(known, batch)) {
    addWitness(tables, { ...witness, said: null, isRepeat: true });
    return known.number;
  }
  addWitness(tables, { ...witness, said, isRepeat: false });
  const before = applySaying(tables, known, factText, status === "trusted");
  tables.appendRecord(known.number, { ...told, what: "witnessed", before });
  return known.number;
}

function statusOf({ ownPlace }: TaughtFact, { status }: LearnedBatch): LearnedBatch["status"] {
  if (ownPlace === undefined) return status;
  return ownPlace === "confirmed" ? "trusted" : "quarantined";
}

function addWitness(tables: FactTables, witness: NewWitness): void {
  tables.insertWitness(witness);
  tables.addCounts(witness.fact, { witnesses: 1, repeats: witness.isRepeat ? 1 : 0 });
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
function applySaying(
  tables: FactTables,
  fact: StoredFact,
  factText: FactText,
  isProven: boolean,
): Partial<Fact> | null {
  if (fact.status === "retired" || (fact.status === "trusted" && !isProven)) return null;
  const isFirstProof = isProven && fact.status === "quarantined" && saysTheSame(fact, factText);
  const said = isFirstProof ? factText : enrich(fact.factText, factText);
  return updateFact(tables, fact, {
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
export function trustStep(tables: FactTables, run: string, step: string, at: number): number {
  let trusted = 0;
  for (const { fact: number, ordinal, said: text } of tables.unproven(run, step)) {
    const fact = tables.fact(number);
    const said = parseFactText(text, fact.id);
    if (said.unconfirmedPlace !== undefined) continue;
    const before = applySaying(tables, fact, said, true);
    tables.setSaid(number, ordinal, null);
    const told: NewRecord = { at, by: `${run}/${step}`, what: "trusted", why: null, before };
    if (before !== null) tables.appendRecord(number, told);
    if (fact.status === "quarantined") trusted++;
  }
  return trusted;
}
