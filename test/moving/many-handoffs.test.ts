import { execFile } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hashOfText } from "../../src/audit/hash-chain.ts";
import { openSqliteLog } from "../../src/stores/sqlite/open-sqlite-log.ts";
import type { EventLog } from "../../src/ports/event-log.ts";
import { commitOf, LATER, someEntries } from "../contracts/event-log-commits.ts";
import { startPostgres, type TestPostgres, whyNoPostgres } from "../postgres/start-postgres.ts";
import { logicalHash } from "./logical-hash.ts";
import { newMoveRoom } from "./move-room.ts";

const HANDOFFS = Number(process.env["BATON_MOVED_HANDOFFS"] ?? 1_000);
const OF_A_RUN = 50;
const AT_ONCE = 100;
/** So little that a log of a hundred thousand handoffs does not fit. */
const HEAP = "--max-old-space-size=96";
const WORKER = join(import.meta.dirname, "move-worker.ts");

describe.skipIf(whyNoPostgres !== null)("a state with many handoffs", () => {
  let server: TestPostgres;
  let url = "";
  beforeAll(async () => {
    server = await startPostgres();
    url = await server.database();
  });
  afterAll(() => server.stop());

  it(`moves to Postgres and back (${HANDOFFS} handoffs)`, async () => {
    const room = newMoveRoom(url, null);
    await fill(room.path);
    const before = logicalHash(room.path);
    const megabytes = Math.round(statSync(room.path).size / 1_000_000);
    for (const to of ["postgres", "sqlite"]) {
      const { url: address, schema } = room.place;
      const { stdout } = await promisify(execFile)(process.execPath, [HEAP, WORKER, room.path, address, schema, to]);
      const moved = JSON.parse(stdout.split("\n")[1] ?? "") as { kind: string; rows: number; milliseconds: number };
      expect(moved.kind).toBe("moved");
      expect(moved.rows).toBeGreaterThan(HANDOFFS * 4);
      console.log(`${HANDOFFS} handoffs, a file of ${megabytes} MB, to ${to}: ${JSON.stringify(moved)}`);
    }
    expect(logicalHash(room.path)).toBe(before);
    room.remove();
  }, 3_600_000);
});

/** Runs of many handoffs, each with its text, what was decided, and a message that was taken. */
async function fill(path: string): Promise<void> {
  const log = openSqliteLog(path);
  const workflow = hashOfText("{}");
  await log.putWorkflow(workflow, {});
  const runs = Array.from({ length: Math.ceil(HANDOFFS / OF_A_RUN) }, (_, number) => number);
  for (let first = 0; first < runs.length; first += AT_ONCE)
    await Promise.all(runs.slice(first, first + AT_ONCE).map((number) => fillRun(log, workflow, number)));
  await log.checkpoint();
  await log.close();
}

async function fillRun(log: EventLog, workflow: string, number: number): Promise<void> {
  const run = `run-${number}`;
  const lease = await log.create(
    { run, name: "pipeline", workflow, at: 1_000, brief: `Work ${number}` },
    "worker",
    LATER,
  );
  for (let at = 0; at < OF_A_RUN; at++) {
    const id = `message-${at}`;
    const said = `${run} handed over step ${at}. `;
    await log.postMessage({ run, id, input: { kind: "input", said } });
    const text = await log.putText(said.repeat(20));
    const accepted = { kind: "handoff-accepted", data: { delivery: { handoff: { summary: said.repeat(4) }, text } } };
    const isLast = at === OF_A_RUN - 1;
    const entries = [...someEntries(2), accepted];
    await log.commit(
      commitOf(lease, at * 3, { at: 2_000 + at, entries, taken: [id], finished: isLast, summary: { at } }),
    );
  }
}
