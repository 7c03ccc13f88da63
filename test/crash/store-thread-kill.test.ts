import { spawn } from "node:child_process";
import { hash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import type { EventLog } from "../../src/ports/event-log.ts";
import { openSqliteLog } from "../../src/stores/sqlite/open-sqlite-log.ts";
import { Random } from "../simulation/random.ts";

const KILLS = Number(process.env["BATON_THREAD_KILLS"] ?? 10);
/** What each of them is let say before it is killed. */
const LEAST_SAID = 400;
const folder = mkdtempSync(join(tmpdir(), "baton-thread-kill-"));
afterAll(() => rmSync(folder, { recursive: true }));

it(`${KILLS} processes whose threads are killed while they store lose nothing that was acknowledged`, async () => {
  const path = join(folder, "log.db");
  let acknowledged = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const lines = (await saidUntilKilled(path, `p${kill}`)).matchAll(/^ACK (\S+) (\d+) (\S+)$/gm);
    const log = openSqliteLog(path);
    for (const [, run = "", sequence, text = ""] of lines) {
      acknowledged++;
      expect((await log.run(run))?.sequence ?? 0, run).toBeGreaterThanOrEqual(Number(sequence));
      expect(await log.text(text), `text ${text}`).not.toBeNull();
    }
    for (const { run, sequence } of await log.runsFrom(`p${kill}-`, 1_000_000)) await expectWhole(log, run, sequence);
    expect(await log.findBreak()).toBeNull();
    await log.close();
  }
  expect(acknowledged).toBeGreaterThanOrEqual(KILLS * LEAST_SAID);
});

/** What is asked for in one go is there or not, but never a part of it. */
async function expectWhole(log: EventLog, run: string, sequence: number): Promise<void> {
  expect((await log.messages(run)).length, `the letter of ${run}`).toBe(1);
  for (let after = 0; after < sequence; after += 2) {
    const text = hash("sha256", `${run} ${after} `.repeat(20), "hex");
    expect(await log.text(text), `text ${after} of ${run}`).not.toBeNull();
  }
}

const random = new Random(20261118);

function saidUntilKilled(path: string, name: string): Promise<string> {
  const script = join(import.meta.dirname, "store-thread-kill-worker.ts");
  const child = spawn(process.execPath, [script, path, name], { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  let lines = 0;
  child.stdout.on("data", (text: Buffer) => {
    said += text.toString();
    lines += text.toString().split("\n").length - 1;
    // At a moment that has nothing to do with what it does.
    if (lines >= LEAST_SAID) setTimeout(() => child.kill("SIGKILL"), random.next() * 20);
  });
  return new Promise((resolve) => child.on("close", () => resolve(said)));
}
