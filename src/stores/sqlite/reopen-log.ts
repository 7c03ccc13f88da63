import type { DatabaseSync } from "node:sqlite";
import { StoreError } from "../../ports/event-log.ts";
import { LOG_SCHEMA } from "./migrations.ts";
import { reopenConnection } from "./open-connection.ts";
import { textOf } from "./rows.ts";
import type { Statements } from "./statements.ts";

export function logIdOf({ ledger }: Pick<Statements, "ledger">): string {
  return textOf(ledger.get() ?? {}, "log");
}

/** The same log, and no other that has come in its place. */
export function reopenLog(path: string, log: string, isReadOnly = false): DatabaseSync {
  const database = reopenConnection(path, { schema: LOG_SCHEMA, isReadOnly });
  const found = database.prepare("SELECT log FROM ledger").get()?.["log"];
  if (found === log) return database;
  database.close();
  throw new StoreError("unavailable", `${path} holds another log than before`);
}
