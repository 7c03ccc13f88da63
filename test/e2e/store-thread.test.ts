import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Worker } from "node:worker_threads";
import { afterAll, expect, it } from "vitest";
import { openSqliteLog } from "../../src/stores/sqlite/open-sqlite-log.ts";

const PROGRAM = join(import.meta.dirname, "../../dist/cli/store-writes.cjs");
const folder = mkdtempSync(join(tmpdir(), "baton-built-thread-"));
afterAll(() => rmSync(folder, { recursive: true }));

it("the thread that stores is shipped beside the command, and works there", async () => {
  const path = join(folder, "log.db");
  await openSqliteLog(path).close();
  const database = new DatabaseSync(path);
  const log = database.prepare("SELECT log FROM ledger").get()?.["log"];
  database.close();
  const worker = new Worker(PROGRAM, { workerData: { path, lockTimeout: 1_000, log } });
  const next = (): Promise<unknown> =>
    new Promise((resolve, reject) => {
      worker.once("message", resolve);
      worker.once("error", reject);
    });
  expect(await next()).toEqual({ id: null, answers: [] });
  const run = { run: "a", name: "flow", workflow: "0".repeat(64), at: 1 };
  const job = { kind: "create", run, worker: "w", until: 5 };
  worker.postMessage(JSON.stringify({ id: 1, jobs: [job, job] }));
  expect(await next()).toEqual({
    id: 1,
    answers: [
      { value: { run: "a", worker: "w", fence: 1, until: 5 } },
      { code: "exists", message: "run a already exists" },
    ],
  });
  const ended = new Promise((resolve) => worker.once("exit", resolve));
  worker.postMessage(null);
  expect(await ended).toBe(0);
});
