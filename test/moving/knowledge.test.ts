import { copyFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { KnowledgeStore } from "../../src/ports/knowledge-store.ts";
import { holdKnowledge, openKnowledgeToMove } from "../../src/stores/knowledge/move-knowledge.ts";
import { openKnowledgeStore } from "../../src/stores/knowledge/open-knowledge-store.ts";
import { openPostgresKnowledge } from "../../src/stores/postgres-knowledge/open-postgres-knowledge.ts";
import { openSqliteLog } from "../../src/stores/sqlite/open-sqlite-log.ts";
import { refusal } from "../contracts/event-log-commits.ts";
import { answerOf, RandomWork } from "../contracts/knowledge-postgres-twin.ts";
import { fact, lesson } from "../contracts/knowledge-store-lessons.ts";
import { endRun } from "../contracts/pruning.ts";
import { startPostgres, type TestPostgres, whyNoPostgres } from "../postgres/start-postgres.ts";
import { knowledgeDump } from "./knowledge-dump.ts";
import { type MoveRoom, newMoveRoom } from "./move-room.ts";

const OPERATIONS = 120;

describe.skipIf(whyNoPostgres !== null)("knowledge that moves with its log", () => {
  let server: TestPostgres;
  let url = "";
  beforeAll(async () => {
    server = await startPostgres();
    url = await server.database();
  });
  afterAll(() => server.stop());

  it.each([1, 2, 3])("answers and learns there as a file does, and is that file when it is back (%s)", async (seed) => {
    const work = new RandomWork(seed);
    const room = await newRoom(url);
    const file = openKnowledgeStore(room.knowledge, { logSigner: room.signer });
    for (let done = 0; done < OPERATIONS; done++) await answerOf(file, work.write());
    await file.close();
    const before = knowledgeDump(room.knowledge);
    const moved = await room.toPostgres();
    const facts = moved.kind === "moved" ? moved.tables.find(({ table }) => table === "facts") : undefined;
    expect(facts?.rows).toBeGreaterThan(10);
    await room.toSqlite();
    expect(knowledgeDump(room.knowledge)).toBe(before);
    const twin = `${room.knowledge}.twin`;
    copyFileSync(room.knowledge, twin);
    await room.toPostgres();
    await compareAtWork(room, twin, work);
    await room.toSqlite();
    const back = openKnowledgeStore(room.knowledge, { logSigner: room.signer });
    const other = openKnowledgeStore(twin, { logSigner: room.signer });
    for (let done = 0; done < OPERATIONS / 4; done++) await compare(back, other, work);
    expect(await back.check()).toMatchObject({ problems: [], altered: [] });
    await other.close();
    await back.close();
    expect(knowledgeDump(room.knowledge, SEALED)).toBe(knowledgeDump(twin, SEALED));
    room.remove();
  });

  it("is moved again when the process died after it was held, and before its log was", async () => {
    const room = await newRoom(url);
    const file = openKnowledgeStore(room.knowledge);
    await file.learn(lesson(1, [fact("Use blanks")], { status: "trusted" }));
    await heldBefore(room);
    expect(await refusal(file.learn(lesson(2, [fact("Use tabs")], { status: "trusted" })))).toBe("moved");
    await file.close();
    expect(await room.toPostgres()).toMatchObject({ kind: "moved" });
    expect(await room.toSqlite()).toMatchObject({ kind: "moved" });
    const back = openKnowledgeStore(room.knowledge);
    await back.learn(lesson(2, [fact("Use tabs")], { status: "trusted" }));
    expect(await back.check()).toMatchObject({ problems: [], altered: [] });
    await back.close();
    room.remove();
  });

  it("refuses every write where it was left, and stays where it was altered", async () => {
    const room = await newRoom(url);
    const file = openKnowledgeStore(room.knowledge);
    await file.learn(lesson(1, [fact("Use blanks", { detail: "a\u0000b" })], { status: "trusted" }));
    edit(room.knowledge, "UPDATE facts SET status = 'retired'");
    await expect(room.toPostgres()).rejects.toThrow(/knowledge-changed/);
    edit(room.knowledge, "UPDATE facts SET status = 'trusted'");
    await file.accept();
    await room.toPostgres();
    expect(await refusal(file.learn(lesson(2, [fact("Use tabs")], { status: "trusted" })))).toBe("moved");
    const shared = await openPostgresKnowledge(room.place);
    const [found] = await shared.search({ text: "blanks", max: 1 });
    expect(found?.fact.detail).toBe("a\u0000b");
    await file.close();
    await room.toSqlite();
    expect(await refusal(shared.learn(lesson(2, [fact("Use tabs")], { status: "trusted" })))).toBe("moved");
    await shared.close();
    room.remove();
  });
});

async function heldBefore(room: MoveRoom): Promise<void> {
  const database = await openKnowledgeToMove(room.knowledge);
  if (database === null) throw new Error("there is no knowledge");
  holdKnowledge(database, { why: "moved", move: "killed", place: "Postgres", at: 1 });
  database.close();
}

async function compareAtWork(room: MoveRoom, twin: string, work: RandomWork): Promise<void> {
  const shared = await openPostgresKnowledge(room.place, { logSigner: room.signer });
  const other = openKnowledgeStore(twin, { logSigner: room.signer });
  for (let done = 0; done < OPERATIONS; done++) await compare(shared, other, work);
  await shared.close();
  await other.close();
}

async function compare(one: KnowledgeStore, other: KnowledgeStore, work: RandomWork): Promise<void> {
  for (const operation of [work.write(), work.read()])
    expect(await answerOf(one, operation)).toEqual(await answerOf(other, operation));
}

async function newRoom(url: string): Promise<MoveRoom> {
  const room = newMoveRoom(url, null);
  const log = openSqliteLog(room.path, { logSigner: room.signer });
  await endRun(log, "run", 10, ["a text"]);
  await log.close();
  return room;
}

/** Those that two stores write alike: seals may list the changes of one transaction in another order. */
const SEALED = ["facts", "lessons", "witnesses", "history", "opposites", "tokens", "numbering", "tasks", "fact_files"];

function edit(path: string, statement: string): void {
  const database = new DatabaseSync(path);
  database.exec(statement);
  database.close();
}
