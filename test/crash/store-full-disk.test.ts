import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { EventLog, Lease } from "../../src/ports/event-log.ts";
import { openSqliteLog } from "../../src/stores/sqlite/open-sqlite-log.ts";
import { commitOf, refusal, startRun } from "../contracts/event-log-commits.ts";
import { reasonToSkip } from "./store-strace.ts";

/** Taken away one after the other, so that there is space again. */
const BALLAST = ["ballast-1", "ballast-2", "ballast-3"];

describe.skipIf(reasonToSkip("mount") !== null)("a full disk", () => {
  const disk = mkdtempSync(join(tmpdir(), "baton-full-"));
  beforeAll(() => void execFileSync("mount", ["-t", "tmpfs", "-o", "size=2m", "tmpfs", disk]));
  afterAll(() => {
    execFileSync("umount", ["--lazy", disk]);
    rmSync(disk, { recursive: true });
  });

  it("is told as such, loses nothing that was acknowledged, and is over when there is space again", async () => {
    const path = join(disk, "log.db");
    const log = openSqliteLog(path);
    const lease = await startRun(log, "a");
    let stored = 0;
    for (const name of BALLAST) writeFileSync(join(disk, name), Buffer.alloc(250_000));
    for (const name of BALLAST) {
      stored = await fill(log, lease, stored);
      expect((await log.entries("a")).length).toBe(stored);
      expect(await refusal(log.backup(join(disk, "backup.db")))).toBe("disk-full");
      rmSync(join(disk, name));
      expect(await refusal(log.commit(step(lease, stored, 1)))).toBeNull();
      stored++;
    }
    await log.close();
    const again = openSqliteLog(path);
    const entries = await again.entries("a");
    expect(entries.map(({ data }) => data?.["number"])).toEqual(Array.from({ length: stored }, (_, index) => index));
    expect(await again.findBreak()).toBeNull();
    await again.close();
    for (const end of ["", "-wal", "-shm"]) rmSync(`${path}${end}`, { force: true });
  });

  it("is told as such to whoever opens the log", async () => {
    const path = join(disk, "full.db");
    const log = openSqliteLog(path);
    await startRun(log, "a", 3);
    await log.close();
    const ballast = join(disk, "ballast");
    expect(() => writeFileSync(ballast, Buffer.alloc(4_000_000))).toThrow(/ENOSPC/);
    expect(() => openSqliteLog(path)).toThrow(expect.objectContaining({ code: "disk-full" }));
    rmSync(ballast);
    const again = openSqliteLog(path);
    expect((await again.entries("a")).length).toBe(3);
    await again.close();
  });
});

/** Commits, single and in groups, until the disk is full. Returns the number of entries acknowledged. */
async function fill(log: EventLog, lease: Lease, from: number): Promise<number> {
  for (let after = from; ; after++) {
    const code = await refusal(log.commit(step(lease, after, 8_000)));
    if (code === null) continue;
    expect(code).toBe("disk-full");
    expect(await refusal(log.commit(step(lease, after, 60_000)))).toBe("disk-full");
    return after;
  }
}

function step(lease: Lease, after: number, size: number): ReturnType<typeof commitOf> {
  return commitOf(lease, after, { entries: [{ kind: "step-ended", data: { number: after, text: "x".repeat(size) } }] });
}
