import type { DatabaseSync } from "node:sqlite";
import { type Pruned, StoreError } from "../../ports/event-log.ts";
import { patiently } from "./patience.ts";
import { asStoreError } from "./sqlite-error.ts";

/** A page that nobody uses is used again first. Less than this is not worth to write all the others anew. */
const LEAST_PAGES = 256;
const LEAST_SHARE = 4;

/**
 * Gives back the room of what was pruned. Everybody else reads on meanwhile and waits with writing. What cannot be
 * given back, for lack of room to write the rest anew or because others do not rest, stays free in the file.
 */
export async function shrink(
  connection: { readonly database: DatabaseSync },
  patience: number,
): Promise<Pick<Pruned, "freed" | "unfreed">> {
  const before = pragma(connection.database, "page_count");
  const free = pragma(connection.database, "freelist_count");
  if (free < LEAST_PAGES || free * LEAST_SHARE < before) return { freed: 0, unfreed: null };
  try {
    await patiently(() => connection.database.exec("VACUUM"), patience);
    // The file itself ends earlier only when its pages are written back. While others read, that is done later.
    connection.database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  } catch (error) {
    const refusal = asStoreError(error);
    if (!(refusal instanceof StoreError) || refusal.code === "damaged") throw refusal;
    return { freed: 0, unfreed: refusal.message };
  }
  const { database } = connection;
  return { freed: (before - pragma(database, "page_count")) * pragma(database, "page_size"), unfreed: null };
}

function pragma(database: DatabaseSync, name: "page_count" | "freelist_count" | "page_size"): number {
  return Number(database.prepare(`PRAGMA ${name}`).get()?.[name]);
}
