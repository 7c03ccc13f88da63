import { StoreError } from "../../ports/event-log.ts";
import type { PostgresConnections, Queries } from "./connection.ts";
import { PREPARE } from "./postgres-error.ts";

/** One part of what Baton keeps in a database, with tables of its own. */
export interface PostgresTables {
  readonly part: "log" | "knowledge";
  /** Number n of the list takes the tables from version n - 1 to n. Released migrations are never edited. */
  readonly migrations: readonly ((schema: string) => string)[];
  /** A Baton that knows this version, or a newer one, can work with the tables after the last migration. */
  readonly oldest: number;
}

/** Any number of processes may do it at once: the first one does the work, while older ones go on. */
export async function migrate(connections: PostgresConnections, tables: PostgresTables): Promise<void> {
  await connections.transact((queries) => migrateWithin(queries, connections.schema, tables));
}

/** Inside a transaction. */
export async function migrateWithin(queries: Queries, schema: string, tables: PostgresTables): Promise<void> {
  await queries.all("SELECT pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
  const version = await versionOf(queries, schema, tables.part);
  if (version === null) await createVersions(queries, schema);
  const from = version?.version ?? 0;
  refuseNewer(tables, version);
  if (from >= tables.migrations.length) return;
  for (const migration of tables.migrations.slice(from)) await queries.all(migration(schema));
  await queries.change(
    `INSERT INTO ${schema}.versions (part, version, oldest) VALUES ($1, $2, $3)
      ON CONFLICT (part) DO UPDATE SET version = excluded.version, oldest = excluded.oldest`,
    [tables.part, tables.migrations.length, tables.oldest],
  );
}

/** Whether the database has tables of this part, of any version. */
export async function hasTables(queries: Queries, schema: string, { part }: PostgresTables): Promise<boolean> {
  return ((await versionOf(queries, schema, part))?.version ?? 0) > 0;
}

/** Refuses a database without these tables, with older ones, or with newer ones that this Baton cannot work with. */
export async function requireTables(connections: PostgresConnections, tables: PostgresTables): Promise<void> {
  const version = await versionOf(connections, connections.schema, tables.part);
  if (version === null || version.version === 0)
    throw new StoreError("unavailable", "the database has no tables of Baton", { hint: PREPARE });
  refuseNewer(tables, version);
  if (version.version < tables.migrations.length)
    throw new StoreError("unavailable", `the tables have version ${version.version}, of an older Baton`, {
      hint: PREPARE,
    });
}

/** `Batn` as a number, so that no other program takes the same lock by chance. */
const MIGRATION_LOCK = 0x4261746e;

interface Version {
  readonly version: number;
  readonly oldest: number;
}

/** Null where there is no schema; version 0 where the part has no tables. */
async function versionOf(queries: Queries, schema: string, part: string): Promise<Version | null> {
  const [there] = await queries.all("SELECT to_regclass($1) IS NOT NULL AS there", [`${schema}.versions`]);
  if (there?.["there"] !== true) return null;
  const [row] = await queries.all(`SELECT version, oldest FROM ${schema}.versions WHERE part = $1`, [part]);
  return { version: Number(row?.["version"] ?? 0), oldest: Number(row?.["oldest"] ?? 0) };
}

async function createVersions(queries: Queries, schema: string): Promise<void> {
  await queries.all(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
  await queries.all(
    `CREATE TABLE ${schema}.versions (part text PRIMARY KEY, version integer NOT NULL, oldest integer NOT NULL)`,
  );
}

function refuseNewer({ migrations }: PostgresTables, version: Version | null): void {
  if (version === null || version.oldest <= migrations.length) return;
  throw new StoreError(
    "unavailable",
    `the tables have version ${version.version}, and this Baton knows versions up to ${migrations.length}`,
    { hint: "Install a newer Baton." },
  );
}
