import type { DatabaseSync, StatementSync } from "node:sqlite";
import { CHECKPOINTS } from "./checkpoint-statements.ts";
import { RUN_LISTS } from "./run-lists.ts";

const ENTRY = "SELECT e.position, r.run, e.sequence, e.at, e.kind, e.data, e.hash";

/**
 * Every statement of the store. Values are always bound, never written into the text.
 * The unfinished are found by an index that holds nobody else: finished runs pile up for years.
 */
export const SQL = {
  insertRun: `INSERT INTO runs
    (run, name, workflow, brief, status, created_at, updated_at, fence, worker, leased_until, summary, mark)
    VALUES (?, ?, ?, ?, 'running', ?, ?, 1, ?, ?, '{}', ?) ON CONFLICT (run) DO NOTHING`,
  insertRunText: "INSERT INTO runs_text (rowid, run, name, brief) VALUES (?, ?, ?, ?)",
  runNumber: "SELECT number, sequence, run, worker, fence, leased_until FROM runs WHERE run = ?",
  runToCommit: `SELECT number, sequence, worker, fence, name, workflow, brief, created_at, status, finished, due_at
    FROM runs WHERE run = ?`,
  run: "SELECT * FROM runs WHERE run = ?",
  runsFrom: "SELECT * FROM runs WHERE run >= ? AND run < ? ORDER BY run LIMIT ?",
  runs: "SELECT * FROM runs ORDER BY number DESC LIMIT ?",
  runsByStatus: "SELECT * FROM runs WHERE status = ? ORDER BY created_at DESC, number DESC LIMIT ?",
  unfinishedRuns: "SELECT * FROM runs INDEXED BY runs_unfinished WHERE finished = 0 ORDER BY number DESC LIMIT ?",
  unfinishedRunsByStatus:
    "SELECT * FROM runs INDEXED BY runs_unfinished WHERE finished = 0 AND status = ? ORDER BY number DESC LIMIT ?",
  ...RUN_LISTS,
  updateRun: "UPDATE runs SET updated_at = ?, sequence = ?, summary = ?, wake_at = ? WHERE number = ?",
  updateStanding: "UPDATE runs SET status = ?, finished = ?, due_at = ? WHERE number = ?",

  head: "SELECT position, hash FROM entries ORDER BY position DESC LIMIT 1",
  insertEntry: `INSERT INTO entries (position, run, sequence, at, kind, data, data_hash, hash, seal)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  entries: `${ENTRY} FROM runs r JOIN entries e ON e.run = r.number
    WHERE r.run = ? AND e.sequence > ? ORDER BY e.sequence LIMIT ?`,
  history: `${ENTRY} FROM entries e JOIN runs r ON r.number = e.run
    WHERE e.position > ? ORDER BY e.position LIMIT ?`,
  historyOfRun: `${ENTRY} FROM runs r JOIN entries e ON e.run = r.number
    WHERE r.run = ? AND e.position > ? ORDER BY e.sequence LIMIT ?`,
  checkedEntries: `${ENTRY}, e.data_hash, e.seal, r.emptied FROM entries e JOIN runs r ON r.number = e.run
    WHERE e.position > ? ORDER BY e.position LIMIT ?`,
  shortenedRun: `SELECT run, sequence FROM runs
    WHERE sequence <> (SELECT coalesce(max(sequence), 0) FROM entries WHERE run = runs.number) LIMIT 1`,

  insertEffect: "INSERT INTO effects (run, key, number, kind, data) VALUES (?, ?, ?, ?, ?)",
  effectsOfNumber: "SELECT number, key, kind, data FROM effects WHERE run = ? ORDER BY number",
  deleteEffect: "DELETE FROM effects WHERE run = ? AND key = ?",
  effects: `SELECT key, kind, data FROM effects
    WHERE run = (SELECT number FROM runs WHERE run = ?) ORDER BY effects.number`,

  insertLetter:
    "INSERT INTO letters (number, run, id, input, mark) VALUES (?, ?, ?, ?, ?) ON CONFLICT (run, id) DO NOTHING",
  hasLetters: "SELECT 1 FROM letters WHERE run = ? AND input IS NOT NULL LIMIT 1",
  nextLetter: "SELECT coalesce(max(number), 0) + 1 AS number FROM letters",
  letterNumber: "SELECT number FROM letters WHERE run = ? AND id = ? AND input IS NOT NULL",
  takeLetter: `UPDATE letters SET input = NULL, mark = CASE WHEN mark IS NULL THEN NULL ELSE ?2 END
    WHERE number = ?1`,
  letters: `SELECT id, input FROM letters
    WHERE run = (SELECT number FROM runs WHERE run = ?) AND input IS NOT NULL ORDER BY letters.number`,
  wakeRun: "UPDATE runs SET due_at = 0 WHERE number = ? AND due_at IS NOT 0",

  idleRuns: `SELECT run, number, fence FROM runs INDEXED BY runs_due
    WHERE finished = 0 AND due_at IS NOT NULL AND due_at <= ? AND (worker IS NULL OR leased_until <= ?)
    ORDER BY due_at LIMIT ?`,
  lease: "UPDATE runs SET fence = fence + 1, worker = ?, leased_until = ? WHERE number = ?",
  // Also when it had run out: while the fence is the same, nobody else has taken the run.
  renewLease: "UPDATE runs SET leased_until = ? WHERE run = ? AND fence = ? AND worker IS NOT NULL",
  releaseLease: "UPDATE runs SET worker = NULL, leased_until = NULL WHERE run = ? AND fence = ?",

  insertText: "INSERT INTO texts (hash, body) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING",
  hasText: "SELECT 1 FROM texts WHERE hash = ?",
  text: "SELECT body FROM texts WHERE hash = ?",
  insertWorkflow: "INSERT INTO workflows (hash, definition) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING",
  workflow: "SELECT definition FROM workflows WHERE hash = ?",

  prunableRuns: `SELECT number FROM runs INDEXED BY runs_to_prune
    WHERE finished = 1 AND emptied < sequence AND updated_at < ? LIMIT ?`,
  emptyEntries: "UPDATE entries SET data = NULL WHERE run = ? AND data IS NOT NULL",
  markEmptied: "UPDATE runs SET emptied = sequence WHERE number = ?",
  countPruned: "UPDATE ledger SET pruned = pruned + ? WHERE one = 1",
  namingEntries: "SELECT position, data FROM entries WHERE position > ? AND data IS NOT NULL ORDER BY position LIMIT ?",
  namingOthers: `SELECT data FROM effects
    UNION ALL SELECT input FROM letters INDEXED BY letters_waiting WHERE input IS NOT NULL`,
  keptTexts: `SELECT number, hash FROM texts
    WHERE number > ? AND number <= ? AND length(body) > 0 ORDER BY number LIMIT ?`,
  emptyText: "UPDATE texts SET hash = ?, body = x'' WHERE number = ? AND hash = ?",
  countPrunedTexts: "UPDATE ledger SET pruned_texts = pruned_texts + ? WHERE one = 1",
  ...CHECKPOINTS,
} as const;

export type Statements = Readonly<Record<keyof typeof SQL, StatementSync>>;

export function prepareStatements(database: DatabaseSync): Statements {
  const prepared = Object.entries(SQL).map(([name, sql]) => [name, database.prepare(sql)] as const);
  return Object.fromEntries(prepared) as Statements;
}
