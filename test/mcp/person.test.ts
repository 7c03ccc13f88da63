import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { understandWorkflow } from "../../src/runtime/operations/load-workflow.ts";
import type { Workflow } from "../../src/workflow/definition.ts";
import { isAnsweredInClient } from "../../src/workflow/rules/answer-ask.ts";
import { projectRoot } from "../cli/run-baton.ts";
import { type Room, openRoom } from "../http/server-room.ts";

/** Starts the server and answers its questions with yes: as a client does for a person, or an agent that plays one. */
const PLAYS_CLIENT = `
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
const child = spawn(process.execPath, [${JSON.stringify(join(projectRoot, "dist/cli/baton.cjs"))}, "mcp"], { stdio: ["pipe", "pipe", "inherit"] });
const send = (message) => child.stdin.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
createInterface({ input: child.stdout }).on("line", (line) => {
  const said = JSON.parse(line);
  if (said.id === 1) send({ id: 2, method: "tools/call", params: { name: "ask_person", arguments: {} } });
  else if (said.method === "elicitation/create") send({ id: said.id, result: { action: "accept", content: { choice: "approve" } } });
  else if (said.id === 2) { console.log(said.result.content[0].text); child.stdin.end(); }
});
send({ id: 1, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: { elicitation: {} }, clientInfo: { name: "claude-code", version: "2.1.0" } } });
`;

const POSTS = `
const [origin, token] = process.argv.slice(1);
const client = "io.modelcontextprotocol/";
const _meta = { [client + "protocolVersion"]: "2026-07-28", [client + "clientInfo"]: { name: "claude-code", version: "1" }, [client + "clientCapabilities"]: { elicitation: { form: {} } } };
fetch(origin + "/mcp", {
  method: "POST",
  headers: { authorization: "Bearer " + token, "content-type": "application/json", accept: "application/json, text/event-stream", "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "ask_person" },
  body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "ask_person", arguments: {}, _meta } }),
}).then(async (answer) => console.log(await answer.text()));
`;

describe("an answer through a client", () => {
  let room: Room;
  beforeAll(async () => {
    room = await openRoom("feature", { lines: 1, drives: false });
    writeFileSync(join(room.folder, "..", "claude.mjs"), PLAYS_CLIENT);
    writeFileSync(join(room.folder, "..", "attack.mjs"), PLAYS_CLIENT);
  }, 120_000);

  const start = async (command: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> => {
    const [name = "", ...args] = command;
    const { PATH = "" } = process.env;
    const home = { PATH, HOME: room.folder, XDG_CONFIG_HOME: join(room.configFolder, "..") };
    return (await promisify(execFile)(name, args, { cwd: room.folder, env: { ...home, ...env } })).stdout;
  };
  const script = (name: string): string => join(room.folder, "..", name);

  it("is not taken from a command of the client's agent that plays the client", async () => {
    const attack = [process.execPath, script("attack.mjs")];
    expect(await start(attack, { CLAUDECODE: "1" })).toMatch(/comes from a command that Claude Code has started/);
    const cleared = ["sh", "-c", 'env -u CLAUDECODE "$@"; exit $?', "sh", ...attack];
    expect(await start(cleared, { CLAUDECODE: "1" })).toMatch(/comes from a command that Claude Code has started/);
    const { origin, token } = room;
    expect(await start([process.execPath, "-e", POSTS, "--", origin, token], { CLAUDECODE: "1" })).toMatch(
      /comes from a command that Claude Code has started/,
    );
    const [run] = await room.engine.ports.log.runs({ limit: 1 });
    expect(await room.engine.ports.log.messages(run?.run ?? "")).toEqual([]);
  });

  it("is taken from the client itself, and names it", async () => {
    const said = await start([process.execPath, script("claude.mjs")], { CLAUDECODE: "1" });
    expect(said).toMatch(/^Answered: approve to q1 of run \w+, by \S+, through claude-code 2\.1\.0/);
  });
});

describe("a question that is answered in a terminal or on the page only", () => {
  const ASKS = { timeout: null, silence: "remind" } as const;
  const ask = {
    id: "q1",
    kind: "after",
    task: "main",
    agent: "reviewer",
    title: "",
    details: [],
    choices: [],
  } as const;
  const open = { ...ask, openedAt: 0, dueAt: null, reminders: 0 };
  const workflow = (agent: string, asks: string): Pick<Workflow, "asks" | "agents"> => {
    const text = `baton: 1\nname: x\nstart: reviewer\n${asks}agents:\n  reviewer:\n    run: { process: [node, agent.mjs] }\n    dialect: pipeline-json\n${agent}    routes: { done: end }\n`;
    const read = understandWorkflow(text, "baton.yaml").workflow;
    if (read === null) throw new Error("the workflow cannot be read");
    return read;
  };

  it("is one of a workflow or an agent that demands it, or about what may be run", () => {
    expect(isAnsweredInClient(open, { asks: ASKS, agents: {} })).toBe(true);
    expect(isAnsweredInClient(open, workflow("", ""))).toBe(true);
    expect(isAnsweredInClient(open, workflow("", "asks: { where: anywhere }\n"))).toBe(true);
    expect(isAnsweredInClient(open, workflow("", "asks: { where: terminal-or-page }\n"))).toBe(false);
    expect(isAnsweredInClient(open, workflow("    asks: { where: terminal-or-page }\n", ""))).toBe(false);
    expect(isAnsweredInClient({ ...open, kind: "command" }, workflow("", ""))).toBe(false);
    expect(isAnsweredInClient({ ...open, files: [] }, workflow("", ""))).toBe(false);
  });
});
