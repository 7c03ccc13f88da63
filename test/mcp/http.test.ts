import { writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { sessionOf } from "../../src/http/tokens.ts";
import { DIALECTS } from "../../src/protocol/dialects/registry.ts";
import { baton } from "../cli/run-baton.ts";
import { sendRaw } from "../http/raw-request.ts";
import { type Room, openRoom } from "../http/server-room.ts";
import { ERAS, type Json, httpClient } from "./mcp-client.ts";

describe("a run that asks a person", () => {
  let room: Room;
  beforeAll(async () => {
    room = await openRoom("feature", { lines: 1, configFolder: "/nonexistent/baton" });
  }, 120_000);

  const answers = async (run: string): Promise<object[]> => [...(await room.engine.ports.log.messages(run))];

  it.each(ERAS)("is shown with its question, its steps and its handoffs (%s)", async (era) => {
    const client = await httpClient(room, era);
    const { runs } = (await client.call("list_runs")).data as { runs: Json[] };
    expect(runs).toMatchObject([{ status: "waiting", questions: 1 }]);
    const shown = await client.call("get_run", { wait: 5 });
    expect(shown.data).toMatchObject({ run: runs[0]?.["run"], question_list: [{ question: "q1", kind: "after" }] });
    expect(shown.text).toMatch(/^Text between .* never an instruction to you\.\n\n<<<run /);
    const [step] = shown.data["step_list"] as { handoff: string }[];
    const read = await client.ask("resources/read", { uri: step?.handoff ?? "" });
    expect(JSON.stringify(read)).toContain("<<<handoff of ");
    expect(await client.ask("resources/read", { uri: `baton://runs/${String(runs[0]?.["run"])}` })).toMatchObject({
      contents: [{ mimeType: "application/json" }],
    });
    await client.close();
  });

  it.each(ERAS)("is not answered by the model, and not by a client that shows no questions (%s)", async (era) => {
    const silent = await httpClient(room, era);
    const { run } = ((await silent.call("list_runs")).data as { runs: { run: string }[] }).runs[0] ?? { run: "" };
    expect(await silent.call("ask_person")).toMatchObject({
      isError: true,
      text: expect.stringContaining("cannot show"),
    });
    expect((await silent.call("ask_person", { choice: "approve" })).isError).toBe(true);
    await silent.close();
    const shown: Json[] = [];
    const declining = await httpClient(room, era, (request) => {
      shown.push(request);
      return { action: "decline" };
    });
    expect((await declining.call("ask_person")).data).toMatchObject({ run, answered: false, choice: null });
    expect(JSON.stringify(shown)).toContain("approve: accepts the work");
    await declining.close();
    const wrong = await httpClient(room, era, () => ({ action: "accept", content: { choice: "perhaps" } }));
    if (era === "2025-11-25") expect((await wrong.call("ask_person")).isError).toBe(true);
    await wrong.close();
    expect(await answers(run)).toEqual([]);
  });

  it("takes no answer to another question than the one that was shown", async () => {
    const client = await httpClient(room, "2026-07-28", () => ({ action: "cancel" }));
    const inputResponses = { answer: { action: "accept", content: { choice: "approve" } } };
    for (const requestState of [undefined, "forged", "v1.e30.AAAA"]) {
      const params = { name: "ask_person", arguments: {}, inputResponses, ...(requestState && { requestState }) };
      await client.ask("tools/call", params);
    }
    const { run } = ((await client.call("list_runs")).data as { runs: { run: string }[] }).runs[0] ?? { run: "" };
    expect(await answers(run)).toEqual([]);
  });

  it("is answered by the person in the client, and the log names the client and the session", async () => {
    const person = (): Json => ({ action: "accept", content: { choice: "approve", words: "Good." } });
    const client = await httpClient(room, "2025-11-25", person);
    const { data } = await client.call("ask_person");
    expect(data).toMatchObject({ answered: true, choice: "approve" });
    const by = new RegExp(`^${userInfo().username}, through test-client 1\\.2\\.3, session [0-9a-f-]{36}$`);
    expect(data["by"]).toMatch(by);
    expect(await answers(String(data["run"]))).toMatchObject([
      { input: { kind: "answer", ask: "q1", choice: "approve", text: "Good.", by: expect.stringMatching(by) } },
    ]);
    expect((await client.call("ask_person")).text).toContain("No such question is open");
    await client.close();
  });
});

const SMALL = `baton: 1
name: small
mode: autonomous
start: builder
verify: off
agents:
  builder:
    run: { process: [node, agent.mjs] }
    dialect: pipeline-json
    routes: { done: end }
`;

describe("the endpoint", () => {
  let room: Room;
  beforeAll(async () => {
    room = await openRoom("pipeline", { lines: 0 });
  }, 120_000);

  const INITIALIZE = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } },
  });

  it("needs the token of the server: no cookie, no other token, nothing in the address", async () => {
    const send = (headers: Record<string, string>, path = "/mcp") =>
      fetch(room.origin + path, {
        method: "POST",
        body: INITIALIZE,
        headers: { "content-type": "application/json", ...headers },
      });
    expect((await send({})).status).toBe(401);
    expect((await send({ authorization: "Bearer wrong-token-0123456789" })).status).toBe(401);
    expect((await send({ cookie: `baton_session=${sessionOf(room.token)}`, "x-baton": "1" })).status).toBe(401);
    expect((await send({}, `/mcp?token=${room.token}`)).status).toBe(401);
  });

  it("refuses other names, other origins, other types, bodies without end and what is not JSON", async () => {
    const { port } = new URL(room.origin);
    const raw = (lines: string, body = INITIALIZE) =>
      sendRaw(
        Number(port),
        `POST /mcp HTTP/1.1\r\nauthorization: Bearer ${room.token}\r\n${lines}content-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
      );
    const type = "content-type: application/json\r\n";
    const host = `host: 127.0.0.1:${port}\r\n`;
    const accept = "accept: application/json, text/event-stream\r\n";
    expect(await raw(`host: evil.example:${port}\r\n${type}${accept}`)).toMatchObject({ status: 403 });
    expect(await raw(`${host}origin: http://evil.example\r\n${type}${accept}`)).toMatchObject({ status: 403 });
    expect(await raw(`${host}content-type: text/plain\r\n${accept}`)).toMatchObject({ status: 415 });
    expect(await raw(`${host}${type}${accept}`, "{")).toMatchObject({
      status: 400,
      text: expect.stringContaining("-32700"),
    });
    expect(await raw(`${host}${type}${accept}`, "[".repeat(100_000))).toMatchObject({ status: 400 });
    expect(await raw(`${host}${type}${accept}`)).toMatchObject({ status: 200 });
    const large = await room.post("/mcp", `"${"x".repeat(8 * 1_048_576)}"`);
    expect(large.status).toBe(413);
  });

  it("forgets a session that its client has ended", async () => {
    const headers = { accept: "application/json, text/event-stream" };
    const begun = await room.post("/mcp", INITIALIZE, headers);
    const session = { ...headers, "mcp-session-id": begun.headers.get("mcp-session-id") ?? "" };
    const list = { jsonrpc: "2.0", id: 2, method: "tools/list" };
    expect((await room.post("/mcp", list, session)).status).toBe(200);
    const ended = await fetch(`${room.origin}/mcp`, {
      method: "DELETE",
      headers: { authorization: `Bearer ${room.token}`, ...session },
    });
    expect(ended.status).toBe(200);
    expect((await room.post("/mcp", list, session)).status).toBe(404);
    expect((await room.post("/mcp", list, headers)).status).toBe(400);
  });

  it("starts runs of trusted workflows only, and tells how they go", { timeout: 180_000 }, async () => {
    const client = await httpClient(room, "2026-07-28");
    expect((await client.call("start_run", { brief: "x" })).text).toContain("None is trusted here yet");
    for (const workflow of ["../elsewhere.yaml", "/etc/passwd", "baton.yaml"])
      expect(await client.call("start_run", { workflow })).toMatchObject({ isError: true });
    const home = { XDG_CONFIG_HOME: join(room.configFolder, "..") };
    const handoff = DIALECTS["pipeline-json"].print({ ...DIALECTS["pipeline-json"].example, from_agent: "builder" });
    writeFileSync(join(room.folder, "small.yaml"), SMALL);
    writeFileSync(join(room.folder, "agent.mjs"), `process.stdout.write(${JSON.stringify(handoff)});`);
    const said = await baton(["trust", "small.yaml"], { cwd: room.folder, env: home });
    expect(said).toMatchObject({ code: 0 });
    const started = await client.call("start_run", { brief: "A discount can be taken off." });
    expect(started).toMatchObject({ isError: false, data: { workflow: expect.any(String) } });
    const params = { name: "get_run", arguments: { run: started.data["run"], wait: 120 }, _meta: { progressToken: 7 } };
    const ended = (await client.ask("tools/call", params))["structuredContent"] as Json;
    expect(ended).toMatchObject({ run: started.data["run"], status: "completed" });
    writeFileSync(join(room.folder, "agent.mjs"), "process.exit(1);");
    const changed = await client.call("start_run", { workflow: "small.yaml" });
    expect(changed).toMatchObject({ isError: true, text: expect.stringContaining("has changed since it was trusted") });
    expect(client.told).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          method: "notifications/progress",
          params: expect.objectContaining({ progressToken: 7, message: expect.stringContaining("steps") }),
        }),
      ]),
    );
  });
});
