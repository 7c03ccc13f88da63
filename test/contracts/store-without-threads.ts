import { openSqliteLog } from "../../src/stores/sqlite/open-sqlite-log.ts";
import { commitOf, LATER, newRun, someEntries } from "./event-log-commits.ts";

/** Run where threads are forbidden: asks for many writes at once, and says how many are stored. */
const log = openSqliteLog(process.argv[2] ?? "");
const names = Array.from({ length: 40 }, (_, index) => `r${index}`);
const leases = await Promise.all(names.map((run) => log.create(newRun(run), "worker", LATER)));
for (let after = 0; after < 2; after++)
  await Promise.all(leases.map((lease) => log.commit(commitOf(lease, after, { entries: someEntries(1) }))));
console.log(`stored ${await log.lastPosition()}`);
await log.close();
