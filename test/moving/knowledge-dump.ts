import { DatabaseSync } from "node:sqlite";
import { MOVED_KNOWLEDGE } from "../../src/stores/moving/moved-tables.ts";

const EVERYTHING = [...MOVED_KNOWLEDGE.map(({ name }) => name), "fact_files", "touched"];

/** Every row of these tables of a file of knowledge. */
export function knowledgeDump(path: string, tables: readonly string[] = EVERYTHING): string {
  const database = new DatabaseSync(path);
  try {
    return JSON.stringify(tables.map((table) => [table, rowsOf(database, table)]));
  } finally {
    database.close();
  }
}

function rowsOf(database: DatabaseSync, table: string): string[] {
  const rows = database.prepare(`SELECT * FROM ${table}`).all();
  return rows
    .map((row) =>
      JSON.stringify(row, (_, value: unknown) =>
        value instanceof Uint8Array ? Buffer.from(value).toString("hex") : value,
      ),
    )
    .sort();
}
