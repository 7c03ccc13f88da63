import type { Worker } from "node:worker_threads";
import type { EventLog } from "../../src/ports/event-log.ts";
import type { LogSigner } from "../../src/ports/log-signer.ts";
import { openSqliteLog } from "../../src/stores/sqlite/open-sqlite-log.ts";

export interface ThreadedLog {
  readonly log: EventLog;
  readonly thread: Worker;
}

const NOBODYS = { run: "nobody", worker: "nobody", fence: 0, until: 0 };

/** A log whose thread has come up and stores what can be given to it from now on: everything, or what is asked for `minBatchForThread` at once. */
export async function openThreadedLog(
  path: string,
  { minBatchForThread = 1, ...options }: { readonly logSigner?: LogSigner; readonly minBatchForThread?: number } = {},
): Promise<ThreadedLog> {
  const log = openSqliteLog(path, { ...options, minBatchForThread });
  const started: Promise<Worker>[] = [];
  // What it tells first is that it has the file open.
  const look = (worker: Worker): void =>
    void started.push(new Promise((resolve) => worker.once("message", () => resolve(worker))));
  process.on("worker", look);
  // A thread that starts keeps no process alive.
  const alive = setInterval(() => undefined, 1_000);
  // Changes nothing, and is worth a thread once it comes twice in a short time.
  while (started.length === 0) await Promise.all(Array.from({ length: minBatchForThread }, () => log.release(NOBODYS)));
  const thread = await Promise.race(started);
  clearInterval(alive);
  process.off("worker", look);
  return { log, thread };
}
