import { integerOf, hashOf, type Row, textColumn } from "./rows.ts";
import type { JustPruned } from "../../audit/plan-checkpoint.ts";
import { bytesOfHash, namesIn } from "../stored-hashes.ts";
import { appendToRegister } from "./write-job.ts";
import type { LogStatements } from "./statements.ts";
import { hashOfPrunedText } from "../../audit/hash-chain.ts";
import type { DatabaseSync } from "node:sqlite";
import { type Pruned, StoreError } from "../../ports/event-log.ts";
import { asStoreError, retryWhileLocked } from "./sqlite-error.ts";

/** Reads and writes of a log for pruning. Each write is a transaction, and may run twice. */
export interface PruningDoors {
  readonly read: <T>(read: (statements: LogStatements) => T) => Promise<T>;
  readonly write: <T>(write: (statements: LogStatements) => T) => Promise<T>;
  /** Signs, in the transaction that empties: pruned data without a signature look like tampering. */
  readonly confirm: (statements: LogStatements, pruned: JustPruned) => void;
}

const PRUNED_AT_ONCE = 50;

/** A few runs at a time: one transaction over years of runs would block all other writers. */
export async function pruneRuns(
  { write, confirm }: PruningDoors,
  before: number,
): Promise<{ readonly runs: number; readonly entries: number }> {
  let runs = 0;
  let entries = 0;
  for (;;) {
    const emptied = await write((statements) => {
      const counts = emptyRuns(statements, before);
      const sum = counts.reduce((total, count) => total + count, 0);
      if (counts.length > 0) confirm(statements, { entries: sum, texts: 0 });
      return counts;
    });
    if (emptied.length === 0) return { runs, entries };
    runs += emptied.length;
    for (const count of emptied) entries += count;
  }
}

/** The number of emptied entries for each run. */
function emptyRuns(statements: LogStatements, before: number): number[] {
  const rows = statements.prunableRuns.all(before, PRUNED_AT_ONCE);
  if (rows.length === 0) return [];
  const runs = rows.map((row) => ({
    run: textColumn(row, "run"),
    from: integerOf(row, "emptied"),
    through: integerOf(row, "sequence"),
  }));
  appendToRegister(statements, { kind: "pruned", runs });
  return rows.map((row) => {
    const run = integerOf(row, "number");
    const { changes } = statements.emptyEntries.run(run);
    statements.markEmptied.run(run);
    statements.countPruned.run(changes);
    return Number(changes);
  });
}

const PAGE = 500;

/**
 * Empties all texts without a reference, also those left by an interrupted prune or by an older version. Returns how
 * many.
 *
 * References are read while others write. The transaction that empties texts reads the entries appended since: entries
 * are never removed, and a text is stored in one transaction with the commit that refers to it. So no text is removed
 * that a run needs.
 */
export async function pruneTexts({ read, write, confirm }: PruningDoors): Promise<number> {
  const until = await read(({ lastNumbers }) => integerOf(lastNumbers.get() ?? {}, "texts"));
  const named = new NamedTexts();
  let emptied = 0;
  for (let after = 0; ;) {
    while (await read((statements) => named.readPage(statements)));
    const rows = await read(({ keptTexts }) => keptTexts.all(after, until, PAGE));
    const unnamed = rows.filter((row) => !named.has(hashOf(row, "hash")));
    if (unnamed.length > 0)
      emptied += await write((statements) => {
        const count = emptyTexts(statements, unnamed, named);
        if (count > 0) confirm(statements, { entries: 0, texts: count });
        return count;
      });
    const last = rows.at(-1);
    if (last === undefined) return emptied;
    after = integerOf(last, "number");
  }
}

/** Hashes of texts that entries refer to, up to a position. */
class NamedTexts {
  readonly #names = new Set<string>();
  #position = 0;

  has(hash: string): boolean {
    return this.#names.has(short(hash));
  }

  /** Reads the next entries; false when there are no more. */
  readPage({ namingEntries }: LogStatements): boolean {
    const rows = namingEntries.all(this.#position, PAGE);
    for (const row of rows) for (const name of namesIn(textColumn(row, "data"))) this.#names.add(short(name));
    this.#position = integerOf(rows.at(-1) ?? { position: this.#position }, "position");
    return rows.length === PAGE;
  }

  /** References that were added since. They are not remembered, because the transaction may be rolled back. */
  namedSince({ namingEntries, namingOthers }: LogStatements): ReadonlySet<string> {
    const entries = namingEntries.all(this.#position, -1);
    return new Set([...entries, ...namingOthers.all()].flatMap((row) => namesIn(textColumn(row, "data"))));
  }
}

/** A short copy of the hash: a substring would keep the whole entry in memory. */
function short(hash: string): string {
  return Buffer.from(hash, "hex").toString("latin1");
}

/** Inside a transaction. The statement skips texts that another process has emptied meanwhile. */
function emptyTexts(statements: LogStatements, unnamed: readonly Row[], named: NamedTexts): number {
  const since = named.namedSince(statements);
  let emptied = 0;
  for (const row of unnamed) {
    const hash = hashOf(row, "hash");
    if (since.has(hash)) continue;
    const number = integerOf(row, "number");
    emptied += Number(
      statements.emptyText.run(bytesOfHash(hashOfPrunedText(number)), number, bytesOfHash(hash)).changes,
    );
  }
  statements.countPrunedTexts.run(emptied);
  return emptied;
}

/** Free pages are reused first. With fewer of them it is not worth rewriting the whole file. */
const LEAST_PAGES = 256;
const LEAST_SHARE = 4;

/**
 * Returns the space of pruned data to the file system. Other processes can read meanwhile, and wait to write. Space that
 * cannot be returned, because the disk is full or the file is locked, stays free inside the file.
 */
export async function shrink(
  connection: { readonly database: DatabaseSync },
  lockTimeout: number,
): Promise<Pick<Pruned, "freed" | "unfreed">> {
  const before = pragma(connection.database, "page_count");
  const free = pragma(connection.database, "freelist_count");
  if (free < LEAST_PAGES || free * LEAST_SHARE < before) return { freed: 0, unfreed: null };
  try {
    await retryWhileLocked(() => connection.database.exec("VACUUM"), lockTimeout);
    // The file shrinks when its pages are written back; while others read, that happens later.
    connection.database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  } catch (error) {
    const refusal = asStoreError(error);
    if (!(refusal instanceof StoreError) || refusal.code === "damaged") throw refusal;
    return { freed: 0, unfreed: refusal.message };
  }
  const { database } = connection;
  return { freed: (before - pragma(database, "page_count")) * pragma(database, "page_size"), unfreed: null };
}

function pragma(database: DatabaseSync, name: "page_count" | "freelist_count" | "page_size"): number {
  return Number(database.prepare(`PRAGMA ${name}`).get()?.[name]);
}
