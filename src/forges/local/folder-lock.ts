import { setTimeout as sleep } from "node:timers/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { ForgeError } from "../../ports/forge.ts";

const inThisProcess = new Map<string, Promise<unknown>>();

/**
 * One change of a folder at a time, across processes. The lock is SQLite's own on a file that stays empty: the
 * kernel lets go of it with the process that held it, however that ended, so no lock is ever stale.
 */
export async function withFolderLock<T>(folder: string, change: () => Promise<T>): Promise<T> {
  const before = inThisProcess.get(folder) ?? Promise.resolve();
  const mine = before.then(
    () => locked(folder, change),
    () => locked(folder, change),
  );
  inThisProcess.set(folder, mine);
  try {
    return await mine;
  } finally {
    if (inThisProcess.get(folder) === mine) inThisProcess.delete(folder);
  }
}

const PAUSE = 20;
const LONGEST_WAIT = 600_000;

async function locked<T>(folder: string, change: () => Promise<T>): Promise<T> {
  const database = new DatabaseSync(join(folder, "lock"), { timeout: 0 });
  try {
    for (const giveUpAt = Date.now() + LONGEST_WAIT; !tryToLock(database); await sleep(PAUSE))
      if (Date.now() > giveUpAt) throw new ForgeError(`${folder} was locked by another process all the time`, true);
    return await change();
  } finally {
    database.close();
  }
}

function tryToLock(database: DatabaseSync): boolean {
  try {
    database.exec("BEGIN EXCLUSIVE");
    return true;
  } catch (error) {
    if (error instanceof Error && "errcode" in error && (error.errcode === 5 || error.errcode === 6)) return false;
    throw new ForgeError(`the lock cannot be had: ${String(error)}`, false, { cause: error });
  }
}
