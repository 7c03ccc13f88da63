import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { namesIn } from "../../src/stores/stored-hashes.ts";
import { openSqliteLog } from "../../src/stores/sqlite/open-sqlite-log.ts";
import { findingsIn } from "../contracts/pruning.ts";
import { Random } from "../simulation/random.ts";

const KILLS = Number(process.env["BATON_PRUNE_KILLS"] ?? 8);
const folder = mkdtempSync(join(tmpdir(), "baton-prune-kill-"));
afterAll(() => rmSync(folder, { recursive: true }));

it(`${KILLS} prunes that are killed while others write leave no run without its texts`, async () => {
  const random = new Random(20261118);
  const path = join(folder, "log.db");
  await openSqliteLog(path).close();
  const writers = ["a", "b"].map((name) => start(path, "write", name));
  for (let kill = 0; kill < KILLS; kill++) {
    const pruner = start(path, "prune", "");
    await pruner.said(1);
    await new Promise((resolve) => setTimeout(resolve, random.next() * 150));
    await pruner.kill();
  }
  for (const writer of writers) await writer.said(6);
  for (const writer of writers) await writer.kill();
  const log = openSqliteLog(path);
  expect(await findingsIn(log)).toEqual([]);
  const kept = (await log.history(0, 100_000)).filter(({ data }) => data !== null);
  for (const { run, data } of kept)
    for (const name of namesIn(JSON.stringify(data))) expect(await log.text(name), `text of ${run}`).not.toBeNull();
  const lines = writers.flatMap((writer) => writer.lines());
  for (const line of lines) expect((await log.run(line.replace("ACK ", "")))?.sequence, line).toBe(3);
  expect(kept.length).toBeGreaterThan(0);
  // What the killed ones have left is taken away by the next.
  await log.prune(1_000);
  expect((await log.history(0, 100_000)).every(({ data }) => data === null)).toBe(true);
  const snapshot = await log.snapshot();
  expect(snapshot.counts.texts).toBe(snapshot.prunedTexts);
  await snapshot.close();
  expect(await findingsIn(log)).toEqual([]);
  await log.close();
});

interface Worker {
  lines(): string[];
  /** Resolves when it has said so many lines. */
  said(count: number): Promise<void>;
  kill(): Promise<void>;
}

function start(path: string, what: string, name: string): Worker {
  const script = join(import.meta.dirname, "store-prune-kill-worker.ts");
  const child: ChildProcess = spawn(process.execPath, [script, path, what, name], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const closed = new Promise<void>((resolve) => child.on("close", () => resolve()));
  let said = "";
  const lines = (): string[] => said.split("\n").slice(0, -1);
  child.stdout?.on("data", (text: Buffer) => (said += text.toString()));
  return {
    lines,
    said: (count) =>
      new Promise((resolve) => {
        const look = setInterval(() => {
          if (lines().length < count && child.exitCode === null) return;
          clearInterval(look);
          resolve();
        }, 5);
      }),
    async kill() {
      child.kill("SIGKILL");
      await closed;
    },
  };
}
