import { StoreError } from "../../ports/event-log.ts";
import { type FactChange, type AnsweredStep, factMarkOf } from "../../ports/knowledge-store.ts";
import type { GivenFact } from "../../workflow/attempt-record.ts";
import type { FactTables, NewRecord } from "./fact-tables.ts";
import { citedAt, enrich, normalTags, type FactText, statementKeyOf } from "./fact-text.ts";
import { noSuchFact, parseFactText, type StoredFact } from "./stored-fact.ts";
import { linkOpposite, updateFact } from "./write-fact.ts";

/** Refuses before the first write. Returns the number of the fact. */
export function changeFact(tables: FactTables, change: FactChange): number {
  const fact = factWithId(tables, change.id);
  refuseMerged(tables, fact);
  applyChange(tables, fact, change);
  return fact.number;
}

function factWithId(tables: FactTables, id: string): StoredFact {
  const fact = tables.factById(id);
  if (fact === null) throw noSuchFact(id);
  return fact;
}

function applyChange(tables: FactTables, fact: StoredFact, change: FactChange): void {
  const keep = (before: NewRecord["before"]): void => tables.appendRecord(fact.number, recordOf(change, before));
  switch (change.kind) {
    case "promote":
    case "confirm":
      return keep(updateFact(tables, fact, { status: "trusted" }));
    case "retire":
      return keep(updateFact(tables, fact, { status: "retired" }));
    case "cite":
      return keep(updateFact(tables, fact, { factText: citedAt(fact.factText, change.citation) }));
    case "edit":
      return keep(editFact(tables, fact, change.fields));
    case "merge":
      return mergeFact(tables, fact, change);
  }
}

function recordOf({ at, by, kind, why }: FactChange, before: NewRecord["before"]): NewRecord {
  return { at, by, what: kind, why, before };
}

type EditedFields = Extract<FactChange, { kind: "edit" }>["fields"];

/** A new text may be another statement: no other fact may have it, and its opposites are searched again. */
function editFact(tables: FactTables, fact: StoredFact, fields: EditedFields): NewRecord["before"] {
  const factText = editedText(fact.factText, fields);
  if (factText.text.trim() === "") throw new StoreError("wrong-change", `${fact.id} cannot be without a text`);
  const statement = statementKeyOf(fact.kind, factText.text);
  if (statement.hash.equals(fact.statement) && statement.isNegative === fact.isNegative) {
    return updateFact(tables, fact, { factText, isEdited: true });
  }
  const other = tables.factByStatement(statement);
  if (other !== null && other.number !== fact.number) {
    throw new StoreError("wrong-change", `${other.id} says this already: merge ${fact.id} into it instead`);
  }
  for (const opposite of tables.opposites(fact.number)) tables.reconcile(fact.number, opposite);
  const before = updateFact(tables, fact, { factText, statement, isEdited: true });
  linkOpposite(tables, fact.number, statement);
  return before;
}

function editedText(factText: FactText, fields: EditedFields): FactText {
  const { text = factText.text, detail = factText.detail, severity = factText.severity, tags } = fields;
  return { ...factText, text, detail, severity, tags: tags === undefined ? factText.tags : normalTags(tags) };
}

/** Facts that were merged into this one are redirected too, so that a merge is always one step. */
function mergeFact(tables: FactTables, fact: StoredFact, change: Extract<FactChange, { kind: "merge" }>): void {
  const into = factWithId(tables, change.into);
  if (into.number === fact.number) throw new StoreError("wrong-change", `${fact.id} cannot be merged into itself`);
  refuseMerged(tables, into);

  const whole = tables.wholeFact(fact.number);
  tables.moveWitnesses(fact.number, into.number, into.witnesses);
  tables.addCounts(into.number, { witnesses: fact.witnesses, repeats: fact.repeats, helped: fact.helped });
  tables.addCounts(fact.number, { witnesses: -fact.witnesses, repeats: -fact.repeats });
  moveOpposites(tables, fact.number, into.number);
  updateFact(tables, fact, { status: "retired", mergedInto: into.number });
  tables.followMerge(fact.number, into.number);

  const isTaken = into.status === "quarantined" || (into.status === "trusted" && fact.status === "trusted");
  const factText = isTaken && !into.isEdited ? enrich(into.factText, fact.factText) : into.factText;
  const before = updateFact(tables, into, { factText });
  const lost = { status: fact.status, witnesses: whole.witnesses, opposes: whole.opposes };
  tables.appendRecord(fact.number, { ...recordOf(change, lost), other: into.number });
  tables.appendRecord(into.number, { ...recordOf(change, before), other: fact.number });
}

function refuseMerged(tables: FactTables, fact: StoredFact): void {
  if (fact.mergedInto === null) return;
  const { id } = tables.fact(fact.mergedInto);
  throw new StoreError("wrong-change", `${fact.id} was merged into ${id}: change ${id} instead`);
}

function moveOpposites(tables: FactTables, from: number, to: number): void {
  for (const other of tables.opposites(from)) {
    tables.reconcile(from, other);
    if (other !== to) tables.oppose(to, other);
  }
}

/** A repeated answer is recognised by its time; a question that was asked again stays open. */
export function answerQuestions(tables: FactTables, { run, step, answer, by, at }: AnsweredStep): number {
  let answered = 0;
  for (const { fact: number, ordinal, said } of tables.questions(run, step)) {
    const fact = tables.fact(number);
    // A statement that is not proven yet keeps the answer until it is.
    if (said !== null) tables.setSaid(number, ordinal, JSON.stringify({ ...parseFactText(said, fact.id), answer }));
    if (!fact.factText.isBlocking || tables.isAnswered(number, { at, by })) continue;
    const before = updateFact(tables, fact, { factText: { ...fact.factText, answer } });
    tables.appendRecord(number, { at, by, what: "answered", why: null, before });
    answered++;
  }
  return answered;
}

/** The help of a merged fact counts for the fact that it was merged into. */
export function countHelp(tables: FactTables, run: string, step: string, facts: readonly GivenFact[]): number {
  if (!tables.insertHelp(run, step)) return 0;
  const helped = new Set<number>();
  for (const { id, said } of facts) {
    const fact = tables.factById(id);
    if (fact !== null && factMarkOf(fact.factText.text) === said) helped.add(fact.mergedInto ?? fact.number);
  }
  for (const number of helped) tables.addCounts(number, { helped: 1 });
  return helped.size;
}
