import { gunzipSync } from "node:zlib";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { verifySnapshot } from "../../src/audit/verify-snapshot.ts";
import type { EventLog } from "../../src/ports/event-log.ts";
import { openPostgresLog } from "../../src/stores/postgres/open-postgres-log.ts";
import { openSqliteLog } from "../../src/stores/sqlite/open-sqlite-log.ts";
import type { AuditReport } from "../../src/views/audit-report.ts";
import { logicalDump } from "../audit/logical-dump.ts";
import { type AuditRoom, makeRoom } from "../audit/audit-room.ts";
import { commitOf, LATER, refusal, someEntries } from "../contracts/event-log-commits.ts";
import { startPostgres, type TestPostgres, whyNoPostgres } from "../postgres/start-postgres.ts";
import { type MoveRoom, newMoveRoom } from "./move-room.ts";

const HISTORIES = join(import.meta.dirname, "../histories");

describe.skipIf(whyNoPostgres !== null)("a log that moves to Postgres and back", () => {
  let server: TestPostgres;
  let url = "";
  let filled: AuditRoom;
  beforeAll(async () => {
    server = await startPostgres();
    url = await server.database();
    filled = await makeRoom();
  });
  afterAll(async () => {
    filled.remove();
    await server.stop();
  });

  it("has the same rows and is proven as far, there and back", async () => {
    const room = newMoveRoom(url, filled.bytes, filled.logSigner);
    const before = logicalDump(room.path);
    const report = await auditOf(openSqliteLog(room.path), room);
    expect(report.verdict).toBe("intact");
    expect(await room.toPostgres()).toMatchObject({ kind: "moved" });
    expect(await auditOf(openPostgresLog(room.place), room)).toEqual(report);
    const moved = await room.toSqlite();
    expect(logicalDump(room.path)).toBe(before);
    expect(await auditOf(openSqliteLog(room.path), room)).toEqual(report);
    expect(moved.kind === "moved" && moved.tables.slice(0, 9).map(({ table, rows }) => `${table} ${rows}`))
      .toMatchInlineSnapshot(`
      [
        "ledger 1",
        "workflows 2",
        "texts 6",
        "runs 6",
        "entries 36",
        "effects 2",
        "letters 7",
        "register 10",
        "checkpoints 7",
      ]
    `);
    room.remove();
  });

  it.each(oldLogs())("is the same also as %s has left it", async (name) => {
    const bytes = gunzipSync(readFileSync(join(HISTORIES, name, "baton.db.gz")));
    const room = newMoveRoom(url, bytes);
    await openSqliteLog(room.path).close();
    const before = logicalDump(room.path);
    const report = await auditOf(openSqliteLog(room.path), room);
    await room.toPostgres();
    expect(await auditOf(openPostgresLog(room.place), room)).toEqual(report);
    await room.toSqlite();
    expect(logicalDump(room.path)).toBe(before);
    room.remove();
  });

  it("goes on in each store, with numbers behind the last ones, and is intact", async () => {
    const room = newMoveRoom(url, filled.bytes, filled.logSigner);
    await room.toPostgres();
    await goOn(openPostgresLog({ ...room.place, logSigner: room.signer }), "there");
    await room.toSqlite();
    await goOn(openSqliteLog(room.path, { logSigner: room.signer }), "back");
    const report = await auditOf(openSqliteLog(room.path), room);
    expect(report.findings).toEqual([]);
    expect(report.verdict).toBe("intact");
    await room.toPostgres();
    await goOn(openPostgresLog({ ...room.place, logSigner: room.signer }), "again");
    expect((await auditOf(openPostgresLog(room.place), room)).verdict).toBe("intact");
    room.remove();
  });

  it("comes back only when no process has the copy open that it left", async () => {
    const room = newMoveRoom(url, filled.bytes);
    const earlier = openSqliteLog(room.path);
    await room.toPostgres();
    await expect(room.toSqlite()).rejects.toThrow(/a process still has the copy of the state open/);
    await earlier.close();
    await room.toSqlite();
    expect((await auditOf(openSqliteLog(room.path), room)).findings).toEqual([]);
    room.remove();
  });

  it("leaves copies that no process can write, and that say where it went", async () => {
    const room = newMoveRoom(url, filled.bytes);
    const earlier = openSqliteLog(room.path);
    await room.toPostgres();
    expect(await refusal(goOn(earlier, "late"))).toBe("moved");
    expect(() => openSqliteLog(room.path)).toThrow(/its state was moved to Postgres/);
    const other = new DatabaseSync(room.path);
    for (const sql of WRITES) expect(() => other.exec(sql)).toThrow(/its state was moved to Postgres/);
    other.close();
    const shared = openPostgresLog(room.place);
    await shared.lastPosition();
    await room.toSqlite();
    expect(await refusal(goOn(shared, "late"))).toBe("moved");
    const later = openPostgresLog(room.place);
    await expect(later.lastPosition()).rejects.toThrow(/its state was moved to SQLite/);
    await later.close();
    expect(readdirSync(join(room.path, "..")).filter((each) => each.includes(".moved-"))).toHaveLength(1);
    expect(existsSync(`${room.path}.arriving`)).toBe(false);
    room.remove();
  });
});

const WRITES = [
  "UPDATE runs SET status = 'x'",
  "DELETE FROM letters",
  "INSERT INTO checkpoints VALUES (99, '', NULL)",
  "UPDATE ledger SET held = NULL",
];

function oldLogs(): string[] {
  return readdirSync(HISTORIES, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith("baton.db.gz"))
    .map((path) => path.replace("/baton.db.gz", ""))
    .sort();
}

/** A run from its creation to its end, one that was there, and messages. */
async function goOn(log: EventLog, name: string): Promise<void> {
  try {
    const lease = await log.create(
      { run: name, name: "issue", workflow: await workflowIn(log), at: 2_000 },
      "worker",
      LATER,
    );
    await log.postMessage({ id: "first", run: name, input: { kind: "start-run" } });
    await log.postMessage({ id: "first", run: name, input: { kind: "start-run" } });
    const text = await log.putText(`The handoff of ${name}, twice.`);
    await log.putText(`The handoff of ${name}, twice.`);
    const entries = [...someEntries(3), { kind: "handoff-accepted", data: { delivery: { handoff: {}, text } } }];
    await log.commit(commitOf(lease, 0, { entries, taken: ["first"] }));
    await log.commit(commitOf(lease, 4, { entries: someEntries(2), status: "completed", finished: true }));
    const [waiting] = await log.runs({ status: "waiting", limit: 1 });
    if (waiting !== undefined) await log.postMessage({ id: name, run: waiting.run, input: { kind: "answer" } });
  } finally {
    await log.close();
  }
}

async function workflowIn(log: EventLog): Promise<string> {
  return (await log.runs({ limit: 1 }))[0]?.workflow ?? "";
}

async function auditOf(log: EventLog, { signer }: MoveRoom): Promise<AuditReport> {
  const snapshot = await log.snapshot();
  try {
    return await verifySnapshot(snapshot, { keys: signer.keys(), seen: signer.seen(snapshot.log) });
  } finally {
    await snapshot.close();
    await log.close();
  }
}
