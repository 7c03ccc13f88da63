import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { hashOfText } from "../../src/audit/hash-chain.ts";
import type { EventLog, StoredEntry } from "../../src/ports/event-log.ts";
import { PostgresConnections } from "../../src/stores/postgres/connection.ts";
import { openPostgresLog } from "../../src/stores/postgres/open-postgres-log.ts";
import { commitOf, LATER, newRun, refusal, someEntries, startRun } from "../contracts/event-log-commits.ts";
import { startFaultProxy } from "./fault-proxy.ts";
import { newLogPlace } from "./postgres-log.ts";
import { startPostgres, type TestPostgres, whyNoPostgres } from "./start-postgres.ts";

/** What only shows when several hosts share one log, or lose it. */
describe.skipIf(whyNoPostgres !== null)("a log that hosts share", () => {
  let server: TestPostgres;
  let url = "";
  beforeAll(async () => {
    server = await startPostgres();
    url = await server.database();
  });
  afterAll(() => server.stop());

  async function hosts(count: number): Promise<EventLog[]> {
    const place = await newLogPlace(url);
    const logs = Array.from({ length: count }, () => openPostgresLog(place));
    onTestFinished(async () => {
      await Promise.all(logs.map((log) => log.close()));
    });
    return logs;
  }

  it("is followed by position without missing an entry, while hosts write at once", async () => {
    const logs = await hosts(4);
    const [reader] = logs;
    const read: StoredEntry[] = [];
    let isWriting = true;
    const follow = async (): Promise<void> => {
      for (let isLast = false; ;) {
        const page = (await reader?.history(read.at(-1)?.position ?? 0, 50)) ?? [];
        read.push(...page);
        if (page.length > 0) continue;
        if (isLast) return;
        isLast = !isWriting;
        await sleep(1);
      }
    };
    const write = async (log: EventLog, host: number): Promise<void> => {
      const leases = await Promise.all([0, 1, 2].map((index) => startRun(log, `run-${host}-${index}`)));
      for (let round = 0; round < 25; round++)
        await Promise.all(leases.map((lease) => log.commit(commitOf(lease, round * 2, { entries: someEntries(2) }))));
    };
    const following = follow();
    await Promise.all(logs.map(write));
    isWriting = false;
    await following;
    expect(read).toHaveLength(4 * 3 * 25 * 2);
    expect(new Set(read.map(({ run, sequence }) => `${run} ${sequence}`)).size).toBe(read.length);
    expect(read.map(({ position }) => position)).toEqual(
      read.map(({ position }) => position).toSorted((a, b) => a - b),
    );
    expect(await reader?.findBreak()).toBeNull();
  });

  it("does not show an entry while a transaction below it is open", async () => {
    const place = await newLogPlace(url);
    const [slow, log] = [new PostgresConnections(place), openPostgresLog(place)];
    onTestFinished(async () => {
      await Promise.all([slow.close(), log.close()]);
    });
    const lease = await startRun(log, "a");
    let finish = (): void => undefined;
    const hasPosition = new Promise<void>((resolve) => {
      void slow.transact(async (queries) => {
        const { nextPositions } = await import("../../src/stores/postgres/log-tables.ts");
        await queries.all(nextPositions(place.schema), [1]);
        resolve();
        await new Promise<void>((end) => (finish = end));
      });
    });
    await hasPosition;
    await log.commit(commitOf(lease, 0, { entries: someEntries(2) }));
    expect(await log.history(0, 9)).toEqual([]);
    expect(await log.entries("a")).toHaveLength(2);
    finish();
    await expect.poll(() => log.history(0, 9)).toHaveLength(2);
  });

  it("creates a run once, and gives it to one host", async () => {
    const logs = await hosts(4);
    const refused = await Promise.all(logs.map((log, host) => refusal(log.create(newRun("a"), `w${host}`, LATER))));
    expect(refused.filter((code) => code === null)).toHaveLength(1);
    expect(refused.filter((code) => code === "exists")).toHaveLength(3);
    expect(await logs[0]?.findBreak()).toBeNull();
  });

  it("leases each idle run to one host, and takes an inbox message once", async () => {
    const logs = await hosts(4);
    const [first] = logs as [EventLog];
    for (let run = 0; run < 12; run++) {
      const lease = await startRun(first, `r${run}`);
      await first.release(lease);
    }
    const posted = await Promise.all(
      logs.flatMap((log) =>
        Array.from({ length: 12 }, (_, run) => log.postMessage({ id: "m", run: `r${run}`, input: {} })),
      ),
    );
    expect(posted.filter(Boolean)).toHaveLength(12);
    const leases = (await Promise.all(logs.map((log, host) => log.acquireIdle(`w${host}`, 1, 100, 5)))).flat();
    expect(new Set(leases.map(({ run }) => run)).size).toBe(leases.length);
  });

  it("takes no lease early from a worker whose clock is ahead", async () => {
    const [log] = (await hosts(1)) as [EventLog];
    const now = Date.now();
    await log.create(newRun("a"), "first", now + 60_000);
    await log.postMessage({ id: "m", run: "a", input: {} });
    const anHour = 3_600_000;
    expect(await log.acquire("a", "second", now + anHour, now + 2 * anHour)).toBeNull();
    expect(await log.acquireIdle("second", now + anHour, now + 2 * anHour, 9)).toEqual([]);
  });

  it("stores a commit once whose answer was lost", async () => {
    const place = await newLogPlace(url);
    const proxy = await startFaultProxy(url);
    const log = openPostgresLog({ ...place, url: proxy.url });
    onTestFinished(async () => {
      await log.close();
      await proxy.close();
    });
    const lease = await startRun(log, "a", 1);
    proxy.loseNextCommit();
    await log.commit(
      commitOf(lease, 1, { entries: someEntries(2), effects: [{ key: "e", kind: "notify", data: {} }] }),
    );
    proxy.loseNextCommit();
    await log.create(newRun("b"), "worker", LATER);
    expect(await log.entries("a")).toHaveLength(3);
    expect(await log.outbox("a")).toHaveLength(1);
    expect((await log.runs({ limit: 9 })).map(({ run }) => run)).toEqual(["b", "a"]);
    expect(await log.findBreak()).toBeNull();
  });

  it("refuses within seconds when the network is gone, and goes on when it is back", async () => {
    const place = await newLogPlace(url);
    const proxy = await startFaultProxy(url);
    const log = openPostgresLog({ ...place, url: proxy.url, queryTimeout: 500 });
    onTestFinished(async () => {
      await log.close();
      await proxy.close();
    });
    const lease = await startRun(log, "a", 1);
    proxy.freeze();
    expect(await refusal(log.commit(commitOf(lease, 1, { entries: someEntries(1) })))).toBe("unavailable");
    proxy.heal();
    await log.commit(commitOf(lease, 1, { entries: someEntries(1) }));
    expect(await log.entries("a")).toHaveLength(2);
  });

  it("keeps all that was acknowledged when Postgres is killed, and goes on when it is back", async () => {
    const [log] = (await hosts(1)) as [EventLog];
    const leases = await Promise.all(Array.from({ length: 8 }, (_, index) => startRun(log, `r${index}`)));
    const acknowledged = new Map<string, number>();
    let isRunning = true;
    const writing = leases.map(async (lease) => {
      for (let at = 0; isRunning;) {
        const refused = await refusal(log.commit(commitOf(lease, at, { entries: someEntries(1, at + 1) })));
        if (refused === null) acknowledged.set(lease.run, ++at);
        else if (refused !== "unavailable" && refused !== "busy") throw new Error(`${lease.run}: ${refused}`);
      }
    });
    await sleep(150);
    await server.kill();
    await sleep(100);
    await server.start();
    await sleep(300);
    isRunning = false;
    await Promise.all(writing);
    for (const { run } of leases) {
      const entries = await log.entries(run);
      expect(entries.map(({ data }) => data?.["number"])).toEqual(entries.map((_, index) => index + 1));
      expect(entries.length).toBe(acknowledged.get(run));
    }
    expect(await log.findBreak()).toBeNull();
  });

  it("stores a text again that was pruned while another host needed it", async () => {
    const [pruner, writer] = (await hosts(2)) as [EventLog, EventLog];
    for (let round = 0; round < 10; round++) {
      const text = `shared ${round}`;
      const old = await startRun(pruner, `old${round}`);
      const named = { kind: "attempt-ended", data: { delivery: { text: hashOfText(text) } } };
      await Promise.all([
        pruner.putText(text),
        pruner.commit(commitOf(old, 0, { at: 1, finished: true, entries: [named] })),
      ]);
      const lease = await startRun(writer, `new${round}`);
      await Promise.all([
        pruner.prune(5),
        writer.putText(text),
        writer.commit(commitOf(lease, 0, { at: 9, entries: [named] })),
      ]);
      expect(await writer.text(hashOfText(text))).toBe(text);
    }
    expect(await writer.findBreak()).toBeNull();
  });
});
