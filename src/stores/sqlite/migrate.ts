import type { DatabaseSync } from "node:sqlite";
import { StoreError } from "../../ports/event-log.ts";
import { asForeignTables } from "./sqlite-error.ts";

export interface Schema {
  /** Number n of the list takes a database from version n - 1 to n. Released ones are never edited. */
  readonly migrations: readonly string[];
  /** Tells our files from those of other programs, and from each other. */
  readonly applicationId: number;
  /** `a log of Baton`. */
  readonly what: string;
}

/** Several processes may open a new database at once: whoever gets the lock first migrates, the others see it done. */
export function migrate(database: DatabaseSync, schema: Schema): void {
  if (isCurrent(database, schema)) return;
  database.exec("BEGIN IMMEDIATE");
  try {
    migrateFrom(database, schema, pragma(database, "user_version"));
    database.exec("COMMIT");
  } catch (error) {
    throw asForeignTables(error);
  } finally {
    if (database.isTransaction) database.exec("ROLLBACK");
  }
}

/** What may only be read cannot be brought to a newer version. */
export function refuseOlder(database: DatabaseSync, schema: Schema): void {
  const version = pragma(database, "user_version");
  if (version >= schema.migrations.length || isForeign(database, schema, version)) return;
  throw new StoreError(
    "unavailable",
    `the database has version ${version}, of an older Baton: it has to be opened once where it may be written`,
  );
}

function isCurrent(database: DatabaseSync, { migrations, applicationId }: Schema): boolean {
  return pragma(database, "user_version") === migrations.length && pragma(database, "application_id") === applicationId;
}

function migrateFrom(database: DatabaseSync, schema: Schema, version: number): void {
  const { migrations, applicationId, what } = schema;
  if (isForeign(database, schema, version)) {
    throw new StoreError("unavailable", `this is a database of another program, not ${what}`);
  }
  if (version > migrations.length) throw newerDatabase(version, migrations.length);
  for (const migration of migrations.slice(version)) database.exec(migration);
  database.exec(`PRAGMA application_id = ${applicationId}`);
  database.exec(`PRAGMA user_version = ${migrations.length}`);
}

function isForeign(database: DatabaseSync, { applicationId }: Schema, version: number): boolean {
  return version === 0 ? hasTables(database) : pragma(database, "application_id") !== applicationId;
}

function newerDatabase(version: number, known: number): StoreError {
  return new StoreError(
    "unavailable",
    `the database has version ${version}, and this Baton knows versions up to ${known}: use a newer Baton`,
  );
}

function pragma(database: DatabaseSync, name: "user_version" | "application_id"): number {
  return Number(database.prepare(`PRAGMA ${name}`).get()?.[name]);
}

function hasTables(database: DatabaseSync): boolean {
  return database.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() !== undefined;
}
