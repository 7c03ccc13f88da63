import { openSqliteLog } from "../../src/stores/sqlite/open-sqlite-log.ts";
import { LATER, newRun } from "./event-log-commits.ts";

/** Closes its log as soon as a thread is starting, and says so: nothing else keeps this process alive. */
const log = openSqliteLog(process.argv[2] ?? "");
let isStarting = false;
process.on("worker", () => (isStarting = true));
for (let round = 0; !isStarting; round++) {
  const names = Array.from({ length: 40 }, (_, index) => `${round}-${index}`);
  await Promise.all(names.map((run) => log.create(newRun(run), "worker", LATER)));
}
await log.close();
console.log("closed");
process.exitCode = 7;
