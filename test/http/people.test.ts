import { execFile } from "node:child_process";
import { userInfo } from "node:os";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import type { Inbox, RunPage } from "../../src/api/answers.ts";
import { type Room, openRoom, until } from "./server-room.ts";

async function json<T>(response: Promise<Response>): Promise<T> {
  return (await (await response).json()) as T;
}

async function firstAsk(room: Room): Promise<{ readonly run: string; readonly ask: string }> {
  const { asks } = await json<Inbox>(room.get("/api/inbox"));
  return { run: asks[0]?.run ?? "", ask: asks[0]?.ask.id ?? "" };
}

describe("what a person does on the page", () => {
  it("moves a run on to its end: the server drives it", { timeout: 180_000 }, async () => {
    const room = await openRoom("feature", { lines: 1 });
    const { run, ask } = await firstAsk(room);
    const wrong = await room.post(`/api/runs/${run}/asks/${ask}`, { choice: "perhaps" });
    expect([wrong.status, await wrong.json()]).toMatchObject([
      400,
      { error: { hint: expect.stringContaining("approve") } },
    ]);
    const told = await room.post(
      `/api/runs/${run}/asks/${ask}`,
      { choice: "approve", reason: "Good." },
      { "idempotency-key": "once" },
    );
    expect([told.status, await told.json()]).toEqual([202, { told: true }]);
    const page = await until(
      () => json<RunPage>(room.get(`/api/runs/${run}`)),
      ({ item }) => item.status === "completed" || item.status === "failed",
    );
    expect(page.item.status).toBe("completed");
    const { events } = await json<{ events: { kind: string; data: object }[] }>(
      room.get(`/api/runs/${run}/events?limit=1000`),
    );
    const answers = events.filter(({ kind }) => kind === "ask-answered");
    expect(answers).toMatchObject([{ data: { ask, choice: "approve", text: "Good.", by: userInfo().username } }]);
    expect((await json<Inbox>(room.get("/api/inbox"))).asks).toEqual([]);
    const again = { choice: "approve", reason: "Good." };
    const repeated = await room.post(`/api/runs/${run}/asks/${ask}`, again, { "idempotency-key": "once" });
    expect([repeated.status, await repeated.json()]).toEqual([202, { told: true }]);
    expect((await room.post(`/api/runs/${run}/asks/${ask}`, again)).status).toBe(202);
    const other = await room.post(`/api/runs/${run}/asks/${ask}`, { choice: "reject" });
    expect([other.status, await other.json()]).toMatchObject([
      409,
      { error: { code: "conflict", message: `${ask} was already answered: approve.` } },
    ]);
    expect((await room.post(`/api/runs/${run}/asks/q99`, { choice: "approve" })).status).toBe(404);
    expect((await room.post(`/api/runs/${run}/cancel`, {})).status).toBe(409);
    expect((await room.post(`/api/runs/${run}/retry`, {})).status).toBe(409);
    expect((await room.post(`/api/runs/${run}/resume`, {})).status).toBe(409);
  });

  it("ends a run", { timeout: 120_000 }, async () => {
    const room = await openRoom("feature", { lines: 1 });
    const { run } = await firstAsk(room);
    expect((await room.post(`/api/runs/${run}/cancel`, { reason: "Not now." })).status).toBe(202);
    const page = await until(
      () => json<RunPage>(room.get(`/api/runs/${run}`)),
      ({ item }) => item.status !== "waiting" && item.status !== "running",
    );
    expect(page.item).toMatchObject({ status: "cancelled", reason: expect.stringContaining("Not now.") });
  });

  it("is taken from one of two who answer at the same moment", { timeout: 120_000 }, async () => {
    const room = await openRoom("feature", { lines: 1, configFolder: "/nonexistent/baton" });
    const { run, ask } = await firstAsk(room);
    const choices = ["approve", "reject", "approve", "reject"];
    const answers = choices.map(async (choice) => room.post(`/api/runs/${run}/asks/${ask}`, { choice }));
    const codes = (await Promise.all(answers)).map(({ status }) => status);
    expect(codes.toSorted((left, right) => left - right)).toEqual([202, 202, 409, 409]);
    expect(await room.engine.ports.log.messages(run)).toMatchObject([{ id: `answer:${ask}`, input: { ask } }]);
  });

  it("starts no command of a run that the operator has not started here", { timeout: 120_000 }, async () => {
    const room = await openRoom("feature", { lines: 1, configFolder: "/nonexistent/baton" });
    const { run, ask } = await firstAsk(room);
    const before = await room.engine.ports.log.lastPosition();
    const resumed = await room.post(`/api/runs/${run}/resume`, {});
    expect([resumed.status, await resumed.json()]).toMatchObject([403, { error: { code: "not-trusted" } }]);
    const [open] = (await json<Inbox>(room.get("/api/inbox"))).asks;
    expect(open).toMatchObject({ answered: null, silence: "remind" });
    const answer = async (body: object) => room.post(`/api/runs/${run}/asks/${ask}`, body);
    expect((await answer({ choice: "approve" })).status).toBe(202);
    expect((await answer({ choice: "approve" })).status).toBe(202);
    const other = await answer({ choice: "reject" });
    expect([other.status, await other.json()]).toMatchObject([
      409,
      { error: { code: "conflict", message: expect.stringContaining(`${ask} was already answered: approve`) } },
    ]);
    const [answered] = (await json<Inbox>(room.get("/api/inbox"))).asks;
    expect(answered).toMatchObject({ answered: { choice: "approve", by: userInfo().username } });
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(await room.engine.ports.log.lastPosition()).toBe(before);
  });
});

describe("what an agent sends with the token of the server", () => {
  const POST = `const [url, token, body, leaves] = process.argv.slice(1);
    const { hostname, port, pathname } = new URL(url);
    const request = require("node:http").request({ hostname, port, path: pathname, method: "POST",
      headers: { authorization: "Bearer " + token, "content-type": "application/json", "content-length": body.length } });
    request.on("response", async (answer) => console.log(answer.statusCode, (await answer.toArray()).join("")));
    request.end(body, () => leaves === "leaves" && process.exit());`;

  /** By a process of its own that has the marks of an attempt, or whose parent has. */
  async function sendAsAgent(room: Room, path: string, body: object, how: "marked" | "cleared" | "leaves") {
    const node = [process.execPath, "-e", POST, "--", room.origin + path, room.token, JSON.stringify(body), how];
    const [name = "", ...rest] = how === "cleared" ? ["sh", "-c", 'env -i "$@"; true', "sh", ...node] : node;
    const env = { ...process.env, BATON_ATTEMPT: "r1.s1.1", BATON_MARKS: "a".repeat(24), BATON_RUNS: "r1" };
    return (await promisify(execFile)(name, rest, { env })).stdout;
  }

  it("is no answer of a person, no retry and no change of a fact", { timeout: 120_000 }, async () => {
    const room = await openRoom("feature", { lines: 1, configFolder: "/nonexistent/baton" });
    const { run, ask } = await firstAsk(room);
    const answer = `/api/runs/${run}/asks/${ask}`;
    for (const how of ["marked", "cleared"] as const) {
      const said = await sendAsAgent(room, answer, { choice: "approve" }, how);
      expect(said).toMatch(/^403 .*"code":"not-a-person".*r1\.s1\.1/);
    }
    expect(await sendAsAgent(room, `/api/runs/${run}/retry`, {}, "marked")).toMatch(/^403 .*"not-a-person"/);
    expect(await sendAsAgent(room, "/api/knowledge/f-1/promote", {}, "marked")).toMatch(/^403 .*"not-a-person"/);
    for (let times = 0; times < 5; times++) await sendAsAgent(room, answer, { choice: "approve" }, "leaves");
    expect(await room.engine.ports.log.messages(run)).toEqual([]);
    expect((await room.post(answer, { choice: "approve" })).status).toBe(202);
  });
});
