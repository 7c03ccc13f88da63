import { writeSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { openSqliteLog } from "../../src/stores/sqlite/open-sqlite-log.ts";
import { commitOf, LATER, newRun } from "../contracts/event-log-commits.ts";

/**
 * The workload whose writes are recorded. Says `ACK run sequence` when a commit has resolved, so that the
 * recording shows what was acknowledged when. It closes and opens again, and moves the write-ahead log often.
 */
const [path = "", sessions = "3", commits = "20"] = process.argv.slice(2);
const RUNS = 3;
const sequences = new Map<string, number>();

for (let session = 0; session < Number(sessions); session++) {
  const log = openSqliteLog(path);
  const leases = await Promise.all(
    Array.from({ length: RUNS }, (_, index) => log.create(newRun(`${session}-${index}`), "worker", LATER)),
  );
  for (let round = 0; round < Number(commits); round++) {
    const running = round % 2 === 0 ? leases : leases.slice(0, 1);
    await Promise.all(
      running.map(async (lease) => {
        const after = sequences.get(lease.run) ?? 0;
        const data = { number: after + 1, text: "x".repeat(200 + ((round * 911) % 5_000)) };
        const effects = [{ key: `${after}`, kind: "notify", data: {} }];
        await log.commit(
          commitOf(lease, after, { entries: [{ kind: "step", data }], effects, settled: [`${after - 1}`] }),
        );
        sequences.set(lease.run, after + 1);
        writeSync(1, `ACK ${lease.run} ${after + 1}\n`);
      }),
    );
    if (round % 8 === 7) checkpoint();
  }
  if (session < Number(sessions) - 1) await log.close();
}
process.exit(0);

/** SQLite does this by itself every 1,000 pages; more often means more moments to fail in. */
function checkpoint(): void {
  const database = new DatabaseSync(path);
  database.exec("PRAGMA wal_checkpoint(PASSIVE)");
  database.close();
}
