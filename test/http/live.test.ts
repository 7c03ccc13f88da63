import { beforeAll, describe, expect, it } from "vitest";
import type { Lease } from "../../src/ports/event-log.ts";
import { commitOf } from "../contracts/event-log-commits.ts";
import { EventStream } from "./event-stream.ts";
import { type Room, openRoom, until } from "./server-room.ts";

let room: Room;

beforeAll(async () => {
  room = await openRoom("pipeline", { lines: 0, drives: false });
}, 60_000);

const listen = (path: string, headers: Readonly<Record<string, string>> = {}): EventStream =>
  new EventStream(room.origin + path, { authorization: `Bearer ${room.token}`, ...headers });

let made = 0;

/** A run that writes to the log without any agent. */
async function writer(): Promise<{ readonly run: string; write(count: number, size?: number): Promise<void> }> {
  const run = `writer${made++}`;
  const { log } = room.engine.ports;
  const lease: Lease = await log.create(
    { run, name: "writer", workflow: "0".repeat(64), at: 1 },
    "w",
    Date.now() + 1e9,
  );
  let after = 0;
  return {
    run,
    async write(count, size = 10) {
      const entries = Array.from({ length: count }, (_, index) => ({
        kind: "noted",
        data: { kind: "noted", index, text: "x".repeat(size) },
      }));
      await room.engine.ports.log.commit(commitOf(lease, after, { entries }));
      after += count;
    },
  };
}

const head = (): Promise<number> => room.engine.ports.log.lastPosition();

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + 1 + index);
}

describe("the live feed", () => {
  it("tells every entry once and in order, from the moment a client joins", async () => {
    const from = await head();
    const client = listen("/api/events");
    expect(await client.opened).toBe(200);
    await until(
      async () => client,
      () => true,
    );
    const { write } = await writer();
    await new Promise((resolve) => setTimeout(resolve, 100));
    for (let batch = 0; batch < 20; batch++) await write(7);
    await until(
      async () => client.positions.length,
      (count) => count >= 140,
    );
    client.close();
    expect(client.positions).toEqual(range(from, from + 140));
    expect(client.heard.some(({ event }) => event === "changed")).toBe(true);
  });

  it("goes on where a client left, while others write", async () => {
    const { write } = await writer();
    const from = await head();
    await write(1_200);
    const seen: number[] = [];
    let last = from;
    for (let visit = 0; visit < 6; visit++) {
      const client = listen("/api/events", { "last-event-id": String(last) });
      const writing = write(50);
      await until(
        async () => client.positions.length,
        (count) => count >= 200 || (client.positions.at(-1) ?? last) >= last + 50,
      );
      await writing;
      client.close();
      seen.push(...client.positions);
      last = seen.at(-1) ?? last;
    }
    expect(seen).toEqual(range(from, last));
  });

  it("tells of one run only what belongs to it", async () => {
    const [own, other] = [await writer(), await writer()];
    await own.write(3);
    await other.write(3);
    const client = listen(`/api/events?run=${own.run}&after=0`);
    await until(
      async () => client.positions.length,
      (count) => count >= 3,
    );
    await other.write(5);
    await own.write(2);
    await until(
      async () => client.positions.length,
      (count) => count >= 5,
    );
    client.close();
    const runs = client.heard.flatMap(({ event, data }) => (event === "entry" ? [(data as { run: string }).run] : []));
    expect(runs).toEqual([own.run, own.run, own.run, own.run, own.run]);
  });

  it("loses nothing and repeats nothing when the server is restarted", async () => {
    const { write } = await writer();
    const from = await head();
    const client = listen("/api/events");
    await client.opened;
    await new Promise((resolve) => setTimeout(resolve, 100));
    await write(30);
    await until(
      async () => client.positions.length,
      (count) => count >= 30,
    );
    const stopping = room.restart();
    await stopping;
    await client.closed;
    expect(client.heard.at(-1)?.event).toBe("closing");
    await write(30);
    const last = client.positions.at(-1) ?? 0;
    const again = listen("/api/events", { "last-event-id": String(last) });
    await until(
      async () => again.positions.length,
      (count) => count >= 30,
    );
    again.close();
    expect([...client.positions, ...again.positions]).toEqual(range(from, from + 60));
  });

  it("lets a client go that never reads, and keeps everybody else served", async () => {
    const { write } = await writer();
    const deaf = listen("/api/events");
    await deaf.opened;
    deaf.pause();
    const from = await head();
    const reader = listen("/api/events", { "last-event-id": String(from) });
    await reader.opened;
    // Whoever reads keeps up: on a slow machine it would be let go as well.
    for (let batch = 1; batch <= 60; batch++) {
      await write(1, 400_000);
      await until(
        async () => reader.positions.length,
        (count) => count >= batch,
      );
    }
    // Only who reads notices that the line is cut.
    deaf.resume();
    await deaf.closed;
    expect(deaf.positions.length).toBeLessThan(60);
    reader.close();
    expect(reader.positions).toEqual(range(from, from + 60));
    const back = listen("/api/events", { "last-event-id": String(deaf.positions.at(-1) ?? from) });
    await until(
      async () => back.positions.at(-1) ?? 0,
      (last) => last >= from + 60,
    );
    back.close();
    expect(back.positions).toEqual(range(deaf.positions.at(-1) ?? from, from + 60));
  });

  it("begins anew for a client that comes from another log", async () => {
    const { write } = await writer();
    const client = listen("/api/events", { "last-event-id": "999999999" });
    await client.opened;
    await new Promise((resolve) => setTimeout(resolve, 100));
    const from = await head();
    await write(2);
    await until(
      async () => client.positions.length,
      (count) => count >= 2,
    );
    client.close();
    expect(client.positions).toEqual(range(from, from + 2));
  });

  it("keeps what an agent wrote inside of its JSON", async () => {
    const { ports } = room.engine;
    const lease = await ports.log.create(
      { run: "hostile", name: "x", workflow: "0".repeat(64), at: 1 },
      "w",
      Date.now() + 1e9,
    );
    const client = listen("/api/events?run=hostile&after=0");
    const text = "\n\nevent: closing\ndata: {}\n\nid: 1\n\r\u2028<script>alert(1)</script>\u001b[2J";
    await ports.log.commit(commitOf(lease, 0, { entries: [{ kind: "noted", data: { text } }] }));
    await until(
      async () => client.positions.length,
      (count) => count >= 1,
    );
    client.close();
    expect(client.heard.filter(({ event }) => event !== "changed")).toHaveLength(1);
    expect(client.heard[0]?.data).toMatchObject({ data: { text } });
  });
});
