import { hashOfText } from "../../audit/hash-chain.ts";
import type { KnowledgeCheck, KnowledgeHead } from "../../ports/knowledge-store.ts";
import type { NoSigner, Signer } from "../../ports/log-signer.ts";
import { headOfSeal, type KeptSeal, sealAfter, type SealedChange, sealOf, SealWalk } from "../knowledge/seals.ts";
import { integerOf, type Row } from "../sqlite/rows.ts";
import type { DraftTable } from "./draft-table.ts";
import type { FactDraft, Ledger } from "./fact-draft.ts";
import { type Bind, BoundValues, type KnowledgeDatabase } from "./knowledge-database.ts";
import { storedForm } from "./tables.ts";

interface SealedRows {
  readonly what: string;
  readonly key: readonly string[];
  /** All columns but the key and those that only serve to find the row. */
  readonly columns: readonly string[];
}

/** The tables whose rows are sealed. What is made from them for searching is not. */
const SEALED: Readonly<Record<"facts" | "witnesses" | "lessons" | "history", SealedRows>> = {
  facts: {
    what: "fact",
    key: ["number"],
    columns:
      "id kind status statement is_negative merged_into is_edited learned_at witnesses repeats helped tokens body".split(
        " ",
      ),
  },
  witnesses: { what: "witness", key: ["fact", "ordinal"], columns: ["lesson", "place", "said", "is_repeat"] },
  lessons: { what: "lesson", key: ["number"], columns: ["run", "task", "step", "agent", "handoff", "at"] },
  history: { what: "record", key: ["number"], columns: ["fact", "at", "by", "what", "why", "other", "before"] },
};

function sealedKey({ what, key }: SealedRows, row: Row): string {
  return [what, ...key.map((column) => integerOf(row, column))].join(" ");
}

function sealedHash({ columns }: SealedRows, row: Row): string {
  return hashOfText(JSON.stringify(columns.map((column) => sealedValue(row[column]))));
}

/** As the database gives it back. */
function sealedValue(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex").toUpperCase();
  return typeof value === "string" ? storedForm(value) : value;
}

/** Every sealed row that the transaction changes, before and after, in the order of the keys. */
function changesOf(draft: FactDraft): SealedChange[] {
  const { facts, witnesses, lessons, history } = draft;
  const tables: Readonly<Record<keyof typeof SEALED, DraftTable>> = { facts, witnesses, lessons, history };
  return Object.entries(SEALED)
    .flatMap(([name, sealed]) =>
      tables[name as keyof typeof SEALED].changes().map(({ before, now }) => ({
        key: sealedKey(sealed, now ?? before ?? {}),
        before: before === null ? null : sealedHash(sealed, before),
        after: now === null ? null : sealedHash(sealed, now),
      })),
    )
    .filter(({ before, after }) => before !== after)
    .sort((left, right) => (left.key < right.key ? -1 : 1));
}

/**
 * Seals what the transaction changes. A row that something else than Baton has changed before stays altered: what was
 * there before the change is not what the last seal says.
 */
export function sealDraft(draft: FactDraft, signer: Signer | NoSigner): KeptSeal | null {
  const changes = changesOf(draft);
  return changes.length === 0 ? null : nextSeal(draft.ledger, { isWhole: false, changes }, signer);
}

/** Seals everything that there is, as it is. The ledger is stored by the caller. */
export async function sealEverything(
  database: KnowledgeDatabase,
  ledger: Ledger,
  signer: Signer | NoSigner,
): Promise<KnowledgeHead> {
  const rows = await sealedRows(database);
  const changes = [...rows].map(([key, after]) => ({ key, before: null, after }));
  const seal = nextSeal(ledger, { isWhole: true, changes }, signer);
  const { values, bind } = new BoundValues();
  await database.queries.change(insertSeal(database.prefix, seal, bind), values);
  return headOfSeal(seal);
}

/** The ledger knows it from then on. */
function nextSeal(
  ledger: Ledger,
  content: { readonly isWhole: boolean; readonly changes: readonly SealedChange[] },
  signer: Signer | NoSigner,
): KeptSeal {
  const last = ledger.digest === null ? null : { number: ledger.seals, digest: ledger.digest };
  const seal = sealAfter(last, content, signer);
  const { number, digest } = headOfSeal(seal);
  Object.assign(ledger, { seals: number, digest });
  return seal;
}

export function insertSeal(prefix: string, { number, body, signature }: KeptSeal, bind: Bind): string {
  const row = [bind(number, "bigint"), bind(body, "text"), bind(signature, "text")];
  return `INSERT INTO ${prefix}seals (number, body, signature) VALUES (${row.join(", ")})`;
}

const SEALS_AT_ONCE = 200;

/** Within one state of the database. */
export async function checkPostgresSeals(
  database: KnowledgeDatabase,
  keys: readonly string[],
  seen: KnowledgeHead | null,
): Promise<KnowledgeCheck> {
  const { queries, prefix } = database;
  const walk = new SealWalk(keys, seen);
  const sql = `SELECT number, body, signature FROM ${prefix}seals WHERE number > $1 ORDER BY number LIMIT ${SEALS_AT_ONCE}`;
  for (let after = 0; ;) {
    const page = (await queries.all(sql, [after])).map(sealOf);
    for (const seal of page) walk.take(seal);
    after = page.at(-1)?.number ?? after;
    if (page.length < SEALS_AT_ONCE) break;
  }
  return walk.compare(await sealedRows(database), new Set());
}

const ROWS_AT_ONCE = 2_000;

/** Every sealed row by the hash of its text. */
async function sealedRows({ queries, prefix }: KnowledgeDatabase): Promise<Map<string, string>> {
  const hashes = new Map<string, string>();
  for (const [name, sealed] of Object.entries(SEALED)) {
    const key = sealed.key.join(", ");
    const after = sealed.key.map((_, at) => `$${at + 1}`).join(", ");
    const sql = `SELECT ${[...sealed.key, ...sealed.columns].join(", ")} FROM ${prefix}${name}
      WHERE (${key}) > (${after}) ORDER BY ${key} LIMIT ${ROWS_AT_ONCE}`;
    for (let last = sealed.key.map(() => -1); ;) {
      const rows = await queries.all(sql, last);
      for (const row of rows) hashes.set(sealedKey(sealed, row), sealedHash(sealed, row));
      const end = rows.at(-1);
      if (end === undefined || rows.length < ROWS_AT_ONCE) break;
      last = sealed.key.map((column) => integerOf(end, column));
    }
  }
  return hashes;
}
