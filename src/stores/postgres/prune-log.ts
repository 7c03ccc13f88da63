import { hashOfPrunedText } from "../../audit/hash-chain.ts";
import type { JustPruned } from "../../audit/plan-checkpoint.ts";
import { bytesOfHash, namesIn } from "../stored-hashes.ts";
import type { Queries, PostgresRow } from "./connection.ts";
import { hashOf, numberOf, textIn } from "./log-rows.ts";
import { lockRegister } from "./lock-runs.ts";
import { appendToRegister } from "./store-group.ts";

/** How pruning reads and writes. */
export interface PruningDoors {
  readonly schema: string;
  readonly queries: Queries;
  transact<T>(work: (queries: Queries) => Promise<T>): Promise<T>;
  /** Signs, in the transaction that empties: pruned data without a signature look like tampering. */
  confirm(queries: Queries, pruned: JustPruned): Promise<void>;
}

const PRUNED_AT_ONCE = 50;

/** A few runs at a time, without waiting for runs that others write to. */
export async function pruneRuns(
  doors: PruningDoors,
  before: number,
): Promise<{ readonly runs: number; readonly entries: number }> {
  let runs = 0;
  let entries = 0;
  for (;;) {
    const emptied = await doors.transact((queries) => emptyRuns(doors, queries, before));
    if (emptied.runs === 0) return { runs, entries };
    runs += emptied.runs;
    entries += emptied.entries;
  }
}

async function emptyRuns(
  doors: PruningDoors,
  queries: Queries,
  before: number,
): Promise<{ readonly runs: number; readonly entries: number }> {
  const { schema } = doors;
  const rows = await queries.all(
    `SELECT number, run, emptied, sequence FROM ${schema}.runs WHERE prunable_at < $1
      ORDER BY prunable_at, number LIMIT ${PRUNED_AT_ONCE} FOR UPDATE SKIP LOCKED`,
    [before],
  );
  if (rows.length === 0) return { runs: 0, entries: 0 };
  const runs = rows
    .sort((one, other) => numberOf(one, "number") - numberOf(other, "number"))
    .map((row) => ({ run: textIn(row, "run"), from: numberOf(row, "emptied"), through: numberOf(row, "sequence") }));
  await appendToRegister(queries, schema, { kind: "pruned", runs });
  const numbers = [rows.map((row) => numberOf(row, "number"))];
  const entries = await queries.change(
    `UPDATE ${schema}.entries SET data = NULL WHERE run = ANY($1::bigint[]) AND data IS NOT NULL`,
    numbers,
  );
  await queries.change(
    `UPDATE ${schema}.runs SET emptied = sequence, prunable_at = NULL WHERE number = ANY($1::bigint[])`,
    numbers,
  );
  await queries.change(`UPDATE ${schema}.ledger SET pruned = pruned + $1 WHERE one = 1`, [entries]);
  await doors.confirm(queries, { entries, texts: 0 });
  return { runs: rows.length, entries };
}

const PAGE = 500;

/**
 * Empties all texts that nothing names any more. Names are read while others write; the transaction that empties locks
 * the texts first and then reads what was added since: a writer that needs one of them has either stored its entry by
 * then, or waits, and stores the text again.
 */
export async function pruneTexts(doors: PruningDoors): Promise<number> {
  const { schema, queries } = doors;
  const [last = {}] = await queries.all(`SELECT coalesce(max(number), 0) AS number FROM ${schema}.texts`);
  const until = numberOf(last, "number");
  const named = new NamedTexts(schema);
  let emptied = 0;
  for (let after = 0; ;) {
    while (await named.readPage(queries));
    const rows = await queries.all(
      `SELECT number, hash FROM ${schema}.texts WHERE number > $1 AND number <= $2 AND length(body) > 0
        ORDER BY number LIMIT ${PAGE}`,
      [after, until],
    );
    const unnamed = rows.filter((row) => !named.has(hashOf(row, "hash")));
    if (unnamed.length > 0)
      emptied += await doors.transact(async (inside) => {
        const count = await emptyTexts(inside, schema, unnamed, named);
        if (count > 0) await doors.confirm(inside, { entries: 0, texts: count });
        return count;
      });
    const next = rows.at(-1);
    if (next === undefined) return emptied;
    after = numberOf(next, "number");
  }
}

/** Hashes of texts that entries refer to, up to a position below which nothing is added any more. */
class NamedTexts {
  readonly #schema: string;
  readonly #names = new Set<string>();
  #position = 0;

  constructor(schema: string) {
    this.#schema = schema;
  }

  has(hash: string): boolean {
    return this.#names.has(short(hash));
  }

  /** Reads the next entries; false when there are no more. */
  async readPage(queries: Queries): Promise<boolean> {
    const [settled = {}] = await queries.all(`SELECT ${this.#schema}.settled_position() AS position`);
    const rows = await queries.all(
      `SELECT position, data FROM ${this.#schema}.entries WHERE position > $1 AND position <= $2 AND data IS NOT NULL
        ORDER BY position LIMIT ${PAGE}`,
      [this.#position, numberOf(settled, "position")],
    );
    for (const row of rows) for (const name of namesIn(textIn(row, "data"))) this.#names.add(short(name));
    this.#position = numberOf(rows.at(-1) ?? { position: this.#position }, "position");
    return rows.length === PAGE;
  }

  /** Names that were added since. They are not remembered, because the transaction may be rolled back. */
  async namedSince(queries: Queries): Promise<ReadonlySet<string>> {
    const rows = await queries.all(
      `SELECT data FROM ${this.#schema}.entries WHERE position > $1 AND data IS NOT NULL
        UNION ALL SELECT data FROM ${this.#schema}.effects
        UNION ALL SELECT input FROM ${this.#schema}.letters WHERE input IS NOT NULL`,
      [this.#position],
    );
    return new Set(rows.flatMap((row) => namesIn(textIn(row, "data"))));
  }
}

/** A short copy of the hash: a substring would keep the whole entry in memory. */
function short(hash: string): string {
  return Buffer.from(hash, "hex").toString("latin1");
}

async function emptyTexts(
  queries: Queries,
  schema: string,
  unnamed: readonly PostgresRow[],
  named: NamedTexts,
): Promise<number> {
  await lockRegister(queries, schema);
  await queries.all(`SELECT 1 FROM ${schema}.texts WHERE number = ANY($1::bigint[]) ORDER BY hash FOR UPDATE`, [
    unnamed.map((row) => numberOf(row, "number")),
  ]);
  const since = await named.namedSince(queries);
  const rows = unnamed.filter((row) => !since.has(hashOf(row, "hash")));
  if (rows.length === 0) return 0;
  const numbers = rows.map((row) => numberOf(row, "number"));
  const emptied = await queries.change(
    `UPDATE ${schema}.texts AS t SET hash = p.pruned, body = ''
      FROM unnest($1::bigint[], $2::bytea[], $3::bytea[]) AS p (number, hash, pruned)
      WHERE t.number = p.number AND t.hash = p.hash`,
    [
      numbers,
      rows.map((row) => bytesOfHash(hashOf(row, "hash"))),
      numbers.map((number) => bytesOfHash(hashOfPrunedText(number))),
    ],
  );
  await queries.change(`UPDATE ${schema}.ledger SET pruned_texts = pruned_texts + $1 WHERE one = 1`, [emptied]);
  return emptied;
}
