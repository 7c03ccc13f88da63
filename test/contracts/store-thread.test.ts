import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import type { EventLog, Lease } from "../../src/ports/event-log.ts";
import { fileNotary } from "../../src/stores/notary/file-notary.ts";
import { openSqliteLog } from "../../src/stores/sqlite/open-sqlite-log.ts";
import { commitOf, LATER, newRun, refusal, someEntries } from "./event-log-commits.ts";
import { openThreadedLog, type ThreadedLog } from "./open-threaded-log.ts";

const RUNS = 40;
const folder = mkdtempSync(join(tmpdir(), "baton-thread-"));
afterAll(() => rmSync(folder, { recursive: true }));
let opened = 0;

function newPath(): string {
  return join(folder, `${opened++}.db`);
}

async function startRuns(log: EventLog): Promise<Lease[]> {
  return Promise.all(Array.from({ length: RUNS }, (_, index) => log.create(newRun(`r${index}`), "worker", LATER)));
}

/** One commit to each run, all at once. */
async function commitAll(log: EventLog, leases: readonly Lease[], after: number): Promise<void> {
  await Promise.all(leases.map((lease) => log.commit(commitOf(lease, after, { entries: someEntries(1, after) }))));
}

describe("a thread that stores", () => {
  let path = "";
  let threaded: ThreadedLog;
  beforeEach(async () => {
    path = newPath();
    threaded = await openThreadedLog(path);
  });
  afterEach(() => threaded.log.close());

  it("has what it answered on the disk, where everybody sees it", async () => {
    const { log } = threaded;
    const leases = await startRuns(log);
    await commitAll(log, leases, 0);
    const other = openSqliteLog(path);
    expect((await other.runs({ limit: RUNS + 1 })).map(({ sequence }) => sequence)).toEqual(leases.map(() => 1));
    await other.close();
    expect(await log.findBreak()).toBeNull();
  });

  it("refuses one write of many and stores the others", async () => {
    const { log } = threaded;
    const [first, second, third] = await startRuns(log);
    const asked = [
      refusal(log.commit(commitOf(first!, 0, { entries: someEntries(1) }))),
      refusal(log.commit(commitOf(second!, 7, { entries: someEntries(1) }))),
      refusal(log.create(newRun("r0"), "worker", LATER)),
      refusal(log.commit(commitOf(third!, 0, { entries: someEntries(1) }))),
    ];
    expect(await Promise.all(asked)).toEqual([null, "conflict", "exists", null]);
    expect(await log.lastPosition()).toBe(2);
  });

  it("keeps texts and values as they were, whatever stands in them", async () => {
    const { log } = threaded;
    const [lease] = await startRuns(log);
    const text = '\u0000 \ud800 \u2028 \u{1f3c3} {"a":1}';
    const hash = await log.putText('\u0000 \u2028 \u{1f3c3} {"a":1}'.repeat(3_000));
    const data = { text, zero: -0, tiny: 5e-324, ["__proto__"]: { own: true }, list: [null, [], {}] };
    await log.commit(commitOf(lease!, 0, { entries: [{ kind: "step", data: JSON.parse(JSON.stringify(data)) }] }));
    expect(await log.text(hash)).toBe('\u0000 \u2028 \u{1f3c3} {"a":1}'.repeat(3_000));
    expect((await log.entries("r0"))[0]?.data).toEqual(JSON.parse(JSON.stringify(data)));
    expect(await log.findBreak()).toBeNull();
  });

  it("never lets a later write overtake an earlier one", async () => {
    const { log } = threaded;
    const leases = await startRuns(log);
    for (let after = 0; after < 5; after++) {
      const seen: string[] = [];
      await Promise.all(
        leases.map(async (lease) => {
          const kept = log.putText(`${lease.run} ${after}`).then(() => seen.push(`text ${lease.run}`));
          await log.commit(commitOf(lease, after, { entries: someEntries(1, after) }));
          seen.push(`commit ${lease.run}`);
          await kept;
        }),
      );
      for (const { run } of leases) expect(seen.indexOf(`text ${run}`)).toBeLessThan(seen.indexOf(`commit ${run}`));
    }
  });

  it("that dies loses nothing that was answered, and the log goes on without it", async () => {
    const { log, thread } = threaded;
    const leases = await startRuns(log);
    await commitAll(log, leases, 0);
    const asked = leases.map((lease) => refusal(log.commit(commitOf(lease, 1, { entries: someEntries(1) }))));
    const ended = new Promise((resolve) => thread.once("exit", resolve));
    await thread.terminate();
    await ended;
    const refused = await Promise.all(asked);
    expect(refused.filter((code) => code !== null && code !== "unavailable")).toEqual([]);
    for (const [index, { run }] of leases.entries()) {
      const sequence = (await log.run(run))?.sequence ?? 0;
      if (refused[index] === null) expect(sequence, run).toBe(2);
      await log.commit(commitOf(leases[index]!, sequence, { entries: someEntries(1) }));
    }
    expect(await log.findBreak()).toBeNull();
  });

  it("waits for another process that holds the lock", async () => {
    const { log } = threaded;
    const leases = await startRuns(log);
    const holder = new DatabaseSync(path);
    holder.exec("BEGIN IMMEDIATE");
    const asked = commitAll(log, leases, 0);
    setTimeout(() => {
      holder.exec("ROLLBACK");
      holder.close();
    }, 150);
    await asked;
    expect(await log.lastPosition()).toBe(RUNS);
  });
});

it("a log and its thread are closed as one", async () => {
  const path = newPath();
  const { log } = await openThreadedLog(path);
  const leases = await startRuns(log);
  const asked = commitAll(log, leases, 0);
  await log.close();
  await asked;
  expect(existsSync(`${path}-wal`)).toBe(false);
  expect(await refusal(log.post({ id: "late", run: "r0", input: {} }))).toBe("unavailable");
});

it("checkpoints are signed in between, and cover everything in the end", async () => {
  const path = newPath();
  const notary = fileNotary({ folder: join(folder, "notary"), place: path, forbidden: [] });
  const { log } = await openThreadedLog(path, { notary });
  const leases = await startRuns(log);
  for (let after = 0; after < 20; after++) await commitAll(log, leases, after);
  await log.close();
  const again = openSqliteLog(path);
  const snapshot = await again.snapshot();
  const bodies = snapshot.checkpoints(0, 1_000).map(({ body }) => JSON.parse(body) as { position: number });
  snapshot.close();
  expect(bodies.length).toBeGreaterThan(1);
  expect(bodies.at(-1)?.position).toBe(RUNS * 20);
  expect(await again.findBreak()).toBeNull();
  await again.close();
});

it("few writes at once start no thread", async () => {
  const started: unknown[] = [];
  const look = (worker: unknown): void => void started.push(worker);
  process.on("worker", look);
  const log = openSqliteLog(newPath());
  const leases = await Promise.all(["a", "b", "c"].map((run) => log.create(newRun(run), "worker", LATER)));
  await commitAll(log, leases, 0);
  await log.close();
  process.off("worker", look);
  expect(started).toEqual([]);
});
