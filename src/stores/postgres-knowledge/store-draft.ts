import type { KnowledgeHead } from "../../ports/knowledge-store.ts";
import type { NoSigner, Signer } from "../../ports/log-signer.ts";
import { columnOrNull, integerOf, textColumn } from "../sqlite/rows.ts";
import { StoreError } from "../../ports/event-log.ts";
import type { FactDraft, Ledger } from "./fact-draft.ts";
import type { KnowledgeDatabase } from "./knowledge-database.ts";
import { sealDraft } from "./sealed-rows.ts";

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

export async function storeLedger(
  { queries, prefix }: KnowledgeDatabase,
  { facts, lessons, records, seals, digest }: Ledger,
): Promise<void> {
  const sql = `UPDATE ${prefix}ledger SET facts = $1, lessons = $2, records = $3, seals = $4, digest = $5 WHERE one`;
  await queries.change(sql, [facts, lessons, records, seals, digest]);
}

/** Stores what was changed, with its seal. Returns the seal; null when nothing that is sealed was changed. */
export async function storeDraft(
  database: KnowledgeDatabase,
  draft: FactDraft,
  signer: Signer | NoSigner,
): Promise<KnowledgeHead | null> {
  const { queries, prefix } = database;
  const { facts, lessons, witnesses, history, opposed, files } = draft;
  const { tasks, dependencies, touches, helpedSteps, numbering } = draft;
  const tables = [facts, lessons, witnesses, history, opposed, files];
  // The order follows the references between the tables.
  for (const table of [...tables, tasks, dependencies, touches, helpedSteps, numbering])
    await table.store(queries, prefix);
  const counts = draft.tokenCounts.changed();
  if (counts.length > 0) await storeCounts(database, counts);
  const head = await sealDraft(database, draft, signer);
  await storeLedger(database, draft.ledger);
  return head;
}

async function storeCounts(
  { queries, prefix }: KnowledgeDatabase,
  counts: readonly (readonly [token: string, count: number])[],
): Promise<void> {
  const sql = `INSERT INTO ${prefix}tokens AS known (token, facts) SELECT * FROM unnest($1::text[], $2::bigint[])
    ON CONFLICT (token) DO UPDATE SET facts = known.facts + excluded.facts`;
  await queries.change(sql, [counts.map(([token]) => token), counts.map(([, count]) => count)]);
}
