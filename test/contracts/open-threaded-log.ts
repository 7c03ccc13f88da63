import type { Worker } from "node:worker_threads";
import type { EventLog } from "../../src/ports/event-log.ts";
import type { Notary } from "../../src/ports/notary.ts";
import { openSqliteLog } from "../../src/stores/sqlite/open-sqlite-log.ts";

export interface ThreadedLog {
  readonly log: EventLog;
  readonly thread: Worker;
}

const NOBODYS = { run: "nobody", worker: "nobody", fence: 0, until: 0 };

/** A log whose thread has come up and stores what can be given to it from now on: everything, or what is asked for `many` at once. */
export async function openThreadedLog(
  path: string,
  { many = 1, ...options }: { readonly notary?: Notary; readonly many?: number } = {},
): Promise<ThreadedLog> {
  const started = new Promise<Worker>((resolve) => {
    const look = (worker: Worker): void => {
      process.off("worker", look);
      // What it tells first is that it has the file open.
      worker.once("message", () => resolve(worker));
    };
    process.on("worker", look);
  });
  const log = openSqliteLog(path, { ...options, many });
  // Change nothing, and are the writes that make it worth a thread.
  for (let time = 0; time < 2; time++) await Promise.all(Array.from({ length: many }, () => log.release(NOBODYS)));
  return { log, thread: await started };
}
