import type { Worker } from "node:worker_threads";
import type { EventLog } from "../../src/ports/event-log.ts";
import type { Notary } from "../../src/ports/notary.ts";
import { openSqliteLog } from "../../src/stores/sqlite/open-sqlite-log.ts";

export interface ThreadedLog {
  readonly log: EventLog;
  readonly thread: Worker;
}

/** A log whose thread has come up and stores everything that can be given to it from now on. */
export async function openThreadedLog(path: string, options: { readonly notary?: Notary } = {}): Promise<ThreadedLog> {
  const started = new Promise<Worker>((resolve) => {
    const look = (worker: Worker): void => {
      process.off("worker", look);
      // What it tells first is that it has the file open.
      worker.once("message", () => resolve(worker));
    };
    process.on("worker", look);
  });
  const log = openSqliteLog(path, { ...options, many: 1 });
  // Changes nothing, and is the first write.
  await log.release({ run: "nobody", worker: "nobody", fence: 0, until: 0 });
  return { log, thread: await started };
}
