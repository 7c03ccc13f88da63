import type { Fact } from "../../knowledge/fact.ts";
import { StoreError } from "../../ports/event-log.ts";
import { type FactChange, type AnsweredStep, factMarkOf } from "../../ports/knowledge-store.ts";
import { integerOf, textColumn } from "../sqlite/rows.ts";
import {
  factWithId,
  loadFact,
  loadFacts,
  type StoredFact,
  storedFact,
  parseFactText,
  storedFactOf,
} from "./fact-rows.ts";
import { citedAt, enrich, normalTags, type FactText, statementKeyOf } from "./fact-text.ts";
import type { KnowledgeStatements } from "./statements.ts";
import {
  findStatement,
  linkOpposite,
  type NewRecord,
  appendFactHistory,
  updateFact,
  writeFacts,
  type Writing,
} from "./write-fact.ts";
import type { GivenFact } from "../../workflow/attempt-record.ts";

/** Inside a transaction. Refuses before the first write. */
export function changeFact(statements: KnowledgeStatements, change: FactChange): Fact {
  const fact = factWithId(statements, change.id);
  refuseMerged(statements, fact);
  writeFacts(statements, (writing) => applyChange(writing, fact, change));
  return loadFact(statements, fact.number);
}

function applyChange(writing: Writing, fact: StoredFact, change: FactChange): void {
  const { statements } = writing;
  const keep = (before: NewRecord["before"]): void =>
    appendFactHistory(statements, fact.number, recordOf(change, before));
  switch (change.kind) {
    case "promote":
    case "confirm":
      return keep(updateFact(writing, fact, { status: "trusted" }));
    case "retire":
      return keep(updateFact(writing, fact, { status: "retired" }));
    case "cite":
      return keep(updateFact(writing, fact, { factText: citedAt(fact.factText, change.citation) }));
    case "edit":
      return keep(editFact(writing, fact, change.fields));
    case "merge":
      return mergeFact(writing, fact, change);
  }
}

function recordOf({ at, by, kind, why }: FactChange, before: NewRecord["before"]): NewRecord {
  return { at, by, what: kind, why, before };
}

type EditedFields = Extract<FactChange, { kind: "edit" }>["fields"];

/** A new text may be another statement: no other fact may have it, and its opposites are searched again. */
function editFact(writing: Writing, fact: StoredFact, fields: EditedFields): NewRecord["before"] {
  const { statements } = writing;
  const factText = editedText(fact.factText, fields);
  if (factText.text.trim() === "") throw new StoreError("wrong-change", `${fact.id} cannot be without a text`);
  const statement = statementKeyOf(fact.kind, factText.text);
  if (statement.hash.equals(fact.statement) && statement.isNegative === fact.isNegative) {
    return updateFact(writing, fact, { factText, isEdited: true });
  }
  const other = findStatement(statements, statement);
  if (other !== null && other.number !== fact.number) {
    throw new StoreError("wrong-change", `${other.id} says this already: merge ${fact.id} into it instead`);
  }
  for (const opposite of oppositesOf(statements, fact.number)) unlink(statements, fact.number, opposite);
  const before = updateFact(writing, fact, { factText, statement, isEdited: true });
  linkOpposite(statements, fact.number, statement);
  return before;
}

function editedText(factText: FactText, fields: EditedFields): FactText {
  const { text = factText.text, detail = factText.detail, severity = factText.severity, tags } = fields;
  return { ...factText, text, detail, severity, tags: tags === undefined ? factText.tags : normalTags(tags) };
}

/** Facts that were merged into this one are redirected too, so that a merge is always one step. */
function mergeFact(writing: Writing, fact: StoredFact, change: Extract<FactChange, { kind: "merge" }>): void {
  const { statements } = writing;
  const into = factWithId(statements, change.into);
  if (into.number === fact.number) throw new StoreError("wrong-change", `${fact.id} cannot be merged into itself`);
  refuseMerged(statements, into);

  const [whole] = loadFacts(statements, [fact.number]);
  statements.moveWitnesses.run(into.number, into.witnesses, fact.number);
  statements.countWitness.run(fact.witnesses, fact.repeats, into.number);
  statements.countWitness.run(-fact.witnesses, -fact.repeats, fact.number);
  statements.help.run(fact.helped, into.number);
  moveOpposites(statements, fact.number, into.number);
  updateFact(writing, fact, { status: "retired", mergedInto: into.number });
  statements.followMerge.run(into.number, fact.number);

  const isTaken = into.status === "quarantined" || (into.status === "trusted" && fact.status === "trusted");
  const factText = isTaken && !into.isEdited ? enrich(into.factText, fact.factText) : into.factText;
  const before = updateFact(writing, into, { factText });
  const lost = { status: fact.status, witnesses: whole?.witnesses ?? [], opposes: whole?.opposes ?? [] };
  appendFactHistory(statements, fact.number, { ...recordOf(change, lost), other: into.number });
  appendFactHistory(statements, into.number, { ...recordOf(change, before), other: fact.number });
}

function refuseMerged(statements: KnowledgeStatements, fact: StoredFact): void {
  if (fact.mergedInto === null) return;
  const { id } = storedFact(statements, fact.mergedInto);
  throw new StoreError("wrong-change", `${fact.id} was merged into ${id}: change ${id} instead`);
}

function moveOpposites(statements: KnowledgeStatements, from: number, to: number): void {
  for (const other of oppositesOf(statements, from)) {
    unlink(statements, from, other);
    if (other === to) continue;
    statements.oppose.run(to, other);
    statements.oppose.run(other, to);
  }
}

function oppositesOf(statements: KnowledgeStatements, fact: number): number[] {
  return statements.opposites.all(fact).map((row) => integerOf(row, "other"));
}

function unlink(statements: KnowledgeStatements, fact: number, other: number): void {
  statements.reconcile.run(fact, other);
  statements.reconcile.run(other, fact);
}

/** Inside a transaction. A repeated answer is recognised by its time; a question that was asked again stays open. */
export function answerQuestions(statements: KnowledgeStatements, { run, step, answer, by, at }: AnsweredStep): number {
  return writeFacts(statements, (writing) => {
    let answered = 0;
    for (const { fact: number, ordinal, said } of questionsOf(statements, run, step)) {
      const fact = storedFact(statements, number);
      // A statement that is not proven yet keeps the answer until it is.
      if (said !== null)
        statements.sayAgain.run(JSON.stringify({ ...parseFactText(said, fact.id), answer }), number, ordinal);
      if (!fact.factText.isBlocking || statements.answered.get(number, at, by) !== undefined) continue;
      const before = updateFact(writing, fact, { factText: { ...fact.factText, answer } });
      appendFactHistory(statements, number, { at, by, what: "answered", why: null, before });
      answered++;
    }
    return answered;
  });
}

interface AskedQuestion {
  readonly fact: number;
  readonly ordinal: number;
  readonly said: string | null;
}

function questionsOf(statements: KnowledgeStatements, run: string, step: string): AskedQuestion[] {
  return statements.questionsOfStep.all(run, step).map((row) => ({
    fact: integerOf(row, "fact"),
    ordinal: integerOf(row, "ordinal"),
    said: row["said"] === null ? null : textColumn(row, "said"),
  }));
}

/** Inside a transaction. The help of a merged fact counts for the fact that it was merged into. */
export function countHelp(
  statements: KnowledgeStatements,
  run: string,
  step: string,
  facts: readonly GivenFact[],
): number {
  if (Number(statements.insertHelp.run(run, step).changes) === 0) return 0;
  const helped = new Set<number>();
  for (const { id, said } of facts) {
    const row = statements.factById.get(id);
    if (row === undefined) continue;
    const { mergedInto, factText } = storedFactOf(row);
    if (factMarkOf(factText.text) === said) helped.add(mergedInto ?? integerOf(row, "number"));
  }
  for (const number of helped) statements.help.run(1, number);
  return helped.size;
}
