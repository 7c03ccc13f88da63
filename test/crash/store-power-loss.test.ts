import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSqliteLog } from "../../src/stores/sqlite/open-sqlite-log.ts";
import { Random } from "../simulation/random.ts";
import { CrashDisk } from "./store-crash-disk.ts";
import { type DiskCall, recordCalls } from "./store-recording.ts";
import { reasonToSkip } from "./store-strace.ts";

const STATES = Number(process.env["BATON_CRASH_STATES"] ?? 5_000);
const SEED = Number(process.env["BATON_SEED"] ?? 1);

describe.skipIf(reasonToSkip("strace") !== null)("a loss of power", () => {
  // In memory where there is such a folder: thousands of files are written, and none needs to last.
  const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "baton-power-"));
  let calls: DiskCall[] = [];
  beforeAll(() => {
    const script = join(import.meta.dirname, "store-power-loss-worker.ts");
    calls = recordCalls(script, ["3", "24"], join(folder, "log.db"), join(folder, "trace"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it(
    `at any moment loses nothing that was acknowledged (${STATES} states of the disk)`,
    { timeout: 600_000 },
    async () => {
      expect(await findLosses(calls, STATES)).toEqual([]);
    },
  );

  it("loses something on a disk that only pretends to sync, which shows that losses are seen", async () => {
    const lying = calls.filter(({ kind }, index) => kind !== "sync" || index < calls.length / 3);
    expect((await findLosses(lying, 200)).length).toBeGreaterThan(20);
  });

  /** Goes through the recording once and stops for a few losses of power wherever it comes. */
  async function findLosses(recorded: readonly DiskCall[], states: number): Promise<string[]> {
    const random = new Random(SEED);
    const chance = (): number => random.next();
    const disk = new CrashDisk();
    const acknowledged = new Map<string, number>();
    const losses: string[] = [];
    let made = 0;
    for (const [index, call] of recorded.entries()) {
      disk.apply(call);
      if (call.kind === "said") acknowledge(acknowledged, call.text);
      for (; made * recorded.length < (index + 1) * states; made++) {
        const loss = await whatIsLost(disk.crash(chance), acknowledged);
        if (loss !== null) losses.push(`seed ${SEED}, state ${made}, after call ${index} (${call.kind}): ${loss}`);
      }
    }
    expect(made).toBeGreaterThanOrEqual(states);
    return losses;
  }

  async function whatIsLost(
    files: ReadonlyMap<string, Buffer>,
    acknowledged: ReadonlyMap<string, number>,
  ): Promise<string | null> {
    const path = join(folder, "after.db");
    for (const name of ["", "-wal", "-shm", "-journal"]) rmSync(path + name, { force: true });
    for (const [name, content] of files) {
      if (!name.endsWith("-shm") && name !== "trace")
        writeFileSync(join(folder, name.replace("log.db", "after.db")), content);
    }
    try {
      return integrity(path) ?? (await missing(path, acknowledged));
    } catch (error) {
      return String(error);
    }
  }
});

function integrity(path: string): string | null {
  const database = new DatabaseSync(path);
  const found = database.prepare("PRAGMA integrity_check").get()?.["integrity_check"];
  database.close();
  return found === "ok" ? null : String(found);
}

async function missing(path: string, acknowledged: ReadonlyMap<string, number>): Promise<string | null> {
  const log = openSqliteLog(path);
  try {
    for (const [run, sequence] of acknowledged) {
      const stored = (await log.run(run))?.sequence ?? 0;
      if (stored < sequence) return `run ${run} has ${stored} of ${sequence} acknowledged entries`;
    }
    return (await log.findBreak())?.message ?? null;
  } finally {
    await log.close();
  }
}

function acknowledge(acknowledged: Map<string, number>, text: string): void {
  const [, run, sequence] = /^ACK (\S+) (\d+)/.exec(text) ?? [];
  if (run !== undefined) acknowledged.set(run, Number(sequence));
}
