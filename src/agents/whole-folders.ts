import { createHash } from "node:crypto";
import { lstatSync } from "node:fs";
import { chmod, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";

/** Names, sizes and times of all that is in it; contents are not read. */
export async function fingerprintFolder(folder: string): Promise<string> {
  const hash = createHash("sha256");
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const names = entries.map(({ parentPath, name }) => join(parentPath, name)).sort();
  for (const [at, name] of names.entries()) {
    const stats = lstatSync(name, { throwIfNoEntry: false });
    hash.update(`${name}\0${stats?.size ?? 0}\0${stats?.mtimeMs ?? 0}\0${stats?.ctimeMs ?? 0}\0`);
    // Each look takes microseconds, thousands of promises would take far longer; others get their turn in between.
    if (at % BATCH === 0) await nextTurn();
  }
  return hash.digest("hex");
}

const BATCH = 1000;

/** Also one in which folders were made read-only, as some tools do with what they keep. */
export async function removeFolder(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true });
  } catch {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
    await chmod(folder, 0o700).catch(() => undefined);
    for (const { parentPath, name } of entries.filter((entry) => entry.isDirectory()))
      await chmod(join(parentPath, name), 0o700).catch(() => undefined);
    await rm(folder, { recursive: true, force: true });
  }
}
