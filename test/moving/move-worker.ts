import { dirname, join } from "node:path";
import type { MoveEnd, MoveSource, MoveTarget } from "../../src/stores/moving/move-ends.ts";
import { moveLog } from "../../src/stores/moving/move-log.ts";
import { postgresEnd } from "../../src/stores/postgres/move-postgres.ts";
import { sqliteEnd } from "../../src/stores/sqlite/move-sqlite.ts";

/**
 * Moves a log in a process of its own, and kills itself at a step; without one it says how long it took and how much
 * memory it had.
 */
const [path = "", url = "", schema = "", to = "", step = ""] = process.argv.slice(2);
const isGone = (): boolean => true;
const files = dyingEnd(sqliteEnd({ path, knowledge: join(dirname(path), "knowledge.db"), isGone }));
const database = dyingEnd(postgresEnd({ url, schema, isGone }));
const [left, arrived] = to === "postgres" ? [files, database] : [database, files];
process.stdout.write("begun\n");
const began = performance.now();
const outcome = await moveLog({
  from: left,
  to: arrived,
  move: `of-process-${process.pid}`,
  at: 1_790_000_000_000,
  trust: () => ({ keys: [], seen: [] }),
});
await left.close();
await arrived.close();
const milliseconds = Math.round(performance.now() - began);
const megabytes = Math.round(process.resourceUsage().maxRSS / 1024);
const count = outcome.kind === "moved" ? outcome.tables.reduce((sum, table) => sum + table.rows, 0) : 0;
process.stdout.write(`${JSON.stringify({ kind: outcome.kind, rows: count, milliseconds, megabytes })}\n`);

function reach(name: string): void {
  if (name === step) process.kill(process.pid, "SIGKILL");
}

/** The same end, which dies before or after a step. */
function dyingEnd(end: MoveEnd): MoveEnd {
  return {
    place: end.place,
    inspect: () => end.inspect(),
    close: () => end.close(),
    async openSource() {
      const source = await end.openSource();
      reach("locked");
      return dyingSource(source);
    },
    async openTarget() {
      const opened = await end.openTarget();
      reach("target opened");
      return dyingTarget(opened);
    },
    async open(move) {
      reach("left");
      await end.open(move);
      reach("opened");
    },
  };
}

function dyingSource(source: MoveSource): MoveSource {
  return {
    read: (table, after) => source.read(table, after),
    snapshot: () => source.snapshot(),
    checkKnowledge: (...keys) => source.checkKnowledge(...keys),
    close: () => source.close(),
    async leave(hold) {
      reach("compared");
      await source.leave(hold);
    },
  };
}

function dyingTarget(target: MoveTarget): MoveTarget {
  return {
    read: (table, after) => target.read(table, after),
    snapshot: () => target.snapshot(),
    checkKnowledge: (...keys) => target.checkKnowledge(...keys),
    close: () => target.close(),
    async write(table, rows) {
      await target.write(table, rows);
      reach(`${table.name} written`);
    },
    async keep(hold) {
      reach("copied");
      await target.keep(hold);
      reach("kept");
    },
  };
}
