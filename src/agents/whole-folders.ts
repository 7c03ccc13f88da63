import { createHash } from "node:crypto";
import { chmod, lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";

/** Names, sizes and times of all that is in it; contents are not read. */
export async function fingerprintFolder(folder: string): Promise<string> {
  const hash = createHash("sha256");
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const names = entries.map(({ parentPath, name }) => join(parentPath, name)).sort();
  for (const name of names) {
    const stats = await lstat(name).catch(() => null);
    hash.update(`${name}\0${stats?.size ?? 0}\0${stats?.mtimeMs ?? 0}\0${stats?.ctimeMs ?? 0}\0`);
  }
  return hash.digest("hex");
}

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
