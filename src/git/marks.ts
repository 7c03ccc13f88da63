import { createHash, randomUUID } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Snapshot } from "../ports/repository.ts";
import { isRecord } from "../shared/json-value.ts";
import type { Shadow } from "./shadow.ts";

/** States that were noted under a key. One whose files have been lost counts as never noted. */
export async function readMark(shadow: Shadow, key: string): Promise<Snapshot | null> {
  try {
    const found: unknown = JSON.parse(await readFile(fileOf(shadow, key), "utf8"));
    if (!isRecord(found) || typeof found["tree"] !== "string") return null;
    const { code } = await shadow.git({ args: ["cat-file", "-e", `${found["tree"]}^{tree}`] });
    return code === 0 ? (found as unknown as Snapshot) : null;
  } catch {
    return null;
  }
}

export async function writeMark(shadow: Shadow, key: string, snapshot: Snapshot): Promise<Snapshot> {
  const file = fileOf(shadow, key);
  const temporary = `${file}.${randomUUID()}`;
  await mkdir(join(shadow.folder, "marks"), { recursive: true });
  await writeFile(temporary, JSON.stringify(snapshot));
  await rename(temporary, file);
  return snapshot;
}

function fileOf(shadow: Shadow, key: string): string {
  return join(shadow.folder, "marks", createHash("sha256").update(key).digest("hex").slice(0, 32));
}
