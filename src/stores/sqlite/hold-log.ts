import type { DatabaseSync } from "node:sqlite";
import { holdText, type LogHold, sayHold } from "../held-log.ts";

/** Every table that is written, but those of the index for searching, which are only written with `runs`. */
const WRITTEN = [
  "runs",
  "entries",
  "effects",
  "letters",
  "texts",
  "workflows",
  "register",
  "checkpoints",
  "gaps",
  "ledger",
] as const;
const CHANGES = ["INSERT", "UPDATE", "DELETE"] as const;

/** Inside a transaction. From then on the file refuses writes by itself, whichever program makes them. */
export function holdLog(database: DatabaseSync, hold: LogHold): void {
  database.prepare("UPDATE ledger SET held = ? WHERE one = 1").run(holdText(hold));
  const refusal = sayHold(hold).replaceAll("'", "''");
  for (const [name, table, change] of triggers())
    database.exec(`CREATE TRIGGER ${name} BEFORE ${change} ON ${table} BEGIN SELECT RAISE (ABORT, '${refusal}'); END`);
}

/** Inside a transaction. */
export function releaseLog(database: DatabaseSync): void {
  for (const [name] of triggers()) database.exec(`DROP TRIGGER ${name}`);
  database.exec("UPDATE ledger SET held = NULL WHERE one = 1");
}

function triggers(): (readonly [name: string, table: string, change: string])[] {
  return WRITTEN.flatMap((table) =>
    CHANGES.map((change) => [`${table}_held_${change.toLowerCase()}`, table, change] as const),
  );
}
