import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DIALECTS } from "../../src/protocol/dialects/registry.ts";
import { baton, projectRoot } from "../cli/run-baton.ts";

const WORKFLOW = `baton: 1
name: by-mcp
mode: autonomous
start: builder
verify: off
agents:
  builder:
    run: { process: [node, agent.mjs] }
    dialect: pipeline-json
    routes: { done: end }
`;

/** Starts the server as a client does, some with hardly any environment or a forged one, and says nothing else. */
const AGENT = `
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
const text = readFileSync("handoff.txt", "utf8");
async function ask(environment, calls) {
  const child = spawn(process.execPath, [${JSON.stringify(join(projectRoot, "dist/cli/baton.cjs"))}, "mcp"], { env: environment, stdio: ["pipe", "pipe", "inherit"] });
  const waiting = new Map();
  createInterface({ input: child.stdout }).on("line", (line) => { const said = JSON.parse(line); waiting.get(said.id)?.(said.result ?? said.error); });
  const send = (id, method, params) => new Promise((resolve) => { waiting.set(id, resolve); child.stdin.write(JSON.stringify({ jsonrpc: "2.0", id, method, params }) + "\\n"); });
  await send(0, "initialize", { protocolVersion: "2025-06-18", capabilities: { elicitation: {} }, clientInfo: { name: "agent", version: "1" } });
  const answers = [];
  for (const [name, given] of calls) answers.push(await send(answers.length + 1, "tools/call", { name, arguments: given }));
  child.stdin.end();
  return answers;
}
const { PATH, HOME } = process.env;
const bare = { PATH, HOME };
writeFileSync("answers.json", JSON.stringify({
  bare: await ask(bare, [
    ["submit_handoff", { text, run: "another" }],
    ["submit_handoff", { text: "{}" }],
    ["submit_handoff", { text }],
    ["start_run", { brief: "more of me" }],
    ["ask_person", {}],
  ]),
  forged: await ask({ ...bare, BATON_ATTEMPT: "other.s9.9", BATON_SUBMIT_TOKEN: "x".repeat(43) }, [["submit_handoff", { text }]]),
}));
`;

interface Called {
  readonly isError?: boolean;
  readonly content: readonly { readonly text: string }[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
}

let run: string;
let ended: Readonly<Record<string, unknown>>;
let said: { bare: Called[]; forged: Called[] };

const room = mkdtempSync(join(tmpdir(), "baton-mcp-submit-"));
afterAll(() => rmSync(room, { recursive: true, force: true }));

beforeAll(async () => {
  const folder = join(room, "repository");
  mkdirSync(folder);
  execFileSync("git", ["init", "-q", folder]);
  const dialect = DIALECTS["pipeline-json"];
  const handoff = dialect.print({ ...dialect.example, from_agent: "builder", status: "PASS" });
  const files = { "flow.yaml": WORKFLOW, "agent.mjs": AGENT, "handoff.txt": handoff };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const env = { HOME: room, XDG_CONFIG_HOME: "" };
  expect(await baton(["trust", "flow.yaml"], { cwd: folder, env })).toMatchObject({ code: 0 });
  const done = await baton(["run", "flow.yaml", "--json"], { cwd: folder, env });
  ended = JSON.parse(done.stdout) as typeof ended;
  run = String(ended["run"]);
  said = JSON.parse(readFileSync(join(folder, "answers.json"), "utf8")) as typeof said;
}, 120_000);

describe("an agent of a run that calls the server", () => {
  it("hands in for its own attempt, and for no other run", () => {
    const [other, bad, good] = said.bare;
    expect(other).toMatchObject({ isError: true });
    expect(other?.content[0]?.text).toContain(`You work for attempt s1.1 of run ${run}`);
    expect(bad).toMatchObject({ isError: true, structuredContent: { accepted: false, run, attempt: "s1.1" } });
    expect(good?.structuredContent).toMatchObject({ accepted: true, run, attempt: "s1.1", dialect: "pipeline-json" });
    expect(ended).toMatchObject({ status: "completed", steps: 1 });
  });

  it("is known by the process that Baton has started, whatever its environment says", () => {
    expect(said.forged[0]?.structuredContent).toMatchObject({ accepted: true, run, attempt: "s1.1" });
  });

  it("starts no run and answers no question", () => {
    const [, , , started, answered] = said.bare;
    expect(started).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("starts no other run") }],
    });
    expect(answered).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("not-a-person") }] });
  });
});
