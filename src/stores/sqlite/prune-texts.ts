import { nameOfEmptied } from "../../audit/check-rows.ts";
import { namesIn } from "../names-in.ts";
import type { PruningDoors } from "./prune-runs.ts";
import { hashOf, integerOf, type Row, textOf } from "./rows.ts";
import type { Statements } from "./statements.ts";
import { bytes } from "./store-commit.ts";

const PAGE = 500;

/**
 * Empties the texts that nothing names any more, whichever prune has left them behind: one that was killed on its way,
 * or one of a Baton that kept them all. Returns how many.
 *
 * Which ones are named is read beside the work of others. Whoever empties some looks at what was appended since in the
 * same transaction: entries are only ever appended, and a text is stored in one transaction with the commit that names
 * it. So none is taken away from under a run.
 */
export async function pruneTexts({ read, write }: PruningDoors): Promise<number> {
  const until = await read(({ lastNumbers }) => integerOf(lastNumbers.get() ?? {}, "texts"));
  const named = new NamedTexts();
  let emptied = 0;
  for (let after = 0; ;) {
    while (await read((statements) => named.readPage(statements)));
    const rows = await read(({ keptTexts }) => keptTexts.all(after, until, PAGE));
    const unnamed = rows.filter((row) => !named.has(hashOf(row, "hash")));
    if (unnamed.length > 0) emptied += await write((statements) => emptyTexts(statements, unnamed, named));
    const last = rows.at(-1);
    if (last === undefined) return emptied;
    after = integerOf(last, "number");
  }
}

/** Names of texts that stand in entries, up to a position. */
class NamedTexts {
  readonly #names = new Set<string>();
  #position = 0;

  has(hash: string): boolean {
    return this.#names.has(short(hash));
  }

  /** The next entries; false when there are no more. */
  readPage({ namingEntries }: Statements): boolean {
    const rows = namingEntries.all(this.#position, PAGE);
    for (const row of rows) for (const name of namesIn(textOf(row, "data"))) this.#names.add(short(name));
    this.#position = integerOf(rows.at(-1) ?? { position: this.#position }, "position");
    return rows.length === PAGE;
  }

  /** What names texts in this moment and was not read yet. It is not remembered: this transaction may be undone. */
  namedSince({ namingEntries, namingOthers }: Statements): ReadonlySet<string> {
    const entries = namingEntries.all(this.#position, -1);
    return new Set([...entries, ...namingOthers.all()].flatMap((row) => namesIn(textOf(row, "data"))));
  }
}

/** A name as few bytes of its own: a part of a text would hold all of it in memory. */
function short(hash: string): string {
  return Buffer.from(hash, "hex").toString("latin1");
}

/** Inside a transaction. Another process may have emptied some of them meanwhile: a row says so itself. */
function emptyTexts(statements: Statements, unnamed: readonly Row[], named: NamedTexts): number {
  const since = named.namedSince(statements);
  let emptied = 0;
  for (const row of unnamed) {
    const hash = hashOf(row, "hash");
    if (since.has(hash)) continue;
    const number = integerOf(row, "number");
    emptied += Number(statements.emptyText.run(bytes(nameOfEmptied(number)), number, bytes(hash)).changes);
  }
  statements.countPrunedTexts.run(emptied);
  return emptied;
}
