import { mkdtempSync, readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { RunList } from "../../src/api/answers.ts";
import { openSqliteLog } from "../../src/stores/sqlite/open-sqlite-log.ts";
import { commitOf } from "../contracts/event-log-commits.ts";
import { EventStream } from "./event-stream.ts";
import { serveRoom } from "./serve-room.ts";
import { until } from "./server-room.ts";

const { room, serve, newFolder } = serveRoom();

describe("baton serve", () => {
  it("keeps its token for its owner only, and ends with 0 when it is asked to", async () => {
    const folder = newFolder();
    const first = await serve(folder);
    const path = join(folder, ".baton/server-token");
    expect(readFileSync(path, "utf8").trim()).toBe(first.token);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(await (await first.get("/api/about")).json()).toMatchObject({ demo: false });
    expect(await (await first.get("/api/metrics")).json()).toMatchObject({ runs: 0 });
    expect(await (await first.get("/api/audit/verification")).json()).toMatchObject({ source: "log", findings: [] });
    const follower = new EventStream(`${first.origin}/api/events`, { authorization: `Bearer ${first.token}` });
    await follower.opened;
    first.child.kill("SIGTERM");
    expect(await first.ended).toBe(0);
    await follower.closed;
    expect(follower.heard.at(-1)?.event).toBe("closing");
    const second = await serve(folder, [], { BATON_TOKEN: "a-token-of-my-own-choice" });
    expect(second.token).toBe("a-token-of-my-own-choice");
    expect(
      (await fetch(`${second.origin}/api/about`, { headers: { authorization: `Bearer ${first.token}` } })).status,
    ).toBe(401);
    second.child.kill("SIGINT");
    expect(await second.ended).toBe(0);
  });

  it("loses no event for a client that comes back after it was killed", async () => {
    const folder = newFolder();
    const first = await serve(folder);
    const log = openSqliteLog(join(folder, ".baton/baton.db"));
    const lease = await log.create({ run: "a", name: "a", workflow: "x", at: 1 }, "w", Date.now() + 1e9);
    const write = (after: number): Promise<void> =>
      log.commit(
        commitOf(lease, after, {
          entries: Array.from({ length: 10 }, (_, index) => ({ kind: "noted", data: { index } })),
        }),
      );
    const headers = { authorization: `Bearer ${first.token}` };
    const client = new EventStream(`${first.origin}/api/events?after=0`, headers);
    await client.opened;
    await write(0);
    await until(
      async () => client.positions.length,
      (count) => count >= 10,
    );
    first.child.kill("SIGKILL");
    await client.closed;
    await write(10);
    const second = await serve(folder);
    const again = new EventStream(`${second.origin}/api/events`, {
      ...headers,
      "last-event-id": String(client.positions.at(-1)),
    });
    await write(20);
    await until(
      async () => again.positions.length,
      (count) => count >= 20,
    );
    again.close();
    await log.close();
    expect([...client.positions, ...again.positions]).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
    second.child.kill("SIGTERM");
    expect(await second.ended).toBe(0);
  });

  it("says that a port is taken", async () => {
    const folder = newFolder();
    const first = await serve(folder);
    await expect(serve(folder, ["--port", String(first.port)])).rejects.toThrow(/ended with 3: .*is taken/s);
    first.child.kill("SIGTERM");
    await first.ended;
  });

  it("ends at once when a webhook is no address", async () => {
    await expect(serve(newFolder(), ["--webhook", "notaurl"])).rejects.toThrow(/ended with [23]: .*webhook/is);
  });

  it("shows a living system as a demo, and leaves nothing behind", { timeout: 240_000 }, async () => {
    const temporary = mkdtempSync(join(room, "tmp-"));
    const demo = await serve(newFolder(), ["--demo"], { TMPDIR: temporary });
    const list = await until(
      async () => (await (await demo.get("/api/runs")).json()) as RunList,
      ({ counts, runs }) =>
        counts.waiting > 0 &&
        counts.failed > 0 &&
        counts.stalled > 0 &&
        runs.some(({ workflow, status }) => workflow === "issue" && status !== "running"),
    );
    expect(list.runs.find(({ workflow }) => workflow === "issue")).toMatchObject({ status: "completed", iteration: 3 });
    expect(list.workflows).toEqual(["collective", "deploy", "feature", "issue", "pipeline", "tasks"]);
    demo.child.kill("SIGTERM");
    expect(await demo.ended).toBe(0);
    expect(readdirSync(temporary).filter((name) => name.startsWith("baton-demo"))).toEqual([]);
  });
});
