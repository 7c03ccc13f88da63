import { StoreError } from "../../ports/event-log.ts";
import { breakAt, type ChainBreak, type ChainHead, EMPTY_CHAIN } from "../../audit/hash-chain.ts";
import { checkedEntryOf, integerOf, type Row, textOf } from "./rows.ts";
import type { Statements } from "./statements.ts";

const BATCH = 500;

/** In batches, so that a log of any size needs little memory and other work goes on in between. */
export async function findBreak(
  read: <T>(reading: (statements: Statements) => T) => Promise<T>,
): Promise<ChainBreak | null> {
  let previous = EMPTY_CHAIN;
  for (;;) {
    const after = previous.position;
    const rows = await read(({ checkedEntries }) => checkedEntries.all(after, BATCH));
    for (const row of rows) {
      const checked = checkRow(previous, row);
      if ("message" in checked) return checked;
      previous = checked;
    }
    if (rows.length < BATCH) break;
    await new Promise((resolve) => setImmediate(resolve));
  }
  return read((statements) => findShortenedRun(statements, previous.position));
}

function checkRow(previous: ChainHead, row: Row): ChainHead | ChainBreak {
  try {
    const entry = checkedEntryOf(row);
    return breakAt(previous, entry) ?? entry;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return { position: previous.position + 1, message: error.message };
  }
}

/** A chain whose end was cut off is whole in itself, but runs still know how long they were. */
function findShortenedRun(statements: Statements, position: number): ChainBreak | null {
  const row = statements.shortenedRun.get();
  if (row === undefined) return null;
  const message = `run ${textOf(row, "run")} should have ${integerOf(row, "sequence")} entries: some are missing`;
  return { position, message };
}
