import fc from "fast-check";
import { existsSync, renameSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EMPTY_CHAIN, hashOfEntry, hashOfText } from "../../src/audit/hash-chain.ts";
import { verifySnapshot } from "../../src/audit/verify-snapshot.ts";
import type { EventLog, Lease } from "../../src/ports/event-log.ts";
import { PostgresConnections } from "../../src/stores/postgres/connection.ts";
import { openPostgresLog } from "../../src/stores/postgres/open-postgres-log.ts";
import { LOG_SCHEMA } from "../../src/stores/sqlite/migrations.ts";
import { openSqliteLog } from "../../src/stores/sqlite/open-sqlite-log.ts";
import { logicalDump } from "../audit/logical-dump.ts";
import { commitOf, LATER, someEntries } from "../contracts/event-log-commits.ts";
import { endRun } from "../contracts/pruning.ts";
import { startPostgres, type TestPostgres, whyNoPostgres } from "../postgres/start-postgres.ts";
import { type MoveRoom, newMoveRoom } from "./move-room.ts";

describe.skipIf(whyNoPostgres !== null)("a log", () => {
  let server: TestPostgres;
  let url = "";
  beforeAll(async () => {
    server = await startPostgres();
    url = await server.database();
  });
  afterAll(() => server.stop());

  it("of the first version, without marks and with one chain, goes on in Postgres and comes back", async () => {
    const room = newMoveRoom(url, null);
    makeFirstVersion(room.path);
    await openSqliteLog(room.path).close();
    const before = logicalDump(room.path);
    await room.toPostgres();
    await room.toSqlite();
    expect(logicalDump(room.path)).toBe(before);
    await room.toPostgres();
    const log = openPostgresLog(room.place);
    const lease = (await log.acquire("first", "worker", Date.now(), LATER)) as Lease;
    expect(await findingsIn(log)).toEqual([]);
    await log.commit(commitOf(lease, 1, { entries: someEntries(2), taken: ["waiting"] }));
    await log.checkpoint();
    await endRun(log, "second", 10, ["a text"]);
    expect(await findingsIn(log)).toEqual([]);
    await log.commit(commitOf(lease, 3, { entries: someEntries(1), finished: true, status: "completed" }));
    await log.checkpoint();
    expect(await findingsIn(log)).toEqual([]);
    await log.close();
    await room.toSqlite();
    const back = openSqliteLog(room.path);
    await endRun(back, "third", 10, ["another text"]);
    expect(await findingsIn(back)).toEqual([]);
    await back.close();
    room.remove();
  });

  it("with gaps from Postgres is intact, and lacks no row that is removed later", async () => {
    const room = newMoveRoom(url, null);
    await fill(openSqliteLog(room.path), "here");
    await room.toPostgres();
    await skipNumbers(room);
    await fill(openPostgresLog(room.place), "there");
    await room.toSqlite();
    await fill(openSqliteLog(room.path), "back");
    expect(await auditOf(room)).toEqual([]);
    for (const table of ["letters", "texts", "workflows"])
      expect(await auditOf(room, `DELETE FROM ${table} WHERE rowid = 2`), table).toContain("damaged-file");
    expect(await auditOf(room, "DELETE FROM letters WHERE number = (SELECT max(number) - 1 FROM letters)")).toContain(
      "letter-missing",
    );
    expect(await auditOf(room, "DELETE FROM gaps WHERE what = 'letters'")).toContain("letter-missing");
    expect(await auditOf(room, "UPDATE gaps SET missing = missing + 1 WHERE what = 'letters'")).toContain(
      "damaged-file",
    );
    room.remove();
  });

  it("with a NUL in a brief has it in Postgres, too, and one elsewhere is refused", async () => {
    const room = newMoveRoom(url, null);
    const brief = "a\u0000b \u{10fffe}1";
    const log = openSqliteLog(room.path);
    await log.create({ run: "one", name: "n", workflow: await pinIn(log), at: 1, brief }, "worker", 5);
    await log.close();
    const before = logicalDump(room.path);
    await room.toPostgres();
    const shared = openPostgresLog(room.place);
    expect((await shared.run("one"))?.brief).toBe(brief);
    await shared.close();
    await room.toSqlite();
    expect(logicalDump(room.path)).toBe(before);
    const again = openSqliteLog(room.path);
    await again.postMessage({ id: "a\u0000b", run: "one", input: {} });
    await again.close();
    await expect(room.toPostgres()).rejects.toThrow(/letters has a NUL character in id/);
    expect(await auditOf(room)).toEqual([]);
    room.remove();
  });

  it("that is driven stays where it is, until its worker has ended", async () => {
    const room = newMoveRoom(url, null);
    const log = openSqliteLog(room.path);
    const lease = await log.create(
      { run: "one", name: "n", workflow: await pinIn(log), at: 1 },
      "another",
      Date.now() + 60_000,
    );
    await expect(room.toPostgres()).rejects.toThrow(/A process drives run one/);
    await log.release(lease);
    await log.close();
    await room.toPostgres();
    const shared = openPostgresLog(room.place);
    const held = (await shared.acquire("one", "another", Date.now(), Date.now() + 60_000)) as Lease;
    await expect(room.toSqlite()).rejects.toThrow(/A process drives run one/);
    await shared.release(held);
    await shared.close();
    await room.toSqlite();
    room.remove();
  });

  it("that was altered stays where it is", async () => {
    const room = newMoveRoom(url, null);
    await fill(openSqliteLog(room.path), "here");
    edit(room.path, "UPDATE entries SET kind = 'other' WHERE position = 1");
    await expect(room.toPostgres()).rejects.toThrow(/is not what was written \(entry-changed/);
    expect(await room.postgres().inspect()).toBeNull();
    room.remove();
  });

  it("that has only got its name in the folder is put to use by the same move", async () => {
    const room = newMoveRoom(url, null);
    await fill(openSqliteLog(room.path), "here");
    await room.toPostgres();
    const end = room.sqlite();
    await expect(room.toSqlite({ to: { ...end, open: () => Promise.reject(new Error("killed")) } })).rejects.toThrow(
      "killed",
    );
    expect(existsSync(`${room.path}.arriving`)).toBe(true);
    await expect(room.toPostgres()).rejects.toThrow(/has not ended/);
    renameSync(`${room.path}.arriving`, room.path);
    expect(() => openSqliteLog(room.path)).toThrow(/has not ended/);
    expect(await room.toSqlite()).toMatchObject({ kind: "finished" });
    expect(await auditOf(room)).toEqual([]);
    room.remove();
  });

  it("is refused where its store has another log, or nothing", async () => {
    const [one, other] = [newMoveRoom(url, null), newMoveRoom(url, null)];
    await expect(one.toPostgres()).rejects.toThrow(/no log in SQLite/);
    await expect(one.toSqlite()).rejects.toThrow(/no log in Postgres/);
    await fill(openSqliteLog(one.path), "one");
    await fill(openSqliteLog(other.path), "other");
    await one.toPostgres();
    await expect(other.toPostgres({ to: one.postgres() })).rejects.toThrow(/has another log already/);
    await expect(one.toSqlite({ to: other.sqlite() })).rejects.toThrow(/has another log already/);
    await expect(one.toPostgres({ to: other.postgres() })).rejects.toThrow(/is not it/);
    for (const room of [one, other]) room.remove();
  });

  it("of any few runs is the same, byte for byte, there and back", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(STEP, { maxLength: 25 }), fc.array(STEP, { maxLength: 8 }), async (first, then) => {
        const room = newMoveRoom(url, null);
        await apply(openSqliteLog(room.path), first, "a");
        const before = logicalDump(room.path);
        await room.toPostgres();
        await room.toSqlite();
        expect(logicalDump(room.path)).toBe(before);
        await room.toPostgres();
        await apply(openPostgresLog(room.place), then, "b");
        await room.toSqlite();
        const later = logicalDump(room.path);
        expect(await auditOf(room)).toEqual([]);
        await room.toPostgres();
        await room.toSqlite();
        expect(logicalDump(room.path)).toBe(later);
        room.remove();
      }),
      { numRuns: 12 },
    );
  });
});

const STEP = fc.record({
  what: fc.constantFrom("create", "commit", "end", "post", "text", "workflow", "prune", "checkpoint"),
  run: fc.integer({ min: 0, max: 3 }),
  text: fc.oneof(fc.string({ unit: "binary", maxLength: 40 }), fc.string({ minLength: 4_100, maxLength: 4_200 })),
  number: fc.integer({ min: 0, max: 9_000_000_000_000 }),
});

type Step = typeof STEP extends fc.Arbitrary<infer T> ? T : never;

/** What cannot be done is left out. */
async function apply(log: EventLog, steps: readonly Step[], name: string): Promise<void> {
  for (const [index, { what, run, text, number }] of steps.entries()) {
    const id = `${name}${run}`;
    await applyOne(log, { what, run, text, number }, id, `${name}${index}`).catch((error: unknown) => {
      if (!(error instanceof Error && "code" in error)) throw error;
    });
  }
  await log.close();
}

async function applyOne(log: EventLog, { what, text, number }: Step, run: string, unique: string): Promise<void> {
  const row = await log.run(run);
  const lease = async (): Promise<Lease> => (await log.acquire(run, "worker", Date.now(), 5)) as Lease;
  const brief = text.replaceAll("\u0000", "");
  if (what === "create")
    await log.create({ run, name: "name", workflow: await pinIn(log), at: number, brief }, "worker", 5);
  else if (what === "text") await log.putText(text);
  else if (what === "workflow") await log.putWorkflow(hashOfText(JSON.stringify({ text })), { text });
  else if (what === "prune") await log.prune(number);
  else if (what === "checkpoint") await log.checkpoint();
  else if (row !== null && what === "post") await log.postMessage({ run, id: unique, input: { text } });
  else if (row !== null) await commitTo(log, await lease(), row.sequence, { what, text, number }, unique);
}

async function commitTo(
  log: EventLog,
  lease: Lease,
  after: number,
  { what, text, number }: Pick<Step, "what" | "text" | "number">,
  unique: string,
): Promise<void> {
  const finished = what === "end";
  const taken = (await log.messages(lease.run)).map(({ id }) => id);
  const effects = [{ key: unique, kind: "effect", data: { text } }];
  const settled = (await log.outbox(lease.run)).map(({ key }) => key);
  const summary = { text, number };
  const entries = [{ kind: "step-ended", data: { text, number } }, ...someEntries(number % 3)];
  await log.commit(
    commitOf(lease, after, { at: number, entries, taken, effects, settled, summary, finished, wakeAt: number }),
  );
}

/** A workflow that is stored. */
async function pinIn(log: EventLog): Promise<string> {
  await log.putWorkflow(hashOfText("{}"), {});
  return hashOfText("{}");
}

async function fill(log: EventLog, name: string): Promise<void> {
  await log.putWorkflow(hashOfText(`{"name":"${name}"}`), { name });
  await log.putWorkflow(hashOfText(`{"name":"${name} 2"}`), { name: `${name} 2` });
  await endRun(log, name, 10, [`first text of ${name}`, `second text of ${name}`]);
  for (const id of ["1", "2", "3"]) await log.postMessage({ run: name, id, input: { id } });
  await log.checkpoint();
  await log.close();
}

async function skipNumbers({ place }: MoveRoom): Promise<void> {
  const connections = new PostgresConnections(place);
  const { schema } = connections;
  for (const sequence of ["letter_numbers", "texts_number_seq", "workflows_number_seq", "positions"])
    await connections.all(`SELECT nextval('${schema}.${sequence}') FROM generate_series(1, 3)`);
  await connections.close();
}

/** The codes of what an audit finds, after a change that is undone again. */
async function auditOf({ path }: MoveRoom, change = "SELECT 1"): Promise<string[]> {
  const copy = `${path}.edited`;
  edit(path, `VACUUM INTO '${copy}'`);
  try {
    edit(copy, "PRAGMA foreign_keys = OFF", change);
    const log = openSqliteLog(copy);
    const codes = await findingsIn(log);
    await log.close();
    return codes;
  } finally {
    edit(path, "SELECT 1");
    for (const suffix of ["", "-wal", "-shm"])
      if (existsSync(`${copy}${suffix}`)) renameSync(`${copy}${suffix}`, `${copy}${suffix}.old`);
  }
}

async function findingsIn(log: EventLog): Promise<string[]> {
  const snapshot = await log.snapshot();
  const { findings } = await verifySnapshot(snapshot, { keys: [], seen: [] });
  await snapshot.close();
  return findings.map(({ code }) => code);
}

function edit(path: string, ...statements: readonly string[]): void {
  const database = new DatabaseSync(path);
  for (const statement of statements) database.exec(statement);
  database.close();
}

/** A run with an entry and a message, as the first version of the tables had them. */
function makeFirstVersion(path: string): void {
  const database = new DatabaseSync(path);
  database.exec(String(LOG_SCHEMA.migrations[0]));
  const definition = "{}";
  const workflow = hashOfText(definition);
  const data = '{"kind":"run-started"}';
  const dataHash = hashOfText(data);
  const entry = { position: 1, run: "first", sequence: 1, at: 5, kind: "run-started", dataHash, seal: null };
  const bytes = (hash: string): Buffer => Buffer.from(hash, "hex");
  database.prepare("INSERT INTO workflows VALUES (?, ?)").run(workflow, definition);
  database
    .prepare(
      `INSERT INTO runs (run, name, workflow, status, created_at, updated_at, sequence, due_at, fence, summary)
        VALUES ('first', 'name', ?, 'running', 5, 5, 1, 0, 1, '{}')`,
    )
    .run(workflow);
  database
    .prepare("INSERT INTO entries VALUES (1, 1, 1, 5, 'run-started', ?, ?, ?)")
    .run(data, bytes(dataHash), bytes(hashOfEntry(EMPTY_CHAIN.hash, entry)));
  database.exec("INSERT INTO letters (run, id, input) VALUES (1, 'waiting', '{}')");
  database.exec(`PRAGMA application_id = ${LOG_SCHEMA.applicationId}; PRAGMA user_version = 1`);
  database.close();
}
