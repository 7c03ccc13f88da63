import type { Fact } from "../../knowledge/fact.ts";
import { StoreError } from "../../ports/event-log.ts";
import type { FactChange } from "../../ports/knowledge-store.ts";
import { integerOf } from "../sqlite/rows.ts";
import { factWithId, loadFact, loadFacts, type StoredFact, storedFact } from "./fact-rows.ts";
import { citedAt, enrich, normalTags, type Saying, statementIn } from "./saying.ts";
import type { Statements } from "./statements.ts";
import {
  findStatement,
  linkOpposite,
  type NewRecord,
  record,
  updateFact,
  writeFacts,
  type Writing,
} from "./write-fact.ts";

/** Inside a transaction. Refuses before the first write. */
export function changeFact(statements: Statements, change: FactChange): Fact {
  const fact = factWithId(statements, change.id);
  refuseMerged(statements, fact);
  writeFacts(statements, (writing) => applyChange(writing, fact, change));
  return loadFact(statements, fact.number);
}

function applyChange(writing: Writing, fact: StoredFact, change: FactChange): void {
  const { statements } = writing;
  const keep = (before: NewRecord["before"]): void => record(statements, fact.number, recordOf(change, before));
  switch (change.kind) {
    case "promote":
    case "confirm":
      return keep(updateFact(writing, fact, { status: "trusted" }));
    case "retire":
      return keep(updateFact(writing, fact, { status: "retired" }));
    case "cite":
      return keep(updateFact(writing, fact, { saying: citedAt(fact.saying, change.citation) }));
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

/** Another text may be another statement: it must be nobody else's, and what opposes it is found again. */
function editFact(writing: Writing, fact: StoredFact, fields: EditedFields): NewRecord["before"] {
  const { statements } = writing;
  const saying = editedSaying(fact.saying, fields);
  if (saying.text.trim() === "") throw new StoreError("wrong-change", `${fact.id} cannot be without a text`);
  const statement = statementIn(fact.kind, saying.text);
  if (statement.hash.equals(fact.statement) && statement.isNegative === fact.isNegative) {
    return updateFact(writing, fact, { saying, isEdited: true });
  }
  const other = findStatement(statements, statement);
  if (other !== null && other.number !== fact.number) {
    throw new StoreError("wrong-change", `${other.id} says this already: merge ${fact.id} into it instead`);
  }
  for (const opposite of oppositesOf(statements, fact.number)) unlink(statements, fact.number, opposite);
  const before = updateFact(writing, fact, { saying, statement, isEdited: true });
  linkOpposite(statements, fact.number, statement);
  return before;
}

function editedSaying(saying: Saying, fields: EditedFields): Saying {
  const { text = saying.text, detail = saying.detail, severity = saying.severity, tags } = fields;
  return { ...saying, text, detail, severity, tags: tags === undefined ? saying.tags : normalTags(tags) };
}

/** One hop, always: what went on as this one goes on as the other one, too. */
function mergeFact(writing: Writing, fact: StoredFact, change: Extract<FactChange, { kind: "merge" }>): void {
  const { statements } = writing;
  const into = factWithId(statements, change.into);
  if (into.number === fact.number) throw new StoreError("wrong-change", `${fact.id} cannot be merged into itself`);
  refuseMerged(statements, into);

  const [whole] = loadFacts(statements, [fact.number]);
  statements.moveWitnesses.run(into.number, into.witnesses, fact.number);
  statements.countWitness.run(fact.witnesses, into.number);
  statements.countWitness.run(-fact.witnesses, fact.number);
  statements.help.run(fact.helped, into.number);
  moveOpposites(statements, fact.number, into.number);
  updateFact(writing, fact, { status: "retired", mergedInto: into.number });
  statements.followMerge.run(into.number, fact.number);

  const isTaken = into.status === "quarantined" || (into.status === "trusted" && fact.status === "trusted");
  const saying = isTaken && !into.isEdited ? enrich(into.saying, fact.saying) : into.saying;
  const before = updateFact(writing, into, { saying });
  const lost = { status: fact.status, witnesses: whole?.witnesses ?? [], opposes: whole?.opposes ?? [] };
  record(statements, fact.number, { ...recordOf(change, lost), other: into.number });
  record(statements, into.number, { ...recordOf(change, before), other: fact.number });
}

function refuseMerged(statements: Statements, fact: StoredFact): void {
  if (fact.mergedInto === null) return;
  const { id } = storedFact(statements, fact.mergedInto);
  throw new StoreError("wrong-change", `${fact.id} was merged into ${id}, and goes on as that one: change ${id}`);
}

function moveOpposites(statements: Statements, from: number, to: number): void {
  for (const other of oppositesOf(statements, from)) {
    unlink(statements, from, other);
    if (other === to) continue;
    statements.oppose.run(to, other);
    statements.oppose.run(other, to);
  }
}

function oppositesOf(statements: Statements, fact: number): number[] {
  return statements.opposites.all(fact).map((row) => integerOf(row, "other"));
}

function unlink(statements: Statements, fact: number, other: number): void {
  statements.reconcile.run(fact, other);
  statements.reconcile.run(other, fact);
}
