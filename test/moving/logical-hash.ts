import { createHash } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { RECORD } from "../audit/logical-dump.ts";

/** A hash over every row of every table of a log, for logs that do not fit into one text (`logicalDump`). */
export function logicalHash(path: string): string {
  const database = new DatabaseSync(path, { readOnly: true });
  const sum = createHash("sha256");
  try {
    for (const table of RECORD)
      for (const row of database.prepare(`SELECT rowid AS "row id", * FROM ${table} ORDER BY rowid`).iterate()) {
        const values = Object.values(row).map((value) =>
          value instanceof Uint8Array ? [Buffer.from(value).toString("hex")] : value,
        );
        sum.update(JSON.stringify(values));
      }
    for (const row of database.prepare("SELECT * FROM effects ORDER BY run, key").iterate())
      sum.update(JSON.stringify(Object.values(row)));
    return sum.digest("hex");
  } finally {
    database.close();
  }
}
