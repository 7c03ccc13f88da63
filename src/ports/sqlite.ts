import type * as NodeSqlite from "node:sqlite";
import { StoreError } from "./event-log.ts";

/** Older versions can lose pages when the write-ahead log is restarted. */
const OLDEST_SQLITE = [3, 51, 3] as const;

/** The first versions of Node that have it, one for each line that is still looked after. */
export const NODE_WITH_STATE = "Node 22.22.3, 24.15.0 or newer";

/** Every database is opened here: under a Node whose SQLite can damage it, none is. */
export function openDatabase(path: string | URL, options: NodeSqlite.DatabaseSyncOptions): NodeSqlite.DatabaseSync {
  return new (loadSqlite().DatabaseSync)(path, options);
}

export async function copyDatabase(
  source: NodeSqlite.DatabaseSync,
  target: string,
  options: NodeSqlite.BackupOptions,
): Promise<void> {
  await loadSqlite().backup(source, target, options);
}

/** Node 22 calls SQLite experimental on standard error, whenever it is loaded; nobody who reads it can do anything. */
function loadSqlite(): typeof NodeSqlite {
  refuseOldSqlite(process.versions.sqlite ?? "0");
  const emitWarning = Object.getOwnPropertyDescriptor(process, "emitWarning") ?? {};
  Object.defineProperty(process, "emitWarning", { ...emitWarning, value: () => undefined });
  try {
    return process.getBuiltinModule("node:sqlite");
  } finally {
    Object.defineProperty(process, "emitWarning", emitWarning);
  }
}

export function refuseOldSqlite(version: string): void {
  if (isSafeSqlite(version)) return;
  const reason = `SQLite ${version} of Node ${process.versions.node} can damage a database`;
  throw new StoreError("old-node", `this command keeps state and needs ${NODE_WITH_STATE}: ${reason}`);
}

export function isSafeSqlite(version: string): boolean {
  const parts = version.split(".").map(Number);
  for (const [index, oldest] of OLDEST_SQLITE.entries()) {
    const part = parts[index] ?? 0;
    if (part !== oldest) return part > oldest;
  }
  return true;
}
