import { writeSync } from "node:fs";
import { openThreadedLog } from "../contracts/open-threaded-log.ts";
import { commitOf, LATER, newRun, someEntries } from "../contracts/event-log-commits.ts";

/** Commits to many runs at once by way of the thread, and says `ACK run sequence` for each that has resolved. */
const [path = "", name = "", runs = "20"] = process.argv.slice(2);
const { log } = await openThreadedLog(path);
await Promise.all(
  Array.from({ length: Number(runs) }, async (_, index) => {
    const lease = await log.create(newRun(`${name}-${index}`), name, LATER);
    for (let after = 0; ; after++) {
      const text = await log.putText(`${lease.run} ${after} `.repeat(20));
      await log.commit(commitOf(lease, after, { entries: [{ kind: "kept", data: { text } }, ...someEntries(1)] }));
      writeSync(1, `ACK ${lease.run} ${after + 2} ${text}\n`);
      after++;
    }
  }),
);
