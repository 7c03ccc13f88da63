import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, describe, expect, it } from "vitest";
import type { EventLog } from "../../src/ports/event-log.ts";
import { refuseOldSqlite } from "../../src/ports/sqlite.ts";
import { openSqliteLog } from "../../src/stores/sqlite/open-sqlite-log.ts";
import { LOG_SQL } from "../../src/stores/sqlite/statements.ts";
import { commitOf, refusal, someEntries, startRun } from "./event-log-commits.ts";

const folder = mkdtempSync(join(tmpdir(), "baton-sqlite-"));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
const newPath = (): string => join(folder, `${files++}.db`);

describe("a SQLite log", () => {
  it("is for its owner only, folders included", async () => {
    const path = join(folder, "new", "folder", "log.db");
    const log = openSqliteLog(path);
    await startRun(log, "a", 1);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(`${path}-wal`).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, "new")).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, "new", "folder")).mode & 0o777).toBe(0o700);
    await log.close();
  });

  it("keeps everything over a restart", async () => {
    const path = newPath();
    const first = openSqliteLog(path);
    const lease = await startRun(first, "a", 3);
    const entries = await first.entries("a");
    await first.close();
    const second = openSqliteLog(path);
    expect(await second.entries("a")).toEqual(entries);
    await second.commit(commitOf(lease, 3, { entries: someEntries(1) }));
    expect(await second.findBreak()).toBeNull();
    await second.close();
  });

  it("sees what another connection wrote, and is fenced off by it", async () => {
    const path = newPath();
    const [first, second] = [openSqliteLog(path), openSqliteLog(path)];
    const lease = await startRun(first, "a", 1);
    const stolen = await second.acquire("a", "second", 1_000_000, 2_000_000);
    expect(stolen).toMatchObject({ fence: 2 });
    expect(await refusal(first.commit(commitOf(lease, 1, { entries: someEntries(1) })))).toBe("lease-lost");
    await second.commit(commitOf(stolen!, 1, { entries: someEntries(2) }));
    await startRun(first, "b", 2);
    expect((await first.history(0, 99)).map(({ run, sequence }) => run + sequence).join()).toBe("a1,a2,a3,b1,b2");
    expect(await first.findBreak()).toBeNull();
    await first.close();
    await second.close();
  });

  it("refuses a database that a newer Baton made", async () => {
    const path = newPath();
    await openSqliteLog(path).close();
    edit(path, "PRAGMA user_version = 99");
    expect(() => openSqliteLog(path)).toThrow(/has version 99, .* use a newer Baton/);
  });

  it("says of an older one that may only be read what is to be done", async () => {
    const path = newPath();
    await openSqliteLog(path).close();
    edit(path, "PRAGMA user_version = 2");
    expect(() => openSqliteLog(path, { isReadOnly: true })).toThrow(
      /has version 2, .* opened once where it may be written/,
    );
    edit(path, "PRAGMA user_version = 99");
    expect(() => openSqliteLog(path, { isReadOnly: true })).toThrow(/use a newer Baton/);
  });

  it("refuses a database of another program, and a file that is none", () => {
    const foreign = newPath();
    edit(foreign, "CREATE TABLE recipes (name TEXT)");
    expect(() => openSqliteLog(foreign)).toThrow(/another program/);
    const text = newPath();
    writeFileSync(text, "no database, but long enough to look like one. ".repeat(100));
    expect(() => openSqliteLog(text)).toThrow(expect.objectContaining({ code: "damaged" }));
  });

  it("refuses a SQLite that can damage it", () => {
    for (const version of ["3.51.2", "3.50.9", "2.99.99"]) expect(() => refuseOldSqlite(version)).toThrow(/newer/);
    for (const version of ["3.51.3", "3.52.0", "4.0.0"]) expect(() => refuseOldSqlite(version)).not.toThrow();
  });

  it("tells damage instead of believing what it reads", async () => {
    const path = newPath();
    const log = openSqliteLog(path);
    const lease = await startRun(log, "a", 1);
    await log.commit(commitOf(lease, 1, { effects: [{ key: "e", kind: "notify", data: {} }] }));
    const hash = await log.putText("kept");
    edit(path, "UPDATE entries SET data = '[1]'", "UPDATE effects SET data = '{'", "UPDATE texts SET body = x'00'");
    expect(await refusal(log.entries("a"))).toBe("damaged");
    expect(await refusal(log.outbox("a"))).toBe("damaged");
    expect(await refusal(log.text(hash))).toBe("damaged");
    edit(path, "UPDATE runs SET summary = '7'");
    expect(await refusal(log.run("a"))).toBe("damaged");
    edit(path, "UPDATE runs SET summary = '{}', updated_at = 9223372036854775807");
    expect(await refusal(log.run("a"))).toBe("damaged");
    await log.close();
  });

  it("tells that a table is another one when it is needed, and keeps nothing of what was begun", async () => {
    const path = newPath();
    const before = openSqliteLog(path);
    const lease = await startRun(before, "a", 1);
    await before.close();
    edit(path, "ALTER TABLE register RENAME COLUMN body TO other");
    const log = openSqliteLog(path);
    // The end of a run is noted in the register after its entries were added.
    const end = commitOf(lease, 1, { entries: someEntries(1, 1), status: "completed", finished: true });
    expect(await refusal(log.commit(end))).toBe("damaged");
    expect(await log.entries("a")).toHaveLength(1);
    expect(await log.run("a")).toMatchObject({ sequence: 1, finished: false });
    await log.close();
  });

  it("waits for another writer, without stopping the process, and gives up as busy", async () => {
    const path = newPath();
    const log = openSqliteLog(path, { lockTimeout: 300 });
    const other = new DatabaseSync(path);
    other.exec("BEGIN IMMEDIATE");
    let ticks = 0;
    const ticking = setInterval(() => ticks++, 10);
    expect(await refusal(startRun(log, "a"))).toBe("busy");
    clearInterval(ticking);
    expect(ticks).toBeGreaterThan(2);
    const waiting = startRun(log, "a", 1);
    setTimeout(() => other.exec("ROLLBACK"), 100);
    expect(await refusal(waiting)).toBeNull();
    other.close();
    await log.close();
  });

  it("counts runs anew when it had to let go of the file", async () => {
    const path = newPath();
    await openSqliteLog(path).close();
    const [log, other] = [openSqliteLog(path, { lockTimeout: 50 }), openSqliteLog(path)];
    const count = async (): Promise<unknown> => (await log.countRuns({}, 0)).byStatus;
    expect(await count()).toEqual({});
    const holder = new DatabaseSync(path);
    holder.exec("BEGIN IMMEDIATE");
    expect(await refusal(startRun(log, "a"))).toBe("busy");
    holder.exec("ROLLBACK");
    holder.close();
    await startRun(other, "b");
    expect(await count()).toEqual({ running: 1 });
    await Promise.all([log.close(), other.close()]);
  });

  it("puts the commits of one turn into one transaction", async () => {
    const path = newPath();
    const log = openSqliteLog(path);
    const leases = await Promise.all(Array.from({ length: 50 }, (_, index) => startRun(log, `run-${index}`)));
    const before = statSync(`${path}-wal`).size;
    await Promise.all(leases.map((lease) => log.commit(commitOf(lease, 0, { entries: someEntries(1) }))));
    // 50 transactions would have written at least 50 times the pages of the tables they touch.
    expect((statSync(`${path}-wal`).size - before) / 4_120).toBeLessThan(50);
    await log.close();
  });

  it("stores the others of a group when one breaks in the middle of writing", async () => {
    const log = openSqliteLog(newPath());
    const leases = await Promise.all(["a", "b", "c"].map((run) => startRun(log, run)));
    const commits = leases.map((lease, index) =>
      log.commit(commitOf(lease, 0, { entries: someEntries(1), wakeAt: index === 1 ? 0.5 : null })),
    );
    const outcomes = await Promise.allSettled(commits);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect((await log.history(0, 9)).map(({ run }) => run)).toEqual(["a", "c"]);
    expect(await log.findBreak()).toBeNull();
    await log.close();
  });

  it("never looks at finished runs to find unfinished or idle ones", async () => {
    const path = newPath();
    await openSqliteLog(path).close();
    const database = new DatabaseSync(path, { readOnly: true });
    const plan = (name: keyof typeof LOG_SQL): string => {
      const steps = database.prepare(`EXPLAIN QUERY PLAN ${LOG_SQL[name]}`).all();
      return steps.map(({ detail }) => String(detail)).join("; ");
    };
    for (const name of ["unfinishedRuns", "unfinishedRunsByStatus"] as const) {
      expect(plan(name)).toBe("SEARCH runs USING INDEX runs_unfinished (finished=?)");
    }
    expect(plan("idleRuns")).toBe("SEARCH runs USING INDEX runs_due (due_at>? AND due_at<?)");
    expect(plan("runsByStatus")).toBe("SEARCH runs USING INDEX runs_by_status (status=?)");
    for (const name of Object.keys(LOG_SQL) as (keyof typeof LOG_SQL)[]) {
      const scans = READ_FROM_AN_END.includes(name) || name.startsWith("insert");
      // The text index is searched, whatever it is called; a constant row is none.
      if (!scans) expect(plan(name), name).not.toMatch(/^SCAN (?!CONSTANT ROW|\w+ VIRTUAL TABLE INDEX)/);
    }
    database.close();
  });
});

/** One row from the end of a table, or a list that begins there. */
const READ_FROM_AN_END: readonly string[] = ["runs", "lastPosition", "registerHead", "lastCheckpoint", "lastNumbers"];

describe("a backup", () => {
  it("opens by itself with the same content and a whole chain", async () => {
    const log = openSqliteLog(newPath());
    const lease = await startRun(log, "a", 3);
    await log.postMessage({ id: "l", run: "a", input: { kind: "start" } });
    await log.commit(commitOf(lease, 3, { effects: [{ key: "e", kind: "notify", data: {} }] }));
    const hash = await log.putText("kept");
    const target = join(folder, "backup.db");
    await log.backup(target);
    const written = startRun(log, "later", 2);
    const copy = openSqliteLog(target);
    const content = async (from: EventLog): Promise<unknown[]> => [
      await from.run("a"),
      await from.entries("a"),
      await from.messages("a"),
      await from.outbox("a"),
      await from.text(hash),
    ];
    expect(await content(copy)).toEqual(await content(log));
    expect(await copy.findBreak()).toBeNull();
    expect(statSync(target).mode & 0o777).toBe(0o600);
    await written;
    await copy.close();
    await log.close();
  });

  it("overwrites nothing and leaves nothing half-made", async () => {
    const log = openSqliteLog(newPath());
    const target = join(folder, "precious");
    writeFileSync(target, "precious");
    expect(await refusal(log.backup(target))).toBe("exists");
    expect(await refusal(log.backup(join(folder, "no", "such", "folder", "x.db")))).toBe("unavailable");
    expect(readdirSync(folder).filter((name) => name.endsWith(".part"))).toEqual([]);
    await log.close();
  });

  it("is one moment of the log, also while it is written to", async () => {
    const log = openSqliteLog(newPath());
    const lease = await startRun(log, "a");
    const writing = (async () => {
      for (let after = 0; after < 60; after++) await log.commit(commitOf(lease, after, { entries: someEntries(1) }));
    })();
    for (let number = 0; number < 3; number++) {
      const target = join(folder, `busy-${number}.db`);
      await log.backup(target);
      const copy = openSqliteLog(target);
      expect(await copy.findBreak()).toBeNull();
      expect((await copy.entries("a")).length).toBe((await copy.run("a"))?.sequence);
      await copy.close();
    }
    await writing;
    await log.close();
  });
});

/** As somebody with an editor for databases would. */
function edit(path: string, ...statements: string[]): void {
  const database = new DatabaseSync(path);
  for (const statement of statements) database.exec(statement);
  database.close();
}
