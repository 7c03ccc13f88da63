import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type SQLOutputValue } from "node:sqlite";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { EventLog } from "../../src/ports/event-log.ts";
import { openSqliteLog } from "../../src/stores/sqlite/open-sqlite-log.ts";
import { commitOf, someEntries, startRun } from "./event-log-commits.ts";

const EDITS = Number(process.env["BATON_EDITS"] ?? 1_000);
const ENTRIES = 24;
const COLUMNS = ["data", "at", "kind", "sequence", "run", "position", "data_hash", "hash"] as const;

const folder = mkdtempSync(join(tmpdir(), "baton-tamper-"));
const path = join(folder, "log.db");
let log: EventLog;
let editor: DatabaseSync;

beforeAll(async () => {
  log = openSqliteLog(path);
  for (const run of ["a", "b", "c"]) {
    const lease = await startRun(log, run, ENTRIES / 3 - 4);
    const entries = someEntries(4).map(({ kind, data }) => ({ kind, data: { ...data, text: `of ${run}` } }));
    await log.commit(commitOf(lease, ENTRIES / 3 - 4, { at: 10, entries, finished: run === "c" }));
  }
  await log.prune(11);
  editor = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  editor.exec("PRAGMA synchronous = OFF");
});
afterAll(async () => {
  editor.close();
  await log.close();
  rmSync(folder, { recursive: true });
});

describe("an edit of the log", () => {
  it(`is found wherever it is made (${EDITS} random ones)`, async () => {
    expect(await log.findBreak()).toBeNull();
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: ENTRIES }),
        fc.constantFrom(...COLUMNS),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        async (position, column, place, change) => {
          const undo = tamper(position, column, place, change);
          try {
            expect(await log.findBreak(), `${column} of entry ${position}`).not.toBeNull();
          } finally {
            undo();
          }
        },
      ),
      { numRuns: EDITS },
    );
    expect(await log.findBreak()).toBeNull();
  });

  it("is found when an entry is taken out, added, or two are exchanged", async () => {
    const edits = [
      ["DELETE FROM entries WHERE position = 5"],
      ["DELETE FROM entries WHERE position = 1"],
      [
        `INSERT INTO entries SELECT ${ENTRIES + 1}, run, 99, at, kind, data, data_hash, hash, seal FROM entries WHERE position = 2`,
      ],
      ["UPDATE entries SET position = 99 WHERE position = 3", "UPDATE entries SET position = 3 WHERE position = 4"],
      ["UPDATE runs SET run = 'other' WHERE run = 'a'"],
      ["UPDATE entries SET data = NULL WHERE position = 2"],
      ["UPDATE runs SET sequence = sequence + 1 WHERE run = 'b'"],
      [`DELETE FROM entries WHERE position = ${ENTRIES}`],
    ];
    for (const statements of edits) {
      expect(await breakAfter(statements), statements.join()).not.toBeNull();
    }
    expect(await log.findBreak()).toBeNull();
  });

  it("that cuts off the end of a run and covers its tracks is found by the register where the run had ended", async () => {
    const cut = (run: string): string[] => [
      `DELETE FROM entries WHERE run = (SELECT number FROM runs WHERE run = '${run}') AND sequence > 6`,
      `UPDATE runs SET sequence = 6, head = (SELECT hash FROM entries WHERE run = runs.number AND sequence = 6)
        WHERE run = '${run}'`,
    ];
    expect(await breakAfter(cut("c"))).toMatchObject({ message: expect.stringMatching(/ended with entry 8/) });
    // A run that goes on: only what was signed, or a head that is kept elsewhere, shows it.
    expect(await breakAfter(cut("b"))).toBeNull();
  });
});

/** Changes one byte, or what stands for it in a number. Returns how to take it back. */
function tamper(position: number, column: (typeof COLUMNS)[number], place: number, change: number): () => void {
  const old = editor.prepare(`SELECT ${column} FROM entries WHERE position = ?`).get(position)![column]!;
  const changed = changedValue(old, place, change);
  const update = editor.prepare(`UPDATE entries SET ${column} = ? WHERE position = ?`);
  update.run(changed, position);
  return () => void update.run(old, column === "position" ? changed : position);
}

function changedValue(value: SQLOutputValue, place: number, change: number): string | number | Uint8Array {
  // Emptied data come back as something else.
  if (value === null) return "{}";
  if (typeof value === "number") return value + 1_000 * change;
  if (value instanceof Uint8Array) {
    const bytes = Uint8Array.from(value);
    bytes[place % bytes.length]! ^= change;
    return bytes;
  }
  const text = String(value);
  const index = place % text.length;
  const other = String.fromCharCode(32 + ((text.charCodeAt(index) - 32 + 1 + (change % 94)) % 95));
  return text.slice(0, index) + other + text.slice(index + 1);
}

let copies = 0;

/** What `findBreak` says about a copy of the log that was edited so. */
async function breakAfter(statements: readonly string[]): Promise<unknown> {
  const target = join(folder, `copy-${copies++}.db`);
  await log.backup(target);
  const database = new DatabaseSync(target, { enableForeignKeyConstraints: false });
  for (const statement of statements) database.exec(statement);
  database.close();
  const copy = openSqliteLog(target);
  try {
    return await copy.findBreak();
  } finally {
    await copy.close();
  }
}
