import { accessSync, constants, existsSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { StoreError } from "../ports/event-log.ts";
import type { NewDecision, ScheduleDecision, ScheduleStore } from "../ports/schedule-store.ts";
import { openDatabase } from "../ports/sqlite.ts";

/** Each schedule keeps so many decisions of either kind: a run that was started is known to the log for ever. */
const MAX_KEPT = 100;
const MAX_WAIT = 10_000;
const VERSION = 1;

const TABLE = `CREATE TABLE IF NOT EXISTS decisions (
  schedule TEXT NOT NULL,
  due INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('start', 'skip', 'miss')),
  run TEXT,
  missed INTEGER NOT NULL,
  missed_since INTEGER,
  at INTEGER NOT NULL,
  problem TEXT,
  PRIMARY KEY (schedule, due)
) STRICT, WITHOUT ROWID`;

/** A file of its own in the state folder. It is opened for each call: there are few, and it is made by the first one. */
export function openScheduleStore(path: string): ScheduleStore {
  return {
    decide: async (decision) => change(path, (database) => storeFirst(database, decision)),
    decisions: async (schedule, until, limit) => find(path, "due <= :until", { schedule, until, limit }),
    starts: async (schedule, limit) => find(path, "kind = 'start'", { schedule, limit }),
    noteProblem: async (schedule, due, problem) =>
      change(path, (database) => {
        database.prepare("UPDATE decisions SET problem = ? WHERE schedule = ? AND due = ?").run(problem, schedule, due);
      }),
  };
}

function find(path: string, condition: string, values: Readonly<Record<string, string | number>>): ScheduleDecision[] {
  if (!existsSync(path)) return [];
  const select = `SELECT * FROM decisions WHERE schedule = :schedule AND ${condition} ORDER BY due DESC LIMIT :limit`;
  return read(path, (database) => database.prepare(select).all(values).map(decisionOf));
}

function storeFirst(
  database: DatabaseSync,
  { schedule, due, kind, run, missed, missedSince, at }: NewDecision,
): { readonly decision: ScheduleDecision; readonly isNew: boolean } {
  const { changes } = database
    .prepare(
      "INSERT OR IGNORE INTO decisions (schedule, due, kind, run, missed, missed_since, at) VALUES (?, ?, ?, ?, ?, ?, ?)",
    )
    .run(schedule, due, kind, run, missed, missedSince, at);
  const stored = database.prepare("SELECT * FROM decisions WHERE schedule = ? AND due = ?").get(schedule, due) ?? {};
  for (const group of ["kind = 'start'", "kind <> 'start'"])
    database
      .prepare(
        `DELETE FROM decisions WHERE schedule = :schedule AND ${group} AND due NOT IN
          (SELECT due FROM decisions WHERE schedule = :schedule AND ${group} ORDER BY due DESC LIMIT ${MAX_KEPT})`,
      )
      .run({ schedule });
  return { decision: decisionOf(stored), isNew: Number(changes) === 1 };
}

function change<T>(path: string, work: (database: DatabaseSync) => T): T {
  const database = openDatabase(path, { timeout: MAX_WAIT });
  try {
    database.exec("PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF; BEGIN IMMEDIATE");
    refuseNewer(database, path);
    database.exec(`${TABLE}; PRAGMA user_version = ${VERSION}`);
    const result = work(database);
    database.exec("COMMIT");
    return result;
  } finally {
    // What was not committed is undone.
    database.close();
  }
}

function read<T>(path: string, work: (database: DatabaseSync) => T): T {
  // A process that was killed while it wrote has left what only a writer can undo.
  const database = openDatabase(path, { timeout: MAX_WAIT, readOnly: !canBeWritten(path) });
  try {
    database.exec("PRAGMA trusted_schema = OFF");
    refuseNewer(database, path);
    return work(database);
  } finally {
    database.close();
  }
}

function canBeWritten(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function refuseNewer(database: DatabaseSync, path: string): void {
  const version = Number(database.prepare("PRAGMA user_version").get()?.["user_version"] ?? 0);
  if (version > VERSION) throw new StoreError("unavailable", `${path} was written by a newer version of baton`);
}

const KINDS = ["start", "skip", "miss"] as const;

function decisionOf(row: Readonly<Record<string, unknown>>): ScheduleDecision {
  const kind = KINDS.find((each) => each === row["kind"]);
  if (kind === undefined) throw new StoreError("damaged", "a decision on a schedule cannot be read");
  return {
    schedule: String(row["schedule"]),
    due: Number(row["due"]),
    kind,
    run: textOf(row["run"]),
    missed: Number(row["missed"]),
    missedSince: row["missed_since"] === null ? null : Number(row["missed_since"]),
    at: Number(row["at"]),
    problem: textOf(row["problem"]),
  };
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
