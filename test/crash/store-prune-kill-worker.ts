import { writeSync } from "node:fs";
import { endRun } from "../contracts/pruning.ts";
import { openSqliteLog } from "../../src/stores/sqlite/open-sqlite-log.ts";

/**
 * `write`: runs that end at once and name a few of the same texts again and again, `ACK run` for each that has
 * resolved. `prune`: everything that has ended, again and again; the file is written anew each time that it pays.
 */
const [path = "", what = "", name = ""] = process.argv.slice(2);
const log = openSqliteLog(path);
for (let round = 0; ; round++) {
  if (what === "prune") {
    await log.prune(15);
    writeSync(1, `PRUNED ${round}\n`);
    continue;
  }
  // Those that end later than 15 are kept.
  const [run, at] = [`${name}-${round}`, round % 2 === 0 ? 10 : 20];
  await endRun(log, run, at, [textOf(round % 3), textOf(round % 5), `${run} alone ${"x".repeat(300_000)}`]);
  writeSync(1, `ACK ${run}\n`);
}

/** Too long to be packed into the page of another. */
function textOf(number: number): string {
  return `${number} `.repeat(5_000);
}
