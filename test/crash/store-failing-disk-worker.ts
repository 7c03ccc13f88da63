import { writeSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { type EventLog, type Lease, StoreError } from "../../src/ports/event-log.ts";
import { openSqliteLog } from "../../src/stores/sqlite/open-sqlite-log.ts";
import { commitOf, LATER, newRun } from "../contracts/event-log-commits.ts";

/**
 * Works on while calls to the disk fail. Says `ACK number` for what resolved and `REFUSED code` for what did not;
 * anything but a StoreError ends it with an error.
 */
const [path = "", commits = "10", besides] = process.argv.slice(2);
let log: EventLog | null = null;
/** Another connection of the process, as a server has one for long work. */
let other: EventLog | null = null;
let lease: Lease | null = null;
let after = 0;

for (let number = 1; number <= Number(commits); number++) {
  try {
    log ??= openSqliteLog(path, { lockTimeout: 50 });
    if (besides !== undefined) other ??= openSqliteLog(path, { lockTimeout: 50 });
    lease ??= (await log.acquire("run", "worker", LATER, 2 * LATER).catch(createWhenMissing)) ?? null;
    if (lease === null) throw new Error("nobody else could hold the lease");
    const data = { number, text: "x".repeat((number * 1_777) % 6_000) };
    await log.commit(commitOf(lease, after, { entries: [{ kind: "step", data }] }));
    after++;
    writeSync(1, `ACK ${number}\n`);
    if (number % 4 === 0) checkpoint();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    writeSync(1, `REFUSED ${error.code}\n`);
    // As an engine would: what was refused may be there after all, so look before going on.
    after = (await log?.run("run").catch(() => null))?.sequence ?? after;
  }
}
await Promise.all([log?.close(), other?.close()]);

function createWhenMissing(error: unknown): Promise<Lease> {
  if (log === null || !(error instanceof StoreError) || error.code !== "no-such-run") throw error;
  return log.create(newRun("run"), "worker", 2 * LATER);
}

function checkpoint(): void {
  try {
    const database = new DatabaseSync(path);
    database.exec("PRAGMA wal_checkpoint(PASSIVE)");
    database.close();
  } catch {
    writeSync(1, "the checkpoint failed\n");
  }
}
