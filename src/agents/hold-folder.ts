import { constants } from "node:fs";
import { type FileHandle, mkdir, open, realpath } from "node:fs/promises";
import { join, sep } from "node:path";

/** Whether a folder that is held open can be named by that; else its path has to do, and somebody quick may swap it. */
const CAN_NAME_OPEN = process.platform === "linux";

/**
 * Calls `work` with a name of a folder in a workspace that leads there whatever happens to its path meanwhile. What is
 * missing of the folder is made. Null when the path leads outside; a link that stays inside is followed.
 */
export async function withFolder<T>(
  directory: string,
  parts: readonly string[],
  work: (name: string) => Promise<T>,
): Promise<T | null> {
  const root = await realpath(directory);
  let held = await openFolder(root, constants.O_DIRECTORY);
  let path = root;
  try {
    for (const part of parts) {
      path = join(path, part);
      const next = await step(join(nameOf(held, join(path, "..")), part));
      await held.close();
      held = next;
      if (!(await isIn(root, nameOf(held, path)))) return null;
    }
    return await work(nameOf(held, path));
  } finally {
    await held.close();
  }
}

/** A folder that was just made cannot be a link, unless somebody has put one in its place. */
async function step(name: string): Promise<FileHandle> {
  try {
    return await openFolder(name, constants.O_DIRECTORY);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    await mkdir(name);
    return await openFolder(name, constants.O_DIRECTORY | constants.O_NOFOLLOW);
  }
}

async function openFolder(name: string, flags: number): Promise<FileHandle> {
  return await open(name, constants.O_RDONLY | flags);
}

function nameOf(held: FileHandle, path: string): string {
  return CAN_NAME_OPEN ? `/proc/self/fd/${held.fd}` : path;
}

async function isIn(root: string, name: string): Promise<boolean> {
  const real = await realpath(name);
  return real === root || real.startsWith(root + sep);
}
