import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it } from "vitest";
import { projectRoot } from "../cli/run-baton.ts";
import { type HookRoom, hookRooms, sessionsFile, stopOf, taskHandoff } from "../hooks/hook-room.ts";

/** Agents of a session that Baton watches hand in by the tool `submit_handoff`. Clients are played as the real ones were seen. */
const room = hookRooms();

const MAIN = "  main: { format: task-yaml }\n";

async function trusted(more = MAIN): Promise<HookRoom> {
  const made = room({ "baton.yaml": sessionsFile(more) });
  expect(await made.run("trust")).toMatchObject({ code: 0 });
  return made;
}

type Given = Readonly<Record<string, unknown>>;

interface Client {
  readonly name: string;
  readonly era: "2025-06-18" | "2026-07-28";
  readonly env?: Readonly<Record<string, string>>;
  /** What it puts into each request. */
  readonly meta?: Given;
}

const CLAUDE: Client = { name: "claude-code", era: "2026-07-28", env: { CLAUDE_CODE_SESSION_ID: "session-1" } };
const COPILOT: Client = { name: "copilot-cli", era: "2026-07-28", env: { COPILOT_AGENT_SESSION_ID: "session-1" } };
const CODEX: Client = {
  name: "codex-mcp-client",
  era: "2025-06-18",
  meta: { sessionId: "session-1", threadId: "session-1" },
};
const GEMINI: Client = { name: "gemini-cli-mcp-client", era: "2025-06-18" };

interface Answer {
  readonly isError: boolean;
  readonly text: string;
  readonly data: Given;
}

/** One call of the tool by a client that has started the server in the repository, in the protocol that it speaks. */
async function submit(made: HookRoom, { name, era, env = {}, meta = {} }: Client, given: Given): Promise<Answer> {
  const home = {
    HOME: made.home,
    XDG_CONFIG_HOME: join(made.home, ".config"),
    XDG_STATE_HOME: join(made.home, ".state"),
  };
  const child = spawn(process.execPath, [join(projectRoot, "dist/cli/baton.cjs"), "mcp"], {
    cwd: made.root,
    // Not that of a client in which these tests may run.
    env: { PATH: process.env["PATH"] ?? "", ...home, ...env },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask = async (id: number, method: string, params: Given): Promise<Given> => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    for (;;) {
      const { value, done } = await lines.next();
      if (done === true) throw new Error("The server has gone");
      const said = JSON.parse(String(value)) as { id?: number; result?: Given; error?: Given };
      if (said.id === id) return said.result ?? { isError: true, content: [{ text: JSON.stringify(said.error) }] };
    }
  };
  const clientInfo = { name, version: "1" };
  if (era === "2025-06-18") await ask(0, "initialize", { protocolVersion: era, capabilities: {}, clientInfo });
  const own = {
    "io.modelcontextprotocol/protocolVersion": era,
    "io.modelcontextprotocol/clientInfo": clientInfo,
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const _meta = era === "2025-06-18" ? meta : { ...own, ...meta };
  const result = await ask(1, "tools/call", { name: "submit_handoff", arguments: given, _meta });
  child.stdin.end();
  const [{ text = "" } = {}] = result["content"] as { text?: string }[];
  return { isError: result["isError"] === true, text, data: (result["structuredContent"] ?? {}) as Given };
}

const main = { agent_id: undefined, agent_type: undefined } as const;

function prompt(made: HookRoom, client = "claude", more: Given = {}) {
  return made.hook("UserPromptSubmit", client, {
    session_id: "session-1",
    cwd: made.root,
    prompt: "Mend it.",
    ...more,
  });
}

async function logOf(made: HookRoom): Promise<string> {
  const [first] = JSON.parse((await made.run("status", "--json")).stdout).runs;
  return (await made.run("log", first.run)).stdout;
}

const created = (path: string): string =>
  taskHandoff([`files_created: [{ path: ${path}, purpose: shows it, lines: all }]`]);

describe("a handoff that is submitted in a session", () => {
  it.each([
    ["claude", CLAUDE],
    ["copilot", COPILOT],
    ["codex", CODEX],
  ])("of %s counts when the agent stops, verified and recorded once", async (client, server) => {
    const made = await trusted();
    await prompt(made, client);
    made.write("src/new.ts", "export const two = 2;\n");
    const taken = await submit(made, server, { text: created("src/new.ts") });
    expect(taken).toMatchObject({ isError: false, data: { accepted: true, dialect: "task-yaml", attempt: "s1.1" } });
    const stop = stopOf(made, "I have submitted it.", main);
    expect((await made.hook("Stop", client, stop)).answer).toEqual({});
    expect(made.heard("Stop")).toMatchObject({ result: "accepted", says: "main: done" });
    const log = await logOf(made);
    expect(log).toMatch(/main: claims [12] confirmed, 0 refuted/);
    expect(log.match(/✓ main: completed/g)).toHaveLength(1);
    // It has counted: the next turn owes its own.
    await prompt(made, client);
    expect((await made.hook("Stop", client, stop)).answer["decision"]).toBe("block");
  });

  it("is refused when it is invalid or untrue, with what is wrong, and nothing counts", async () => {
    const made = await trusted();
    await prompt(made);
    const invalid = await submit(made, CLAUDE, { text: taskHandoff(["files_created: 7"]) });
    expect(invalid).toMatchObject({ isError: true, data: { accepted: false } });
    expect(invalid.text).toContain("files_created");
    const untrue = await submit(made, CLAUDE, { text: created("src/gone.ts") });
    expect(untrue).toMatchObject({ isError: true, data: { accepted: false, sha256: null } });
    expect(untrue.text).toContain("Not true: The file src/gone.ts was created");
    expect((await made.hook("Stop", "claude", stopOf(made, "Submitted.", main))).answer["decision"]).toBe("block");
  });

  it("is checked once more when the agent stops: what has become untrue is sent back", async () => {
    const made = await trusted();
    await prompt(made);
    made.write("src/new.ts", "export const two = 2;\n");
    await submit(made, CLAUDE, { text: created("src/new.ts") });
    made.git("clean", "-qfd");
    const { reason } = await made.hook("Stop", "claude", stopOf(made, "Submitted.", main));
    expect(reason).toContain("Not true: The file src/new.ts was created");
    // It is not taken again: the agent can hand over in its message.
    expect((await made.hook("Stop", "claude", stopOf(made, taskHandoff(), main))).answer).toEqual({});
  });

  it("does not count for another turn, or another agent", async () => {
    const made = await trusted();
    await prompt(made);
    await submit(made, CLAUDE, { text: taskHandoff() });
    const other = await made.hook("SubagentStop", "claude", stopOf(made, "done"));
    expect(other.answer["decision"]).toBe("block");
    await prompt(made, "claude", { prompt: "Something else." });
    expect((await made.hook("Stop", "claude", stopOf(made, "done", main))).answer["decision"]).toBe("block");
  });

  it("keeps no secret that an agent has written", async () => {
    const made = await trusted();
    const key = `sk-ant-api03-${"a1B2".repeat(12)}`;
    await prompt(made);
    await submit(made, CLAUDE, { text: `${key}\n${taskHandoff()}` });
    await made.hook("Stop", "claude", stopOf(made, "done", main));
    expect((await made.run("log", "--json")).stdout).not.toContain(key);
  });
});

describe("which agent of a session hands in", () => {
  const begin = (made: HookRoom, more: Given = {}) => made.hook("SubagentStart", "claude", stopOf(made, "", more));

  it("is asked for where several are at work, and a subagent's submission is its own", async () => {
    const made = await trusted();
    await prompt(made);
    await begin(made);
    const unnamed = await submit(made, CLAUDE, { text: taskHandoff() });
    expect(unnamed).toMatchObject({ isError: true });
    expect(unnamed.text).toContain("Several agents of this session are at work: main, reviewer.");
    const named = await submit(made, CLAUDE, { text: taskHandoff(), agent: "reviewer" });
    expect(named.text).toContain("Taken for reviewer in session session-1");
    expect((await made.hook("SubagentStop", "claude", stopOf(made, "done"))).answer).toEqual({});
    expect((await made.hook("Stop", "claude", stopOf(made, "done", main))).answer["decision"]).toBe("block");
  });

  it("cannot be told where two of one type are at work", async () => {
    const made = await trusted("");
    await begin(made, { agent_id: "a" });
    await begin(made, { agent_id: "b" });
    const { text, isError } = await submit(made, CLAUDE, { text: taskHandoff(), agent: "reviewer" });
    expect(isError).toBe(true);
    expect(text).toContain("which one you are cannot be told");
    expect(text).toContain("End your last message with the handoff");
  });

  it("is none that owes nothing or is not at work", async () => {
    const made = await trusted();
    await prompt(made);
    await begin(made, { agent_id: "e", agent_type: "Explore" });
    const explorer = await submit(made, CLAUDE, { text: taskHandoff(), agent: "Explore" });
    expect(explorer.text).toContain("Explore owes no handoff in this repository. Nothing was taken.");
    // Whose it is cannot be told: it may be the explorer that has called.
    expect((await submit(made, CLAUDE, { text: taskHandoff() })).text).toContain("at work: main, Explore");
    const absent = await submit(made, CLAUDE, { text: taskHandoff(), agent: "builder" });
    expect(absent.text).toContain("No agent builder of this session is at work");
  });
});

describe("a handoff that claims another run or session", () => {
  it("is refused: the run is that of the session which the client tells", async () => {
    const made = await trusted();
    await prompt(made);
    const [{ run }] = JSON.parse((await made.run("status", "--json")).stdout).runs;
    const other = await submit(made, CLAUDE, { text: taskHandoff(), run: "another" });
    expect(other).toMatchObject({ isError: true });
    expect(other.text).toContain(`Your session is run ${run}: a handoff for another run is not taken from you.`);
    expect((await submit(made, CLAUDE, { text: taskHandoff(), run: run.slice(0, 6) })).isError).toBe(false);
    const session = { client: "claude", session: "session-2" };
    const foreign = await submit(made, CLAUDE, { text: taskHandoff(), ...session });
    expect(foreign.text).toContain("You work in session session-1 of claude");
  });

  it("is refused where the session was not heard of, has ended, or is not watched here", async () => {
    const made = await trusted();
    const unheard = await submit(made, CLAUDE, { text: taskHandoff() });
    expect(unheard.text).toContain("Baton has not heard of a session session-1 of claude");
    await prompt(made);
    await made.hook("SessionEnd", "claude", { session_id: "session-1", cwd: made.root });
    expect((await submit(made, CLAUDE, { text: taskHandoff() })).text).toContain("has ended");
    made.write("baton.yaml", sessionsFile("  blocks: 2\n"));
    expect((await submit(made, CLAUDE, { text: taskHandoff() })).text).toContain("baton.yaml is not trusted");
    const bare = room();
    expect((await submit(bare, CLAUDE, { text: taskHandoff() })).isError).toBe(true);
    const unrecorded = await trusted(`${MAIN}  record: false\n`);
    expect((await submit(unrecorded, CLAUDE, { text: taskHandoff() })).text).toContain("Sessions are not recorded");
  });

  it("is refused where the client does not tell its session, unless both client and session are named", async () => {
    const made = await trusted();
    await prompt(made, "gemini");
    const unknown = await submit(made, GEMINI, { text: taskHandoff() });
    expect(unknown.text).toContain("your client does not tell which session it is");
    expect(unknown.text).toContain("end your last message with it");
    const half = await submit(made, GEMINI, { text: taskHandoff(), session: "session-1" });
    expect(half.text).toContain("`client` and `session` go together");
    const named = { client: "gemini", session: "session-1" };
    expect((await submit(made, GEMINI, { text: taskHandoff(), ...named })).isError).toBe(false);
    const stop = { session_id: "session-1", cwd: made.root, prompt: "Mend it.", prompt_response: "done" };
    expect((await made.hook("AfterAgent", "gemini", stop)).answer).toEqual({});
  });

  it("is not taken for the session of an outer client, whose variables are still there", async () => {
    const made = await trusted();
    await prompt(made);
    const inner = { ...GEMINI, env: { CLAUDE_CODE_SESSION_ID: "session-1" } };
    expect((await submit(made, inner, { text: taskHandoff() })).text).toContain("does not tell which session");
  });
});
