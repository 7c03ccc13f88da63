import { openSqliteLog } from "../../src/stores/sqlite/open-sqlite-log.ts";
import { openThreadedLog } from "../contracts/open-threaded-log.ts";
import { commitOf, LATER, newRun, refusal, someEntries } from "../contracts/event-log-commits.ts";

/** Makes a run of its own, commits to it and writes to the mailbox of a run that all share. */
const [path = "", name = "", commits = "0", writer = ""] = process.argv.slice(2);
const log = writer === "thread" ? (await openThreadedLog(path)).log : openSqliteLog(path);
const lease = await log.create(newRun(name), name, LATER);
for (let after = 0; after < Number(commits); after++) {
  await log.commit(commitOf(lease, after, { entries: someEntries(1, after) }));
}
// One of all processes makes it, the others are told so.
const refused = await refusal(log.create(newRun("shared"), name, LATER));
if (refused !== "exists") console.log(`made it: ${refused}`);
await log.postMessage({ id: name, run: "shared", input: {} });
await log.close();
