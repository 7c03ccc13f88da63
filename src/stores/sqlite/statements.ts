import type { DatabaseSync, StatementSync } from "node:sqlite";
import { StoreError } from "../../ports/event-log.ts";
import { LOG_SCHEMA } from "./migrations.ts";
import { reopenConnection } from "./connection.ts";
import { prepareOnUse } from "./prepare-on-use.ts";
import { columnOrNull, textColumn } from "./rows.ts";
import { readHold, refusedHold } from "../held-log.ts";
import type { NumberedTable } from "../../ports/log-snapshot.ts";

const RANGE = "r.created_at >= :since AND r.created_at < :until";
const UPDATED = "r.updated_at >= :updatedFrom AND r.updated_at < :updatedBefore";
/** Also compares the number, because many runs may have begun in one millisecond. */
const AFTER = "(r.created_at, r.number) < (:createdAt, :number)";
const YOUNGEST_FIRST = "ORDER BY r.created_at DESC, r.number DESC LIMIT :limit";
const BEGINS = "r.run >= :begin AND r.run < :end";

/**
 * Statements for pages and counts of runs. Each list is read from an index in the order in which it is shown, one
 * status after the other. If many runs contain a text, only the newest of them are counted.
 */
const RUN_LISTS = {
  place: "SELECT created_at, number FROM runs WHERE run = ?",
  listByStatus: `SELECT r.* FROM runs r INDEXED BY runs_by_status
    WHERE r.status = :status AND ${RANGE} AND ${AFTER} AND ${UPDATED} ${YOUNGEST_FIRST}`,
  listByName: `SELECT r.* FROM runs r INDEXED BY runs_by_name
    WHERE r.name = :name AND r.status = :status AND ${RANGE} AND ${AFTER} AND ${UPDATED} ${YOUNGEST_FIRST}`,
  listByText: `SELECT r.* FROM runs_text t CROSS JOIN runs r ON r.number = t.rowid
    WHERE runs_text MATCH :match AND t.rowid < :number AND r.status IN (SELECT value FROM json_each(:statuses))
      AND (:name IS NULL OR r.name = :name) AND ${RANGE}
      AND (r.status <> 'running' OR (${UPDATED})) ORDER BY t.rowid DESC LIMIT :limit`,
  listByBeginning: `SELECT r.* FROM runs r WHERE ${BEGINS} AND ${AFTER}
    AND r.status IN (SELECT value FROM json_each(:statuses)) AND (:name IS NULL OR r.name = :name) AND ${RANGE}
    AND (r.status <> 'running' OR (${UPDATED})) ${YOUNGEST_FIRST}`,

  countByStatus: `SELECT count(*) AS runs FROM runs r INDEXED BY runs_by_status WHERE r.status = :status AND ${RANGE}`,
  countByName: `SELECT count(*) AS runs FROM runs r INDEXED BY runs_by_name
    WHERE r.name = :name AND r.status = :status AND ${RANGE}`,
  countStalled: `SELECT count(*) AS runs FROM runs r INDEXED BY runs_by_status
    WHERE r.status = 'running' AND ${RANGE} AND (:name IS NULL OR r.name = :name) AND r.updated_at < :stalledBefore`,
  countByText: `SELECT r.status, count(*) AS runs, sum(r.status = 'running' AND r.updated_at < :stalledBefore) AS stalled
    FROM (SELECT rowid AS number FROM runs_text WHERE runs_text MATCH :match ORDER BY rowid DESC LIMIT :most) t
    CROSS JOIN runs r ON r.number = t.number
    WHERE (:name IS NULL OR r.name = :name) AND ${RANGE} GROUP BY r.status`,
  countByBeginning: `SELECT r.status, count(*) AS runs, sum(r.status = 'running' AND r.updated_at < :stalledBefore) AS stalled
    FROM runs r WHERE ${BEGINS} AND (:name IS NULL OR r.name = :name) AND ${RANGE} GROUP BY r.status`,
  dataVersion: "PRAGMA data_version",
  ownChanges: "SELECT total_changes() AS changes",
  nextName: "SELECT min(name) AS name FROM runs INDEXED BY runs_by_name WHERE name > ?",
  nextStatus: "SELECT min(status) AS status FROM runs INDEXED BY runs_by_status WHERE status > ?",
} as const;

/** Numbers have no gaps but those that are counted, so the last number tells how many there are. */
function missing(what: NumberedTable): string {
  return `(SELECT coalesce(sum(missing), 0) FROM gaps WHERE what = '${what}')`;
}

/** Statements for checkpoints. */
const CHECKPOINTS = {
  ledger: "SELECT log, pruned, pruned_texts, held FROM ledger WHERE one = 1",
  lastNumbers: `SELECT
    (SELECT coalesce(max(number), 0) FROM runs) AS runs,
    (SELECT coalesce(max(number), 0) - ${missing("letters")} FROM letters) AS letters,
    (SELECT coalesce(max(number), 0) - ${missing("texts")} FROM texts) AS texts,
    (SELECT coalesce(max(rowid), 0) - ${missing("workflows")} FROM workflows) AS workflows`,
  hashAt: "SELECT hash FROM entries WHERE position = ?",
  hashOf: `SELECT e.hash FROM runs r JOIN entries e ON e.run = r.number WHERE r.run = ? AND e.sequence = ?`,
  changedRuns: `SELECT run, sequence, head FROM runs
    WHERE finished = 0 AND number IN (SELECT run FROM entries WHERE position > ?) ORDER BY number`,
  registerHead: "SELECT number, body, hash FROM register ORDER BY number DESC LIMIT 1",
  registerAt: "SELECT number, body, hash FROM register WHERE number = ?",
  insertRegister: "INSERT INTO register (number, body, hash) VALUES (?, ?, ?)",
  checkpointsBefore: "SELECT number, body, signature FROM checkpoints WHERE number < ? ORDER BY number DESC LIMIT ?",
  insertCheckpoint: "INSERT INTO checkpoints (number, body, signature) VALUES (?, ?, ?)",
  lastCheckpoint: "SELECT number, body, signature FROM checkpoints ORDER BY number DESC LIMIT 1",
  checkpoint: "SELECT number, body, signature FROM checkpoints WHERE number = ?",
} as const;

const ENTRY = "SELECT e.position, r.run, e.sequence, e.at, e.kind, e.data, e.hash";

/**
 * Every statement of the store. Values are always bound, never written into the text.
 * Unfinished runs have an index of their own, because finished runs pile up for years.
 */
export const LOG_SQL = {
  insertRun: `INSERT INTO runs
    (run, name, workflow, brief, status, created_at, updated_at, fence, worker, leased_until, summary, mark, head)
    VALUES (?, ?, ?, ?, 'running', ?, ?, 1, ?, ?, '{}', ?, ?)`,
  insertRunText: "INSERT INTO runs_text (rowid, run, name, brief) VALUES (?, ?, ?, ?)",
  runNumber: "SELECT number, sequence, run, worker, fence, leased_until FROM runs WHERE run = ?",
  runToCommit: `SELECT number, sequence, worker, fence, name, workflow, brief, created_at, status, finished, due_at,
    head FROM runs WHERE run = ?`,
  run: "SELECT * FROM runs WHERE run = ?",
  runsFrom: "SELECT * FROM runs WHERE run >= ? AND run < ? ORDER BY run LIMIT ?",
  runs: "SELECT * FROM runs ORDER BY number DESC LIMIT ?",
  runsByStatus: "SELECT * FROM runs WHERE status = ? ORDER BY created_at DESC, number DESC LIMIT ?",
  unfinishedRuns: "SELECT * FROM runs INDEXED BY runs_unfinished WHERE finished = 0 ORDER BY number DESC LIMIT ?",
  unfinishedRunsByStatus:
    "SELECT * FROM runs INDEXED BY runs_unfinished WHERE finished = 0 AND status = ? ORDER BY number DESC LIMIT ?",
  ...RUN_LISTS,
  updateRun: "UPDATE runs SET updated_at = ?, sequence = ?, summary = ?, wake_at = ?, head = ? WHERE number = ?",
  updateStanding: "UPDATE runs SET status = ?, finished = ?, due_at = ? WHERE number = ?",

  lastPosition: "SELECT coalesce(max(position), 0) AS position FROM entries",
  insertEntry: `INSERT INTO entries (position, run, sequence, at, kind, data, data_hash, hash, seal)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  entries: `${ENTRY} FROM runs r JOIN entries e ON e.run = r.number
    WHERE r.run = ? AND e.sequence > ? ORDER BY e.sequence LIMIT ?`,
  history: `${ENTRY} FROM entries e JOIN runs r ON r.number = e.run
    WHERE e.position > ? ORDER BY e.position LIMIT ?`,
  historyOfRun: `${ENTRY} FROM runs r JOIN entries e ON e.run = r.number
    WHERE r.run = ? AND e.position > ? ORDER BY e.sequence LIMIT ?`,

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
  // Also after its time: while the fence is the same, no other worker has acquired the run.
  renewLease: "UPDATE runs SET leased_until = ? WHERE run = ? AND fence = ? AND worker IS NOT NULL",
  releaseLease: "UPDATE runs SET worker = NULL, leased_until = NULL WHERE run = ? AND fence = ?",

  insertText: "INSERT INTO texts (hash, body) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING",
  hasText: "SELECT 1 FROM texts WHERE hash = ?",
  text: "SELECT body FROM texts WHERE hash = ?",
  insertWorkflow: "INSERT INTO workflows (hash, definition) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING",
  workflow: "SELECT definition FROM workflows WHERE hash = ?",

  prunableRuns: `SELECT number, run, emptied, sequence FROM runs INDEXED BY runs_to_prune
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

export type LogStatements = Readonly<Record<keyof typeof LOG_SQL, StatementSync>>;

export function prepareLogStatements(database: DatabaseSync): LogStatements {
  return prepareOnUse(LOG_SQL, (sql) => database.prepare(sql));
}

/** The id of a log that is in use; one that is held is refused. */
export function logIdOf({ ledger }: Pick<LogStatements, "ledger">): string {
  const row = ledger.get() ?? {};
  const held = columnOrNull(textColumn, row, "held");
  if (held !== null) throw refusedHold(readHold(held));
  return textColumn(row, "log");
}

/** Opens the same log again, and refuses another log in its place. */
export function reopenLog(path: string, log: string, isReadOnly = false): DatabaseSync {
  const database = reopenConnection(path, { schema: LOG_SCHEMA, isReadOnly });
  const { log: found, held } = database.prepare("SELECT log, held FROM ledger").get() ?? {};
  if (found === log && held === null) return database;
  database.close();
  if (typeof held === "string") throw refusedHold(readHold(held));
  throw new StoreError("gone", `${path} is another log than before`);
}
