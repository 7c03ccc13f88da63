import type { KnowledgeHead } from "../../ports/knowledge-store.ts";
import type { NoSigner, Signer } from "../../ports/log-signer.ts";
import { columnOrNull, integerOf, textColumn } from "../sqlite/rows.ts";
import { StoreError } from "../../ports/event-log.ts";
import { headOfSeal } from "../knowledge/seals.ts";
import type { DraftTable } from "./draft-table.ts";
import type { FactDraft, Ledger } from "./fact-draft.ts";
import { type Bind, BoundValues, type KnowledgeDatabase } from "./knowledge-database.ts";
import { insertSeal, sealDraft } from "./sealed-rows.ts";

/** The first statement of every transaction that changes anything: one writer at a time. */
export async function lockLedger({ queries, prefix }: KnowledgeDatabase): Promise<Ledger> {
  const sql = `SELECT facts, lessons, records, seals, digest FROM ${prefix}ledger WHERE one FOR UPDATE`;
  const [row] = await queries.all(sql);
  if (row === undefined) throw new StoreError("damaged", "the ledger of the knowledge is empty");
  return {
    facts: integerOf(row, "facts"),
    lessons: integerOf(row, "lessons"),
    records: integerOf(row, "records"),
    seals: integerOf(row, "seals"),
    digest: columnOrNull(textColumn, row, "digest"),
  };
}

export async function storeLedger({ queries, prefix }: KnowledgeDatabase, ledger: Ledger): Promise<void> {
  const { values, bind } = new BoundValues();
  await queries.change(updateLedger(prefix, ledger, bind), values);
}

function updateLedger(prefix: string, { facts, lessons, records, seals, digest }: Ledger, bind: Bind): string {
  const numbers = Object.entries({ facts, lessons, records, seals });
  const set = numbers.map(([name, value]) => `${name} = ${bind(value, "bigint")}`);
  return `UPDATE ${prefix}ledger SET ${set.join(", ")}, digest = ${bind(digest, "text")} WHERE one`;
}

/**
 * Stores everything that was changed, and its seal, in one statement: references between its rows are looked at when it
 * ends. Returns the seal; null when nothing that is sealed was changed.
 */
export async function storeDraft(
  { queries, prefix }: KnowledgeDatabase,
  draft: FactDraft,
  signer: Signer | NoSigner,
): Promise<KnowledgeHead | null> {
  const { values, bind } = new BoundValues();
  const changes = tablesOf(draft).flatMap((table) => table.statements(prefix, bind));
  if (changes.length === 0) return null;
  const counts = draft.tokenCounts.changed();
  const seal = sealDraft(draft, signer);
  const statements = [
    ...changes,
    ...(counts.length === 0 ? [] : [addCounts(prefix, counts, bind)]),
    ...(seal === null ? [] : [insertSeal(prefix, seal, bind)]),
    updateLedger(prefix, draft.ledger, bind),
  ];
  const named = statements.map((statement, at) => `s${at} AS (${statement})`);
  await queries.all(`WITH ${named.join(", ")} SELECT`, values);
  return seal === null ? null : headOfSeal(seal);
}

function tablesOf(draft: FactDraft): DraftTable[] {
  const { facts, lessons, witnesses, history, opposed, files } = draft;
  const { tasks, dependencies, touches, helpedSteps, numbering } = draft;
  return [facts, lessons, witnesses, history, opposed, files, tasks, dependencies, touches, helpedSteps, numbering];
}

function addCounts(prefix: string, counts: readonly (readonly [token: string, count: number])[], bind: Bind): string {
  const tokens = bind(
    counts.map(([token]) => token),
    "text[]",
  );
  const added = bind(
    counts.map(([, count]) => count),
    "bigint[]",
  );
  return `INSERT INTO ${prefix}tokens AS known (token, facts) SELECT * FROM unnest(${tokens}, ${added})
    ON CONFLICT (token) DO UPDATE SET facts = known.facts + excluded.facts`;
}
