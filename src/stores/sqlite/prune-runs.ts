import { integerOf } from "./rows.ts";
import type { Statements } from "./statements.ts";

/** How a log is read and written by whoever prunes it. Each write is a transaction, and may be done twice. */
export interface PruningDoors {
  readonly read: <T>(read: (statements: Statements) => T) => Promise<T>;
  readonly write: <T>(write: (statements: Statements) => T) => Promise<T>;
}

const PRUNED_AT_ONCE = 50;

/** A few at a time: a transaction over years of runs would keep everybody waiting. */
export async function pruneRuns(
  { write }: PruningDoors,
  before: number,
): Promise<{ readonly runs: number; readonly entries: number }> {
  let runs = 0;
  let entries = 0;
  for (;;) {
    const emptied = await write((statements) => emptyRuns(statements, before));
    if (emptied.length === 0) return { runs, entries };
    runs += emptied.length;
    for (const count of emptied) entries += count;
  }
}

/** How many entries were emptied, run by run. */
function emptyRuns(statements: Statements, before: number): number[] {
  return statements.prunableRuns.all(before, PRUNED_AT_ONCE).map((row) => {
    const run = integerOf(row, "number");
    const { changes } = statements.emptyEntries.run(run);
    statements.markEmptied.run(run);
    statements.countPruned.run(changes);
    return Number(changes);
  });
}
