import { holdText, type LogHold, readHold, sayHold, refusedHold } from "../held-log.ts";
import type { Queries } from "./connection.ts";
import { orNull, textIn } from "./log-rows.ts";

/** Every table that is written; `run_texts` is only written with `runs`. */
const WRITTEN = [
  "runs",
  "entries",
  "effects",
  "letters",
  "texts",
  "workflows",
  "register",
  "checkpoints",
  "ledger",
] as const;

const NAME = "log_is_held";

/** Inside a transaction. From then on the database refuses writes by itself, whichever process makes them. */
export async function holdPostgresLog(queries: Queries, schema: string, hold: LogHold): Promise<void> {
  await queries.change(`UPDATE ${schema}.ledger SET held = $1 WHERE one = 1`, [holdText(hold)]);
  const refusal = sayHold(hold).replaceAll("'", "''");
  for (const table of WRITTEN)
    await queries.all(
      `CREATE TRIGGER ${NAME} BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON ${schema}.${table}
        FOR EACH STATEMENT EXECUTE FUNCTION ${schema}.refuse_held('${refusal}')`,
    );
}

/** Inside a transaction. */
export async function releasePostgresLog(queries: Queries, schema: string): Promise<void> {
  for (const table of WRITTEN) await queries.all(`DROP TRIGGER ${NAME} ON ${schema}.${table}`);
  await queries.change(`UPDATE ${schema}.ledger SET held = NULL WHERE one = 1`);
}

/** Null for a log that is in use. */
export async function readPostgresHold(queries: Queries, schema: string): Promise<LogHold | null> {
  const [row] = await queries.all(`SELECT held FROM ${schema}.ledger WHERE one = 1`);
  const held = row === undefined ? null : orNull(textIn, row, "held");
  return held === null ? null : readHold(held);
}

export async function refuseHeldLog(queries: Queries, schema: string): Promise<void> {
  const hold = await readPostgresHold(queries, schema);
  if (hold !== null) throw refusedHold(hold);
}

/** Triggers on the tables of the log, but those of a log that is held. */
export function foreignTriggers(schema: string): string {
  return `pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = '${schema}' AND NOT t.tgisinternal
      AND c.relname IN (${[...WRITTEN, "run_texts"].map((table) => `'${table}'`).join(", ")})
      AND NOT (t.tgname = '${NAME}' AND EXISTS (SELECT 1 FROM ${schema}.ledger WHERE held IS NOT NULL)
        AND t.tgfoid = '${schema}.refuse_held'::regproc)`;
}
