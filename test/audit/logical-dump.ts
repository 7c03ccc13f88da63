import { DatabaseSync } from "node:sqlite";
import { unpackText } from "../../src/stores/pack-text.ts";

/**
 * Everything that a log says, whatever bytes of the file say it. An edit after which this is the same was none:
 * free pages, pages of an index for searching, the header's counters. Who works on a run now is not part of it.
 */
export function logicalDump(path: string): string {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const tables = RECORD.map((table) => {
      const rows = database.prepare(`SELECT rowid AS "row id", * FROM ${table} NOT INDEXED ORDER BY rowid`);
      const found = rows.all().map(plainRow);
      // A text is known by its hash; which one came first says nothing.
      if (table !== "texts") return [table, found];
      return [table, found.map(({ hash, body }) => JSON.stringify([hash, body])).sort()];
    });
    const effects = database.prepare("SELECT * FROM effects ORDER BY run, key").all().map(plainRow);
    const schema = database.prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name").all();
    return JSON.stringify([tables, effects, schema]);
  } finally {
    database.close();
  }
}

/** Tables of the record; `runs_text` is an index for searching that is made from `runs`. */
export const RECORD = [
  "runs",
  "entries",
  "letters",
  "texts",
  "workflows",
  "ledger",
  "register",
  "checkpoints",
] as const;
export const LEASE_COLUMNS: readonly string[] = ["fence", "worker", "leased_until"];

function plainRow(row: Record<string, unknown>): Record<string, unknown> {
  const kept = Object.entries(row).filter(([name]) => !LEASE_COLUMNS.includes(name));
  return Object.fromEntries(
    kept.map(([name, value]) => {
      if (!(value instanceof Uint8Array)) return [name, value];
      // The same text can be packed in several ways.
      const text = name === "body" ? unpackText(value) : null;
      return [name, text ?? Buffer.from(value).toString("hex")];
    }),
  );
}
