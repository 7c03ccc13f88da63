import type { FactKind } from "../../knowledge/fact.ts";
import type { AnsweredStep, FactChange, LearnedBatch } from "../../ports/knowledge-store.ts";
import type { GivenFact } from "../../workflow/attempt-record.ts";
import { statementKeyOf } from "../knowledge/fact-text.ts";
import { factId } from "../knowledge/write-fact.ts";
import { integerOf, type Row } from "../sqlite/rows.ts";
import type { FactDraft } from "./fact-draft.ts";
import type { KnowledgeDatabase } from "./knowledge-database.ts";
import { factSql, loadPostgresFact } from "./read-facts.ts";
import { keyOf } from "./tables.ts";

/** Each loads what one kind of change decides on, in its transaction. */

function loadSql(t: string) {
  return {
    ...factSql(t),
    byStatement: `
      SELECT * FROM ${t}facts WHERE statement = ANY($1::bytea[]) AND merged_into IS NULL
      UNION ALL SELECT * FROM ${t}facts WHERE statement = ANY($1::bytea[]) AND merged_into IS NOT NULL
      UNION ALL SELECT f.* FROM ${t}facts m JOIN ${t}facts f ON f.number = m.merged_into
        WHERE m.statement = ANY($1::bytea[]) AND m.merged_into IS NOT NULL`,
    mergedFrom: `SELECT * FROM ${t}facts WHERE merged_into = $1`,
    numbering: `SELECT * FROM ${t}numbering`,
    lesson: `SELECT * FROM ${t}lessons WHERE key = $1`,
    lessonsOfStep: `SELECT * FROM ${t}lessons WHERE step_key = $1 ORDER BY number`,
    task: `SELECT * FROM ${t}tasks WHERE key = $1`,
    dependencies: `SELECT * FROM ${t}dependencies WHERE task_key = $1`,
    witnessesOfLessons: `SELECT * FROM ${t}witnesses WHERE lesson = ANY($1::bigint[])`,
    witnessesOfFact: `SELECT * FROM ${t}witnesses WHERE fact = $1 ORDER BY ordinal`,
    opposed: `SELECT * FROM ${t}opposites WHERE fact = $1
      UNION ALL SELECT * FROM ${t}opposites WHERE other = $1`,
    answered: `SELECT h.fact FROM unnest($1::bigint[]) k (fact) CROSS JOIN LATERAL (SELECT fact FROM ${t}history
      WHERE fact = k.fact AND at = $2 AND by = $3 AND what = 'answered' LIMIT 1) h`,
    helpedStep: `SELECT * FROM ${t}helped_steps WHERE key = $1`,
  };
}

export async function loadLearning(database: KnowledgeDatabase, draft: FactDraft, batch: LearnedBatch): Promise<void> {
  const { queries, prefix } = database;
  const sql = loadSql(prefix);
  const { run, step, handoff } = batch.source;
  const lessons = await queries.all(sql.lesson, [keyOf(run, step, handoff)]);
  draft.lessons.load(lessons);
  if (lessons.length > 0) draft.witnesses.load(await queries.all(sql.witnessesOfLessons, [numbersIn(lessons)]));
  const task = keyOf(run, batch.task.id);
  draft.tasks.load(await queries.all(sql.task, [task]));
  if (draft.tasks.rows().length > 0) draft.dependencies.load(await queries.all(sql.dependencies, [task]));
  if (batch.facts.length === 0) return;
  const statements = batch.facts.map(({ kind, text }) => statementKeyOf(kind, text).hash);
  draft.loadFacts(await queries.all(sql.byStatement, [statements]));
  draft.numbering.load(await queries.all(sql.numbering));
  await loadIds(database, draft, batch);
}

/** The facts that have one of the ids which the new ones could get. */
async function loadIds({ queries, prefix }: KnowledgeDatabase, draft: FactDraft, batch: LearnedBatch): Promise<void> {
  const kinds = new Map<FactKind, number>();
  for (const { kind } of batch.facts) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  const asked = new Set<string>();
  let ids = batch.facts.flatMap(({ id }) => id ?? []);
  for (;;) {
    for (const id of ids) asked.add(id);
    ids = [...ids, ...[...kinds].flatMap(([kind, count]) => moreIds(draft, kind, count, asked))];
    if (ids.length === 0) return;
    for (const id of ids) asked.add(id);
    draft.loadFacts(await queries.all(factSql(prefix).factsById, [ids]));
    ids = [];
  }
}

/**
 * The next ids of a kind that were not asked for yet; none when twice as many as there are facts are free: the facts
 * themselves may wish for some of them.
 */
function moreIds(draft: FactDraft, kind: FactKind, count: number, asked: ReadonlySet<string>): string[] {
  let next = draft.lastNumber(kind) + 1;
  let free = 0;
  for (; asked.has(factId(kind, next)); next++) if (draft.factById(factId(kind, next)) === null) free++;
  return Array.from({ length: Math.max(0, 2 * count - free) }, (_, at) => factId(kind, next + at));
}

export async function loadStep(
  database: KnowledgeDatabase,
  draft: FactDraft,
  run: string,
  step: string,
): Promise<void> {
  const { queries, prefix } = database;
  const sql = loadSql(prefix);
  const lessons = await queries.all(sql.lessonsOfStep, [keyOf(run, step)]);
  draft.lessons.load(lessons);
  const said = await queries.all(sql.witnessesOfLessons, [numbersIn(lessons)]);
  draft.witnesses.load(said);
  draft.loadFacts(await queries.all(sql.facts, [said.map((row) => integerOf(row, "fact"))]));
}

export async function loadAnswer(database: KnowledgeDatabase, draft: FactDraft, answered: AnsweredStep): Promise<void> {
  const { queries, prefix } = database;
  await loadStep(database, draft, answered.run, answered.step);
  const numbers = numbersIn(draft.facts.rows());
  const before = await queries.all(loadSql(prefix).answered, [numbers, answered.at, answered.by]);
  for (const row of before) draft.answered.add(integerOf(row, "fact"));
}

export async function loadHelp(
  { queries, prefix }: KnowledgeDatabase,
  draft: FactDraft,
  { run, step, facts }: { readonly run: string; readonly step: string; readonly facts: readonly GivenFact[] },
): Promise<void> {
  const sql = loadSql(prefix);
  draft.helpedSteps.load(await queries.all(sql.helpedStep, [keyOf(run, step)]));
  draft.loadFacts(await queries.all(sql.factsById, [facts.map(({ id }) => id)]));
  await loadMergedInto({ queries, prefix }, draft);
}

export async function loadChange(database: KnowledgeDatabase, draft: FactDraft, change: FactChange): Promise<void> {
  const { queries, prefix } = database;
  const sql = loadSql(prefix);
  const ids = change.kind === "merge" ? [change.id, change.into] : [change.id];
  draft.loadFacts(await queries.all(sql.factsById, [ids]));
  await loadMergedInto(database, draft);
  const fact = draft.factById(change.id);
  if (fact === null) return;
  if (change.kind !== "edit" && change.kind !== "merge") return;
  draft.opposed.load(await queries.all(sql.opposed, [fact.number]));
  if (change.kind === "edit") {
    const { hash } = statementKeyOf(fact.kind, change.fields.text ?? fact.factText.text);
    draft.loadFacts(await queries.all(sql.byStatement, [[hash]]));
    return;
  }
  draft.witnesses.load(await queries.all(sql.witnessesOfFact, [fact.number]));
  draft.loadFacts(await queries.all(sql.mergedFrom, [fact.number]));
  draft.wholeFacts.set(fact.number, await loadPostgresFact(database, fact.number));
}

async function loadMergedInto({ queries, prefix }: KnowledgeDatabase, draft: FactDraft): Promise<void> {
  const merged = draft.facts.rows().filter((row) => row["merged_into"] !== null);
  if (merged.length === 0) return;
  draft.loadFacts(await queries.all(factSql(prefix).facts, [merged.map((row) => integerOf(row, "merged_into"))]));
}

function numbersIn(rows: readonly Row[]): number[] {
  return rows.map((row) => integerOf(row, "number"));
}
