import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import type { Worker } from "node:worker_threads";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { type EventLog, type Lease, StoreError } from "../../src/ports/event-log.ts";
import type { JsonRecord } from "../../src/shared/json-value.ts";
import { hashOfText } from "../../src/audit/hash-chain.ts";
import { fileLogSigner } from "../../src/stores/signer/file-log-signer.ts";
import { openSqliteLog } from "../../src/stores/sqlite/open-sqlite-log.ts";
import { Connection } from "../../src/stores/sqlite/connection.ts";
import type { WriteJob } from "../../src/stores/sqlite/write-job.ts";
import { type WriteResult, type Helper, WriteQueue } from "../../src/stores/sqlite/write-queue.ts";
import type { WriteOrder } from "../../src/stores/sqlite/writer-thread.ts";
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
    const asked = leases.map((lease) => log.commit(commitOf(lease, 1, { entries: someEntries(1) })));
    const late = ["a", "b"].map((run) => log.create(newRun(run), "worker", LATER));
    // The thread has all of it by then.
    await new Promise((resolve) => setImmediate(resolve));
    await thread.terminate();
    await Promise.all(asked);
    expect((await Promise.all(late)).map(({ fence }) => fence)).toEqual([1, 1]);
    await commitAll(log, leases, 2);
    for (const { run } of leases) expect((await log.run(run))?.sequence, run).toBe(3);
    expect(await log.lastPosition()).toBe(3 * RUNS);
    expect(await log.findBreak()).toBeNull();
  });

  it("that dies after it has stored, before it could say so, has nothing done twice", async () => {
    const { log, thread } = threaded;
    const [lease] = await startRuns(log);
    thread.removeAllListeners("message");
    const asked = [
      log.commit(commitOf(lease!, 0, { entries: someEntries(2) })),
      log.create(newRun("late"), "worker", LATER),
    ] as const;
    while ((await log.run("late")) === null) await new Promise((resolve) => setImmediate(resolve));
    await thread.terminate();
    expect((await Promise.all(asked))[1]).toMatchObject({ run: "late", fence: 1 });
    expect(await log.lastPosition()).toBe(2);
  });

  it("refuses what is no JSON, and nothing but that", async () => {
    const { log } = threaded;
    const [first, second] = await startRuns(log);
    const strange = { count: 1n } as unknown as JsonRecord;
    const asked = await Promise.allSettled([
      log.commit(commitOf(first!, 0, { entries: someEntries(1) })),
      log.postMessage({ id: "strange", run: "r1", input: strange }),
      log.commit(commitOf(second!, 0, { entries: someEntries(1) })),
    ]);
    expect(asked.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(await log.lastPosition()).toBe(2);
  });

  it("keeps no text whose commit it cannot store", async () => {
    const { log } = threaded;
    const [lease] = await startRuns(log);
    const spoiled = { ...commitOf(lease!, 0, { entries: someEntries(1) }), at: "never" as unknown as number };
    const asked = await Promise.allSettled([log.putText("named by nothing"), log.commit(spoiled)]);
    expect(asked.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(await log.text(hashOfText("named by nothing"))).toBeNull();
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
  expect(await refusal(log.postMessage({ id: "late", run: "r0", input: {} }))).toBe("unavailable");
});

it("checkpoints are signed in between, and cover everything in the end", async () => {
  const path = newPath();
  const logSigner = fileLogSigner({ folder: join(folder, "notary"), place: path, forbidden: [] });
  const { log } = await openThreadedLog(path, { logSigner });
  const leases = await startRuns(log);
  for (let after = 0; after < 20; after++) await commitAll(log, leases, after);
  await log.close();
  const again = openSqliteLog(path);
  const snapshot = await again.snapshot();
  const bodies = (await snapshot.checkpoints(0, 1_000)).map(({ body }) => JSON.parse(body) as { position: number });
  await snapshot.close();
  expect(bodies.length).toBeGreaterThan(1);
  expect(bodies.at(-1)?.position).toBe(RUNS * 20);
  expect(await again.findBreak()).toBeNull();
  await again.close();
});

it("what is asked for without waiting in between, up to a commit, goes to the thread as one", async () => {
  const { log, thread } = await openThreadedLog(newPath(), { minBatchForThread: 16 });
  const orders = ordersTo(thread);
  await Promise.all(
    Array.from({ length: RUNS }, async (_, index) => {
      // Each in a stretch of its own, one after the other in the same turn.
      await Promise.resolve();
      const run = `r${index}`;
      const start = { id: "start", run, input: {} };
      const [lease] = await Promise.all([
        log.create(newRun(run), "worker", LATER),
        log.putText(run),
        log.postMessage(start),
      ]);
      const texts = ["a", "b"].map((text) => log.putText(run + text));
      await Promise.all([...texts, log.commit(commitOf(lease, 0, { entries: someEntries(1) }))]);
    }),
  );
  await log.close();
  expect(orders.flat()).toHaveLength(6 * RUNS);
  expect(orders.length).toBeGreaterThan(2);
  for (const kinds of orders) expect(kinds.join()).toMatch(/^(create,text,post,?|text,text,commit,?)+$/);
});

/** What the thread is told from now on, by kind. */
function ordersTo(thread: Worker): string[][] {
  const orders: string[][] = [];
  const send = thread.postMessage.bind(thread);
  thread.postMessage = (order: string | null) => {
    if (order !== null) orders.push((JSON.parse(order) as WriteOrder).jobs.map(({ kind }) => kind));
    send(order);
  };
  return orders;
}

it("a log that is closed while its thread starts is closed all the same, and its process ends as it wants", async () => {
  const path = newPath();
  const ended = await promisify(execFile)(process.execPath, [join(import.meta.dirname, "store-closed-early.ts"), path])
    .then(() => null)
    .catch((error: { readonly code: number; readonly stdout: string }) => error);
  expect(ended).toMatchObject({ code: 7, stdout: "closed\n" });
  expect(existsSync(`${path}-wal`)).toBe(false);
});

it("a thread never makes a new file where the old one was moved away, and nothing is acknowledged", async () => {
  const place = join(folder, "moved");
  const log = openSqliteLog(join(place, "log.db"), { minBatchForThread: 1 });
  const lease = await log.create(newRun("a"), "worker", LATER);
  await log.commit(commitOf(lease, 0, { entries: someEntries(1) }));
  renameSync(place, join(folder, "elsewhere"));
  for (let attempts = 0; attempts < 3; attempts++)
    expect(await refusal(log.commit(commitOf(lease, 1, { entries: someEntries(1) })))).toBe("gone");
  await log.close();
  expect(existsSync(place)).toBe(false);
  const again = openSqliteLog(join(folder, "elsewhere", "log.db"));
  expect(await again.lastPosition()).toBe(1);
  await again.close();
});

it("where no thread can be started everything is stored without one", async () => {
  const script = join(import.meta.dirname, "store-without-threads.ts");
  const allowed = ["--permission", "--allow-fs-read=*", "--allow-fs-write=*"];
  const path = newPath();
  // There already: what a new file needs is forbidden there, too.
  await openSqliteLog(path).close();
  const { stdout } = await promisify(execFile)(process.execPath, [...allowed, script, path]);
  expect(stdout).toBe("stored 80\n");
});

it("a thread is not ended while it stores, also when the file was locked for too long", async () => {
  const sent: ((answers: readonly WriteResult[]) => void)[] = [];
  let inFlight = 0;
  const endedWith: number[] = [];
  const helper: Helper = {
    minBatch: 1,
    get isReady() {
      return endedWith.length === 0;
    },
    start: () => undefined,
    store: () => {
      inFlight++;
      return new Promise<readonly WriteResult[]>((answer) => sent.push(answer)).finally(() => inFlight--);
    },
    close: async () => void endedWith.push(inFlight),
  };
  const open = (): DatabaseSync => new DatabaseSync(":memory:");
  const queue = new WriteQueue(
    new Connection(open(), { path: ":memory:", prepare: () => null, reopen: open }),
    100,
    helper,
  );
  const commit = (name: string): Promise<string> =>
    queue.write(() => name, { job: { kind: "commit" } as WriteJob, again: () => name });
  const [first, second] = [refusal(commit("first")), commit("second")];
  sent[0]?.([{ error: new StoreError("busy", "locked") }]);
  expect(await first).toBe("busy");
  const third = commit("third");
  sent[1]?.([{ value: "second" }]);
  expect(await Promise.all([second, third])).toEqual(["second", "third"]);
  expect(endedWith).toEqual([0]);
  await queue.close();
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
