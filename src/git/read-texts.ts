import { isUtf8 } from "node:buffer";
import { constants } from "node:fs";
import { open, realpath } from "node:fs/promises";
import { join, sep } from "node:path";
import type { ChangedText } from "../evidence/gate-files.ts";
import type { Shadow } from "./shadow.ts";

/** The texts of files in a tree and in the workspace. No link is followed. */
export async function readTexts(
  shadow: Shadow,
  tree: string,
  paths: readonly string[],
  limit: number,
): Promise<ChangedText[]> {
  const texts: ChangedText[] = [];
  for (const path of paths) {
    const before = await textIn(shadow, tree, path, limit);
    texts.push({ path, before, now: await textNow(shadow.place.directory, path, limit) });
  }
  return texts;
}

async function textIn(shadow: Shadow, tree: string, path: string, limit: number): Promise<string | null> {
  const listed = await shadow.answer({ args: ["ls-tree", "-z", "-l", "--full-tree", tree, "--", path] });
  const [, mode = "", object = "", size = ""] = /^(\d+) blob ([0-9a-f]+) +(\d+)\t/.exec(listed) ?? [];
  if (!mode.startsWith("100") || Number(size) > limit) return null;
  return shadow.answer({ args: ["cat-file", "blob", object] });
}

async function textNow(root: string, path: string, limit: number): Promise<string | null> {
  const file = await open(join(root, path), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    () => null,
  );
  if (file === null) return null;
  try {
    const stats = await file.stat();
    if (!stats.isFile() || stats.size > limit || !(await isBelow(root, `/proc/self/fd/${file.fd}`))) return null;
    const bytes = await file.readFile();
    return isUtf8(bytes) ? bytes.toString("utf8") : null;
  } finally {
    await file.close();
  }
}

/** Where the system does not tell the path of an open file, its folders were looked at by git. */
async function isBelow(root: string, place: string): Promise<boolean> {
  const real = await realpath(place).catch(() => null);
  return real === null || real.startsWith(root + sep);
}
