import { existsSync, linkSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { StoreError } from "../../ports/event-log.ts";
import type { KnowledgeCheck, KnowledgeHead } from "../../ports/knowledge-store.ts";
import { openDatabase } from "../../ports/sqlite.ts";
import { syncFolder } from "../durable-file.ts";
import { type LogHold, sayHold } from "../held-log.ts";
import { openConnection } from "../sqlite/connection.ts";
import { LOCK_TIMEOUT, retryWhileLocked } from "../sqlite/sqlite-error.ts";
import { KNOWLEDGE_SCHEMA } from "./migrations.ts";
import { checkSeals } from "./seal-changes.ts";
import { prepareKnowledgeStatements } from "./statements.ts";

const WRITTEN = [
  "facts",
  "lessons",
  "witnesses",
  "opposites",
  "fact_files",
  "tasks",
  "dependencies",
  "touches",
  "history",
  "helped_steps",
  "numbering",
  "tokens",
  "seals",
] as const;
const CHANGES = ["INSERT", "UPDATE", "DELETE"] as const;

/** The file beside a log that moves, locked against writers until it is closed; null where there is none. */
export async function openKnowledgeToMove(path: string): Promise<DatabaseSync | null> {
  if (!existsSync(path)) return null;
  const database = openConnection(path, { lockTimeout: LOCK_TIMEOUT, schema: KNOWLEDGE_SCHEMA });
  try {
    await retryWhileLocked(() => database.exec("BEGIN IMMEDIATE"), LOCK_TIMEOUT);
    // Its log is in use: the move that held it did not reach the end.
    for (const [name] of holds()) database.exec(`DROP TRIGGER IF EXISTS ${name}`);
    database.exec("COMMIT");
    await retryWhileLocked(() => database.exec("BEGIN IMMEDIATE"), LOCK_TIMEOUT);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Before its log is: the file refuses writes by itself from then on, whichever program makes them. */
export function holdKnowledge(database: DatabaseSync, hold: LogHold): void {
  const refusal = sayHold(hold).replaceAll("'", "''");
  for (const [name, table, change] of holds())
    database.exec(`CREATE TRIGGER ${name} BEFORE ${change} ON ${table} BEGIN SELECT RAISE (ABORT, '${refusal}'); END`);
  database.exec("COMMIT");
}

function holds(): (readonly [name: string, table: string, change: string])[] {
  return WRITTEN.flatMap((table) =>
    CHANGES.map((change) => [`${table}_held_${change.toLowerCase()}`, table, change] as const),
  );
}

export function checkKnowledgeToMove(
  database: DatabaseSync,
  keys: readonly string[],
  seen: KnowledgeHead | null,
): KnowledgeCheck {
  return checkSeals(prepareKnowledgeStatements(database), keys, seen);
}

const SUFFIXES = ["", "-wal", "-shm"] as const;

/** A new file, without the seal that an empty one begins with. */
export function createArrivingKnowledge(staging: string): DatabaseSync {
  for (const suffix of SUFFIXES) rmSync(`${staging}${suffix}`, { force: true });
  const database = openConnection(staging, { lockTimeout: LOCK_TIMEOUT, schema: KNOWLEDGE_SCHEMA });
  database.exec("BEGIN IMMEDIATE; PRAGMA defer_foreign_keys = ON; DELETE FROM seals");
  return database;
}

/** Makes what is made from the rows. The triggers have noted every row as changed: these are what their seals say. */
export function keepArrivingKnowledge(database: DatabaseSync): void {
  database.exec(`
    INSERT INTO fact_index (rowid, tokens) SELECT number, tokens FROM facts WHERE tokens <> '';
    INSERT INTO fact_files (path, fact) SELECT DISTINCT file.value, facts.number
      FROM facts, json_each(facts.body, '$.files') AS file;
    DELETE FROM touched;
    COMMIT`);
}

/** Gives it its name, in place of the copy that was left before, which stays beside it. Does nothing once it has it. */
export async function nameArrivingKnowledge(path: string, staging: string, copy: string): Promise<void> {
  if (!existsSync(staging)) return;
  if (existsSync(path)) {
    await closeFile(path);
    if (!existsSync(copy)) linkSync(path, copy);
  }
  renameSync(staging, path);
  syncFolder(dirname(path));
}

const TIME_TO_CLOSE = 3_000;

/** A copy that was left must be one file: what another process wrote beside it would be taken for a part of the new one. */
export async function closeFile(path: string): Promise<void> {
  const database = openDatabase(path, { timeout: 100 });
  try {
    await retryWhileLocked(() => database.exec("PRAGMA journal_mode = DELETE"), TIME_TO_CLOSE);
  } catch (error) {
    throw new StoreError("busy", "a process still has the copy of the state open that was left here: end it", {
      cause: error,
    });
  } finally {
    database.close();
  }
}
