import { mkdir, rmdir, stat } from "node:fs/promises";

/**
 * Holds a lock while `work` goes on: a folder that only one can make, as Task Master's own commands have it beside
 * their file. One that nobody has touched for a while was left behind by whoever crashed.
 */
export async function holdLock<T>(name: string, work: () => Promise<T>): Promise<T> {
  for (let waited = 0; !(await take(name)); waited += PAUSE) {
    if (waited >= PATIENCE) throw new Error(`somebody else holds the lock ${name.split("/").at(-1) ?? name}.`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
  try {
    return await work();
  } finally {
    await rmdir(name).catch(() => undefined);
  }
}

const PAUSE = 50;
const PATIENCE = 1_000;
const STALE = 10_000;

async function take(name: string): Promise<boolean> {
  try {
    await mkdir(name);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    if (await isStale(name)) await rmdir(name).catch(() => undefined);
    return false;
  }
}

async function isStale(name: string): Promise<boolean> {
  const found = await stat(name).catch(() => null);
  return found !== null && Date.now() - found.mtimeMs > STALE;
}
