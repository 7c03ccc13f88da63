import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, describe, expect, it } from "vitest";
import { hashOfText } from "../../src/audit/hash-chain.ts";
import { Connection } from "../../src/stores/sqlite/connection.ts";
import { LOG_SCHEMA } from "../../src/stores/sqlite/migrations.ts";
import { openSqliteLog } from "../../src/stores/sqlite/open-sqlite-log.ts";
import { shrink } from "../../src/stores/sqlite/prune-log.ts";
import type { WriteJob } from "../../src/stores/sqlite/write-job.ts";
import { WriteQueue } from "../../src/stores/sqlite/write-queue.ts";
import { Random } from "../simulation/random.ts";
import { endRun, findingsIn } from "./pruning.ts";

const folder = mkdtempSync(join(tmpdir(), "baton-pruning-"));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
const newPath = (): string => join(folder, `${files++}.db`);

/** 134 KB that cannot be compressed. */
const random = new Random(20261118);
const large = (number: number): string =>
  `${number} ${Buffer.from(Array.from({ length: 100_000 }, () => random.below(256))).toString("base64")}`;

describe("pruning a SQLite log", () => {
  it("gives the room back to the disk, also while others have it open and read", async () => {
    const path = newPath();
    const [log, other] = [openSqliteLog(path), openSqliteLog(path)];
    await endRun(
      log,
      "old",
      10,
      Array.from({ length: 40 }, (_, number) => large(number)),
    );
    await endRun(log, "young", 20, ["kept", large(99)]);
    const reading = await other.snapshot();
    const { freed, unfreed } = await log.prune(15);
    expect(unfreed).toBeNull();
    expect(freed).toBeGreaterThan(3_000_000);
    expect((await reading.texts(0, 99)).filter(({ text }) => text !== null).length).toBe(42);
    await reading.close();
    expect(await findingsIn(other)).toEqual([]);
    await endRun(other, "new", 30, ["kept", "more"]);
    await other.close();
    await log.close();
    expect(statSync(path).size).toBeLessThan(500_000);
  });

  it("leaves the room in the file while others do not rest, and where it is little", async () => {
    const path = newPath();
    const log = openSqliteLog(path);
    await endRun(log, "young", 20, [large(0), large(1)]);
    expect(await log.prune(25)).toMatchObject({ texts: 2, freed: 0, unfreed: null });
    await log.close();
    const [database, other] = [new DatabaseSync(path), new DatabaseSync(path)];
    database.exec(
      "CREATE TABLE filling (body BLOB); INSERT INTO filling VALUES (zeroblob(9000000)); DELETE FROM filling",
    );
    other.exec("BEGIN IMMEDIATE");
    expect(await shrink({ database }, 50)).toEqual({ freed: 0, unfreed: expect.stringContaining("locked") });
    other.exec("ROLLBACK");
    expect((await shrink({ database }, 50)).freed).toBeGreaterThan(9_000_000);
    for (const connection of [database, other]) connection.close();
  });

  it("is seen by a process that has stored the same text before", async () => {
    const path = newPath();
    const [log, other] = [openSqliteLog(path), openSqliteLog(path)];
    await endRun(other, "old", 10, ["the same"]);
    await log.prune(15);
    await endRun(other, "new", 20, ["the same"]);
    expect(await log.text(hashOfText("the same"))).toBe("the same");
    expect(await findingsIn(log)).toEqual([]);
    await Promise.all([log.close(), other.close()]);
  });

  it("frees the texts that a prune of an older Baton has left behind", async () => {
    const path = newPath();
    makeOlder(path);
    const log = openSqliteLog(path);
    expect(await log.prune(0)).toMatchObject({ runs: 0, texts: 0 });
    await endRun(log, "old", 10, ["left behind"]);
    edit(path, "UPDATE entries SET data = NULL", "UPDATE runs SET emptied = sequence", "UPDATE ledger SET pruned = 1");
    expect(await log.prune(0)).toMatchObject({ runs: 0, texts: 1 });
    // An older Baton cannot have opened this log any more.
    expect((await findingsIn(log)).join()).toMatch(/^run-changed: it is emptied up to entry 1, and the register says/);
    await log.close();
  });

  it("does not part a text from the commit that names it when another write spoils their transaction", async () => {
    const done: string[] = [];
    const database = new DatabaseSync(":memory:");
    const exec = database.exec.bind(database);
    database.exec = (sql) => {
      done.push(sql.split(" ")[0] ?? "");
      exec(sql);
    };
    const connection = new Connection(database, { path: ":memory:", prepare: () => null, reopen: () => database });
    const queue = new WriteQueue(connection, 100);
    const write = (kind: string): Promise<unknown> =>
      queue.write(() => done.push(kind), { job: { kind } as unknown as WriteJob, again: () => null });
    const spoiler = queue.write(() => {
      throw new TypeError("no database can hold this");
    });
    const others = [write("text"), write("text"), write("commit"), write("post")];
    await expect(spoiler).rejects.toThrow(TypeError);
    await Promise.all(others);
    expect(done.join(" ")).toBe("BEGIN ROLLBACK BEGIN ROLLBACK BEGIN text text commit COMMIT BEGIN post COMMIT");
  });
});

/** As it was before texts were pruned. */
function makeOlder(path: string): void {
  const database = new DatabaseSync(path);
  for (const migration of LOG_SCHEMA.migrations.slice(0, 3)) database.exec(String(migration));
  database.exec(`PRAGMA application_id = ${LOG_SCHEMA.applicationId}; PRAGMA user_version = 3`);
  database.close();
}

function edit(path: string, ...statements: readonly string[]): void {
  const database = new DatabaseSync(path);
  for (const statement of statements) database.exec(statement);
  database.close();
}
