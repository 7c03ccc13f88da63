import { hashOfText } from "../../audit/hash-chain.ts";
import type { KnowledgeCheck, KnowledgeHead } from "../../ports/knowledge-store.ts";
import type { NoSigner, Signer } from "../../ports/log-signer.ts";
import { columnOrNull, type Row, textColumn } from "../sqlite/rows.ts";
import { headOfSeal, sealAfter, type SealedChange, sealOf, SealWalk } from "./seals.ts";
import type { KnowledgeStatements } from "./statements.ts";

/** Keys of rows that something else than Baton has changed since the last seal. */
export function foreignKeys({ touched }: KnowledgeStatements): ReadonlySet<string> {
  return new Set(touched.all().map((row) => textColumn(row, "key")));
}

/**
 * In the transaction that changes: appends a seal with every row that was changed, before and after. What was changed
 * without Baton before the transaction is left out, and stays out: it is never sealed by the way.
 */
export function sealChanges(
  statements: KnowledgeStatements,
  foreign: ReadonlySet<string>,
  signer: Signer | NoSigner,
): KnowledgeHead | null {
  const rows = statements.touched.all().filter((row) => !foreign.has(textColumn(row, "key")));
  const changes = rows.map((row) => changeOf(statements, row)).filter(({ before, after }) => before !== after);
  for (const row of rows) statements.untouch.run(textColumn(row, "key"));
  return changes.length === 0 ? null : append(statements, { isWhole: false, changes }, signer);
}

/** Seals everything that there is, as it is. */
export function sealAll(
  statements: Pick<KnowledgeStatements, "untouchAll" | "sealedRows" | "lastSeal" | "insertSeal">,
  signer: Signer | NoSigner,
): KnowledgeHead {
  statements.untouchAll.run();
  const changes = statements.sealedRows.all().map((row) => ({
    key: textColumn(row, "key"),
    before: null,
    after: hashOfText(textColumn(row, "row")),
  }));
  return append(statements, { isWhole: true, changes }, signer);
}

function changeOf(statements: KnowledgeStatements, row: Row): SealedChange {
  const key = textColumn(row, "key");
  const before = columnOrNull(textColumn, row, "before");
  const now = statements.sealedRow.get({ key });
  const after = now === undefined ? null : hashOfText(textColumn(now, "row"));
  return { key, before: before === null ? null : hashOfText(before), after };
}

function append(
  { lastSeal, insertSeal }: Pick<KnowledgeStatements, "lastSeal" | "insertSeal">,
  content: { readonly isWhole: boolean; readonly changes: readonly SealedChange[] },
  signer: Signer | NoSigner,
): KnowledgeHead {
  const last = lastSeal.get();
  const seal = sealAfter(last === undefined ? null : headOfSeal(sealOf(last)), content, signer);
  insertSeal.run(seal.number, seal.body, seal.signature);
  return headOfSeal(seal);
}

/** Compares every row with what was sealed, and the seals with each other, their signatures and what was remembered. */
export function checkSeals(
  statements: KnowledgeStatements,
  keys: readonly string[],
  seen: KnowledgeHead | null,
): KnowledgeCheck {
  const walk = new SealWalk(keys, seen);
  for (let after = 0; ;) {
    const page = statements.seals.all(after, PAGE).map(sealOf);
    for (const seal of page) walk.take(seal);
    after = page.at(-1)?.number ?? after;
    if (page.length < PAGE) break;
  }
  const rows = new Map(
    statements.sealedRows.all().map((row) => [textColumn(row, "key"), hashOfText(textColumn(row, "row"))]),
  );
  return walk.compare(rows, foreignKeys(statements));
}

const PAGE = 200;
