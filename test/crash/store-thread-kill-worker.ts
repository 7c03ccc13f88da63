import { writeSync } from "node:fs";
import { openThreadedLog } from "../contracts/open-threaded-log.ts";
import { commitOf, LATER, newRun, someEntries } from "../contracts/event-log-commits.ts";

/**
 * Commits to many runs at once by way of the thread, and says `ACK run sequence text` for each that has resolved. New
 * runs are begun all the time: each with its first letter in one go, as the runtime does.
 */
const [path = "", name = "", runs = "40"] = process.argv.slice(2);
const { log } = await openThreadedLog(path, { minBatchForThread: 16 });
await Promise.all(
  Array.from({ length: Number(runs) }, async (_, index) => {
    for (let round = 0; ; round++) await live(`${name}-${index}-${round}`);
  }),
);

async function live(run: string): Promise<void> {
  const [lease] = await Promise.all([
    log.create(newRun(run), name, LATER),
    log.putWorkflow("0".repeat(64), {}),
    log.postMessage({ id: "start", run, input: { kind: "start" } }),
  ]);
  for (let after = 0; after < 6; after += 2) {
    const kept = log.putText(`${run} ${after} `.repeat(20));
    const commit = commitOf(lease, after, { entries: [{ kind: "kept", data: { after } }, ...someEntries(1)] });
    const [text] = await Promise.all([kept, log.commit(commit)]);
    say(`ACK ${run} ${after + 2} ${text}\n`);
  }
}

/** Whoever listens may be slow. */
function say(line: string): void {
  for (;;) {
    try {
      writeSync(1, line);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
    }
  }
}
