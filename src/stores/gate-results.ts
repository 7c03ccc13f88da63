import { createHash, randomUUID } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { GateResult, GateResults } from "../ports/gate-results.ts";
import { isRecord } from "../shared/json-value.ts";

/** One small file for each; a file that cannot be read is as good as none. */
export function gateResultFiles(folder: string): GateResults {
  const fileOf = (key: string): string => join(folder, `${createHash("sha256").update(key).digest("hex")}.json`);
  return {
    async find(key) {
      try {
        const found: unknown = JSON.parse(await readFile(fileOf(key), "utf8"));
        return isRecord(found) && found["key"] === key ? (found["result"] as unknown as GateResult) : null;
      } catch {
        return null;
      }
    },
    async keep(key, result) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const temporary = join(folder, `${randomUUID()}.tmp`);
      try {
        await writeFile(temporary, JSON.stringify({ key, result }), { mode: 0o600 });
        await rename(temporary, fileOf(key));
      } finally {
        await rm(temporary, { force: true });
      }
    },
  };
}
