import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LogInspection, MoveEnd } from "../../src/stores/moving/move-ends.ts";
import { logicalDump } from "../audit/logical-dump.ts";
import { type AuditRoom, makeRoom } from "../audit/audit-room.ts";
import { answerOf, RandomWork } from "../contracts/knowledge-postgres-twin.ts";
import { openKnowledgeStore } from "../../src/stores/knowledge/open-knowledge-store.ts";
import { startPostgres, type TestPostgres, whyNoPostgres } from "../postgres/start-postgres.ts";
import { Random } from "../simulation/random.ts";
import { knowledgeDump } from "./knowledge-dump.ts";
import { type MoveRoom, newMoveRoom } from "./move-room.ts";

const KILLS = Number(process.env["BATON_MOVE_KILLS"] ?? 6);
const SEED = Number(process.env["BATON_SEED"] ?? 20_261_119);
/** For all of them, in milliseconds. */
const ALL_KILLS = 60_000 + KILLS * 10_000;
const WORKER = join(import.meta.dirname, "move-worker.ts");

/** Where a move dies, and which store has the state then. Null where it left one and is not in use in the other. */
const STEPS = [
  ["locked", "source"],
  ["target opened", "source"],
  ["entries written", "source"],
  ["copied", "source"],
  ["kept", "source"],
  ["compared", "source"],
  ["left its source", null],
  ["left", null],
  ["opened", "target"],
] as const;

describe.skipIf(whyNoPostgres !== null)("a move that is killed", () => {
  let server: TestPostgres;
  let url = "";
  let filled: AuditRoom;
  let known: Buffer;
  let before = "";
  const newRoom = (): MoveRoom => {
    const room = newMoveRoom(url, filled.bytes);
    writeFileSync(room.knowledge, known);
    return room;
  };
  beforeAll(async () => {
    server = await startPostgres();
    url = await server.database();
    filled = await makeRoom();
    const room = newMoveRoom(url, filled.bytes);
    const knowledge = openKnowledgeStore(room.knowledge);
    const work = new RandomWork(SEED);
    for (let done = 0; done < 40; done++) await answerOf(knowledge, work.write());
    await knowledge.close();
    known = readFileSync(room.knowledge);
    before = dumpOf(room);
    room.remove();
  });
  afterAll(async () => {
    filled.remove();
    await server.stop();
  });

  it.each(STEPS)(
    "when it has %s leaves the state in one store, and is ended when it is said again",
    async (step, where) => {
      const room = newRoom();
      for (const to of ["postgres", "sqlite"] as const) {
        await killedAt(room, to, step);
        const [source, target] =
          to === "postgres" ? [room.sqlite(), room.postgres()] : [room.postgres(), room.sqlite()];
        expect(await whereState(source, target), `${step} to ${to}`).toBe(where);
        const outcome = await (to === "postgres" ? room.toPostgres() : room.toSqlite());
        expect(outcome.kind).toBe(where === "source" ? "moved" : where === null ? "finished" : "there");
      }
      expect(dumpOf(room)).toBe(before);
      room.remove();
    },
  );

  it(
    `at any moment does the same (${KILLS} random ones)`,
    async () => {
      const random = new Random(SEED);
      const room = newRoom();
      let whole = 400;
      for (let kill = 0; kill < KILLS; kill++) {
        const to = kill % 2 === 0 ? "postgres" : "sqlite";
        whole = Math.max(whole, await killedAfter(room, to, random.next() * whole));
        const [source, target] =
          to === "postgres" ? [room.sqlite(), room.postgres()] : [room.postgres(), room.sqlite()];
        await whereState(source, target);
        const outcome = await (to === "postgres" ? room.toPostgres() : room.toSqlite());
        expect(["moved", "finished", "there"]).toContain(outcome.kind);
      }
      if (KILLS % 2 === 1) await room.toSqlite();
      expect(dumpOf(room)).toBe(before);
      room.remove();
    },
    ALL_KILLS,
  );
});

/** Everything that the state says. */
function dumpOf({ path, knowledge }: MoveRoom): string {
  return logicalDump(path) + knowledgeDump(knowledge);
}

/** Fails unless exactly one store has the state, or one has left it and the other has all of it and the same move. */
async function whereState(source: MoveEnd, target: MoveEnd): Promise<"source" | "target" | null> {
  try {
    const [left, arrived] = [await source.inspect(), await target.inspect()];
    const inUse = [left, arrived].filter((each) => each !== null && each.hold === null && !each.isEmpty);
    expect(inUse.length).toBeLessThanOrEqual(1);
    if (inUse.length === 1) return inUse[0] === left ? "source" : "target";
    expect(holdsOf(left, arrived)).toEqual(["moved", "arriving", true]);
    return null;
  } finally {
    await source.close();
    await target.close();
  }
}

function holdsOf(left: LogInspection | null, arrived: LogInspection | null): unknown {
  return [left?.hold?.why, arrived?.hold?.why, left?.hold?.move === arrived?.hold?.move && left?.log === arrived?.log];
}

function killedAt(room: MoveRoom, to: string, step: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = start(room, to, step);
    child.on("error", reject);
    child.on("close", (_code, signal) =>
      signal === "SIGKILL" ? resolve() : reject(new Error(`it was not killed when it had ${step}`)),
    );
  });
}

/** Gives how long the whole move took where it had ended before. */
async function killedAfter(room: MoveRoom, to: string, delay: number): Promise<number> {
  const child = start(room, to, "");
  const closed = new Promise<void>((resolve) => child.on("close", () => resolve()));
  let said = "";
  child.stdout?.on("data", (text: Buffer) => (said += text.toString()));
  while (!said.includes("begun") && child.exitCode === null) await sleep(5);
  await sleep(delay);
  child.kill("SIGKILL");
  await closed;
  return Number(/"milliseconds":(\d+)/.exec(said)?.[1] ?? 0);
}

function start({ path, place }: MoveRoom, to: string, step: string) {
  return spawn(process.execPath, [WORKER, path, place.url, place.schema, to, step], {
    stdio: ["ignore", "pipe", "inherit"],
  });
}
