import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ANSWER_SCHEMAS, type HookStatus, type RunList, type RunPage } from "../../src/api/answers.ts";
import { openEngine } from "../../src/main/open-engine.ts";
import { openHttp } from "../../src/main/open-http.ts";
import { type HookRoom, hookRooms, sessionsFile, stopOf, taskHandoff } from "../hooks/hook-room.ts";

/** What the server answers about sessions of clients, which it watches and does not drive. */
const room = hookRooms();
const ajv = new Ajv2020({ strict: false, allErrors: true });
ajv.addSchema({ $id: "urn:baton:api", components: { schemas: ANSWER_SCHEMAS } });

let made: HookRoom;
let origin: string;
let headers: Record<string, string>;
let close: () => Promise<void>;

beforeAll(async () => {
  made = room({ "baton.yaml": sessionsFile("  blocks: 1\n") });
  await made.run("trust");
  const stop = stopOf(made, "done");
  await made.hook("UserPromptSubmit", "claude", { session_id: "session-1", cwd: made.root, prompt: "Review it." });
  await made.hook("SubagentStart", "claude", stop);
  await made.hook("SubagentStop", "claude", stop);
  await made.hook("SubagentStop", "claude", stopOf(made, taskHandoff(["files_created: 7"])));
  await made.hook("SubagentStart", "claude", stopOf(made, "", { agent_id: "agent-2" }));
  await made.hook("SubagentStop", "claude", stopOf(made, taskHandoff(), { agent_id: "agent-2" }));
  await made.hook("SubagentStart", "claude", stopOf(made, "", { agent_id: "e", agent_type: "Explore" }));
  await made.hook("SubagentStart", "claude", stopOf(made, "", { agent_id: "agent-3" }));
  await made.hook("SessionEnd", "gemini", { session_id: "session-2", cwd: made.root });
  const engine = openEngine(made.root);
  const around = { configFolder: join(made.home, ".config/baton"), version: "0.0.0-test", note: () => undefined };
  const page = await openHttp(engine, { port: 0, drives: true, isDemo: false, webhooks: [] }, around);
  origin = `http://127.0.0.1:${page.port}`;
  headers = { authorization: `Bearer ${new URL(page.link).searchParams.get("token") ?? ""}` };
  close = async () => {
    await page.stop();
    await engine.close();
  };
}, 120_000);

afterAll(async () => close());

async function look<T>(path: string, schema: string): Promise<T> {
  const response = await fetch(origin + path, { headers });
  const answer: unknown = await response.json();
  const validate = ajv.getSchema(`urn:baton:api#/components/schemas/${schema}`);
  expect({ path, status: response.status, fits: validate?.(answer), errors: validate?.errors }).toEqual({
    path,
    status: 200,
    fits: true,
    errors: null,
  });
  return answer as T;
}

async function tell(path: string, body: unknown): Promise<{ status: number; message: string }> {
  const type = typeof body === "string" ? "text/plain" : "application/json";
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const more = { ...headers, "content-type": type, "idempotency-key": "key-1" };
  const response = await fetch(origin + path, { method: "POST", headers: more, body: text });
  const { error } = (await response.json()) as { error?: { message: string } };
  return { status: response.status, message: error?.message ?? "" };
}

describe("the server over a repository with sessions", () => {
  it("lists them as watched, with the agents that were let pass", async () => {
    const { runs, counts } = await look<RunList>("/api/runs?status=watched", "RunList");
    expect(runs).toMatchObject([
      { status: "watched", is_observed: true, idle_since: null, failed_agents: ["reviewer"], tasks: 3, tasks_done: 1 },
    ]);
    expect(counts).toMatchObject({ running: 0, watched: 1 });
  });

  it("shows one with its attempts, handoffs, refused ones too, and the agents that owe nothing", async () => {
    const { runs } = await look<RunList>("/api/runs", "RunList");
    const run = runs[0]?.run ?? "";
    const page = await look<RunPage>(`/api/runs/${run}`, "RunPage");
    expect(page.view.observed).toMatchObject({ client: "claude", session: "session-1", usage: null });
    expect(page.others).toMatchObject([{ agent: "Explore", ended_at: null, tokens: null, files: null }]);
    const attempts = page.steps.flatMap((step) => step.attempts);
    expect(attempts.map(({ was_refused, tokens }) => [was_refused, tokens])).toEqual([
      [true, null],
      [true, null],
      [false, null],
      [false, null],
    ]);
    const handoffs = attempts.filter(({ has_handoff }) => has_handoff).map(({ attempt }) => attempt);
    const shown = await Promise.all(
      handoffs.map((attempt) => look<Record<string, unknown>>(`/api/runs/${run}/handoffs/${attempt}`, "HandoffPage")),
    );
    const [missing, invalid, accepted] = shown;
    expect(missing).toMatchObject({ accepted: false, source: null, handoff: null });
    expect(invalid).toMatchObject({ accepted: false, handoff: null });
    expect(String(invalid?.["source"])).toContain("files_created: 7");
    expect(accepted).toMatchObject({ accepted: true, handoff: { outcome: "done" } });
  });

  it("tells which hooks were not heard of, and what mends it", async () => {
    const { is_wanted, heard, notices } = await look<HookStatus>("/api/hooks", "HookStatus");
    expect(is_wanted).toBe(true);
    expect(heard.map(({ client }) => client)).toContain("claude");
    expect(notices).toMatchObject([
      {
        client: "gemini",
        says: expect.stringContaining("none at the end of an agent"),
        fix: expect.stringContaining("doctor"),
      },
    ]);
  });

  it("takes no handoff for it, and neither resumes nor retries it", async () => {
    const { runs } = await look<RunList>("/api/runs", "RunList");
    const run = runs[0]?.run ?? "";
    const handoff = await tell(`/api/runs/${run}/handoffs`, taskHandoff());
    expect(handoff).toMatchObject({ status: 409, message: expect.stringContaining("only watched: nothing was taken") });
    expect(await tell(`/api/runs/${run}/resume`, {})).toMatchObject({
      status: 409,
      message: expect.stringContaining("only watched"),
    });
  });

  it("closes one when a person says so, at once", async () => {
    const { runs } = await look<RunList>("/api/runs", "RunList");
    const run = runs[0]?.run ?? "";
    expect(await tell(`/api/runs/${run}/cancel`, { reason: "the terminal is gone" })).toMatchObject({ status: 202 });
    const page = await look<RunPage>(`/api/runs/${run}`, "RunPage");
    expect(page.item).toMatchObject({ status: "cancelled", reason: "the terminal is gone" });
  });
});
