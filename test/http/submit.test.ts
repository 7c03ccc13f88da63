import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { HandoffPage, RunPage } from "../../src/api/answers.ts";
import { loadWorkflow } from "../../src/runtime/operations/load-workflow.ts";
import { pinOf, startRun } from "../../src/runtime/operations/start-run.ts";
import { rememberRun } from "../../src/runtime/operations/trust-workflow.ts";
import { DIALECTS } from "../../src/protocol/dialects/registry.ts";
import { type Room, openRoom, until } from "./server-room.ts";

const WORKFLOW = `baton: 1
name: by-http
mode: autonomous
start: builder
verify: off
agents:
  builder:
    run: { process: [node, agent.mjs] }
    dialect: pipeline-json
    routes: { done: checker }
  checker:
    run: { process: [node, second.mjs] }
    dialect: pipeline-json
    routes: { done: end }
`;

/** Hands in over HTTP and says nothing else; waits for \`go\` before it ends. */
const AGENT = `
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
const text = readFileSync("handoff.txt", "utf8");
const { BATON_SUBMIT_URL: url, BATON_SUBMIT_TOKEN: token } = process.env;
const send = (key, body) => fetch(url, { method: "POST", body, headers: { authorization: "Bearer " + token, "content-type": "application/json", "idempotency-key": key } });
const answers = [];
for (const [key, body] of [["bad", "{}"], ["one", text], ["one", text], ["one", text + " "]]) {
  const response = await send(key, body);
  answers.push([response.status, await response.json()]);
}
// Under its name it is whole: the test reads it as soon as it is there.
writeFileSync("answers.json.new", JSON.stringify({ url, token, answers }));
renameSync("answers.json.new", "answers.json");
while (!existsSync("go")) await new Promise((resolve) => setTimeout(resolve, 50));
`;

/** Hands in under the key that the first agent has used, too. */
const SECOND = `
import { readFileSync } from "node:fs";
const { BATON_SUBMIT_URL: url, BATON_SUBMIT_TOKEN: token } = process.env;
const body = readFileSync("handoff.txt", "utf8").replace('"builder"', '"checker"');
const response = await fetch(url, { method: "POST", body, headers: { authorization: "Bearer " + token, "content-type": "application/json", "idempotency-key": "one" } });
if (response.status !== 202) throw new Error(await response.text());
`;

let room: Room;
let run: string;
let told: { url: string; token: string; answers: [number, Record<string, unknown>][] };

beforeAll(async () => {
  room = await openRoom("pipeline", { lines: 0 });
  const handoff = DIALECTS["pipeline-json"].print({
    ...DIALECTS["pipeline-json"].example,
    from_agent: "builder",
    status: "PASS",
  });
  for (const [name, text] of [
    ["flow.yaml", WORKFLOW],
    ["agent.mjs", AGENT],
    ["second.mjs", SECOND],
    ["handoff.txt", handoff],
  ] as const)
    writeFileSync(join(room.folder, name), text);
  const { workflow } = loadWorkflow(join(room.folder, "flow.yaml"));
  if (workflow === null) throw new Error("the workflow cannot be read");
  const lease = await startRun(room.engine.ports, { workflow, brief: "", tasks: [], known: {} });
  ({ run } = lease);
  rememberRun({ run, pin: pinOf(workflow), hash: "of what is trusted" }, room.configFolder);
  await room.engine.ports.log.release(lease);
  const answers = join(room.folder, "answers.json");
  told = await until(
    async () => (await room.engine.ports.workspace.read(room.folder, "answers.json", 1e6))?.text ?? null,
    (text) => text !== null,
  ).then((text) => JSON.parse(text ?? "") as typeof told);
  expect(answers).toContain("answers");
}, 120_000);

const submit = (token: string, key: string, body: string): Promise<Response> =>
  room.post(`/api/runs/${run}/handoffs`, body, { authorization: `Bearer ${token}`, "idempotency-key": key });

describe("a handoff that is handed in over HTTP", () => {
  it("is refused with what is wrong, taken once, and not mixed up by its key", () => {
    expect(told.url).toBe(`${room.origin}/api/runs/${run}/handoffs`);
    const [bad, first, second, other] = told.answers;
    expect(bad).toMatchObject([422, { error: { code: "wrong-handoff" } }]);
    expect(bad?.[1]["diagnostics"]).not.toEqual([]);
    expect(first).toMatchObject([202, { accepted: true, run, attempt: "s1.1", dialect: "pipeline-json" }]);
    expect(second).toEqual(first);
    expect(other?.[0]).toBe(409);
  });

  it("counts in the agent's own format when the text holds one of another format, too", async () => {
    const { print, example } = DIALECTS["pipeline-json"];
    const own = print({ ...example, from_agent: "builder", status: "PASS" });
    const other = DIALECTS["phase-yaml"].print(DIALECTS["phase-yaml"].example);
    const both = `\`\`\`json\n${own}\n\`\`\`\n\n\`\`\`yaml\n${other}\n\`\`\`\n`;
    const answer = await submit(told.token, "both", both);
    expect([answer.status, await answer.json()]).toEqual([202, expect.objectContaining({ dialect: "pipeline-json" })]);
    expect((await submit(told.token, "again", own)).status).toBe(202);
  });

  it("needs the token of the attempt that is at work, or the server's own", async () => {
    const stranger = await submit("x".repeat(43), "two", "{}");
    expect([stranger.status, JSON.stringify(await stranger.json())]).toEqual([401, expect.not.stringContaining(run)]);
    expect((await submit(told.token, "two", "{}")).status).toBe(422);
    expect((await submit(room.token, "three", "{}")).status).toBe(422);
    const keyless = await fetch(`${room.origin}/api/runs/${run}/handoffs`, {
      method: "POST",
      body: "{}",
      headers: { authorization: `Bearer ${told.token}`, "content-type": "application/json" },
    });
    expect(keyless.status).toBe(400);
    const elsewhere = await fetch(`${room.origin}/api/runs`, { headers: { authorization: `Bearer ${told.token}` } });
    expect(elsewhere.status).toBe(401);
  });

  it("goes the way of every handoff when the agent ends, and then its token opens nothing", async () => {
    writeFileSync(join(room.folder, "go"), "");
    const page = await until(
      async () => (await (await room.get(`/api/runs/${run}`)).json()) as RunPage,
      ({ item }) => item.status !== "running",
    );
    expect(page.item.status).toBe("completed");
    const handoff = (await (await room.get(`/api/runs/${run}/handoffs/s1.1`)).json()) as HandoffPage;
    expect(handoff).toMatchObject({ accepted: true, dialect: "pipeline-json", agent: "builder" });
    const second = (await (await room.get(`/api/runs/${run}/handoffs/s2.1`)).json()) as HandoffPage;
    expect(second).toMatchObject({ accepted: true, agent: "checker" });
    const late = await submit(told.token, "late", "{}");
    expect([late.status, await late.json()]).toMatchObject([
      409,
      { error: { message: `Attempt s1.1 of run ${run} is over: finished, and its handoff was accepted.` } },
    ]);
    expect((await submit("x".repeat(43), "late", "{}")).status).toBe(401);
    const again = await submit(
      told.token,
      "one",
      (await room.engine.ports.workspace.read(room.folder, "handoff.txt", 1e6))?.text ?? "",
    );
    expect([again.status, await again.json()]).toEqual(told.answers[1]);
  });
});
