import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { RunList } from "../../src/api/answers.ts";
import { openSqliteLog } from "../../src/stores/sqlite/open-sqlite-log.ts";
import { commitOf } from "../contracts/event-log-commits.ts";
import { EventStream } from "./event-stream.ts";
import { baton } from "../cli/run-baton.ts";
import { serveRoom } from "./serve-room.ts";
import { until } from "./server-room.ts";

const { room, environment, serve, serveAnywhere, newFolder } = serveRoom();

describe("baton serve", () => {
  it("keeps its token for its owner only, and ends with 0 when it is asked to", async () => {
    const folder = newFolder();
    const first = await serve(folder);
    const path = join(folder, ".git/baton/server-token");
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
    const log = openSqliteLog(join(folder, ".git/baton/baton.db"));
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

  it("takes another port where the usual one is taken and none was asked for, and says so", async () => {
    const guest = createServer();
    // Whoever has it already does as well.
    const isOurs = await new Promise((resolve) => {
      guest.once("error", () => resolve(false));
      guest.listen(4500, "127.0.0.1", () => resolve(true));
    });
    const server = await serveAnywhere(newFolder());
    expect(server.port).not.toBe(4500);
    expect(server.notes()).toContain(`Port 4500 is taken: this is port ${server.port}.`);
    expect((await server.get("/api/about")).status).toBe(200);
    server.child.kill("SIGTERM");
    expect(await server.ended).toBe(0);
    if (isOurs) guest.close();
  });

  it("gives the link of a server that is there already, and starts another when it is told where", async () => {
    const folder = newFolder();
    const [first, elsewhere] = [await serve(folder), await serve(newFolder())];
    expect(elsewhere.port).not.toBe(first.port);
    const again = await baton(["serve", "--json"], { cwd: folder, env: environment });
    expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining("Another process serves this state") });
    expect(JSON.parse(again.stdout)).toEqual({
      link: `${first.origin}/?token=${first.token}`,
      port: first.port,
    });
    const second = await serve(folder);
    expect(second.port).not.toBe(first.port);
    for (const { child } of [first, second, elsewhere]) child.kill("SIGTERM");
    expect(await Promise.all([first.ended, second.ended, elsewhere.ended])).toEqual([0, 0, 0]);
  });

  it("gives no token away that is not that of the state folder", async () => {
    const folder = newFolder();
    const first = await serve(folder, [], { BATON_TOKEN: "a-token-of-my-own-choice" });
    const seen: (string | undefined)[] = [];
    const plain = await baton(["serve"], { cwd: folder, env: environment });
    expect(plain).toMatchObject({
      code: 0,
      stdout: `${first.origin}\n`,
      stderr: expect.stringContaining("the link that it printed"),
    });
    first.child.kill("SIGKILL");
    await first.ended;
    // An agent may say that it is one.
    const impostor = createHttpServer(({ headers }, response) => {
      seen.push(headers.authorization);
      response.writeHead(401).end();
    });
    await new Promise<void>((resolve) => impostor.listen(0, "127.0.0.1", resolve));
    const { port } = impostor.address() as AddressInfo;
    const living = await serve(folder);
    const servers = join(folder, ".git/baton/servers");
    const [, ...rest] = readFileSync(join(servers, String(living.port)), "utf8").split(" ");
    rmSync(join(servers, String(living.port)));
    writeFileSync(join(servers, String(port)), [`http://127.0.0.1:${port}`, ...rest].join(" "));
    const env = { ...environment, BATON_TOKEN: "a-token-of-my-own-choice" };
    const fooled = await baton(["serve", "--json"], { cwd: folder, env });
    expect(JSON.parse(fooled.stdout)).toEqual({ link: `http://127.0.0.1:${port}`, port });
    expect(seen).toEqual([undefined]);
    impostor.close();
    living.child.kill("SIGTERM");
    await living.ended;
  });

  it("starts when what was left behind does not answer", async () => {
    const folder = newFolder();
    const first = await serve(folder);
    const servers = join(folder, ".git/baton/servers");
    const [, ...rest] = readFileSync(join(servers, String(first.port)), "utf8").split(" ");
    rmSync(join(servers, String(first.port)));
    writeFileSync(join(servers, "1"), ["http://127.0.0.1:1", ...rest].join(" "));
    const second = await serveAnywhere(folder);
    expect((await second.get("/api/about")).status).toBe(200);
    for (const { child } of [first, second]) child.kill("SIGTERM");
    expect(await Promise.all([first.ended, second.ended])).toEqual([0, 0]);
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
