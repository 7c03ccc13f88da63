import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { type HookRoom, hookRooms, sessionsFile, stopOf, taskHandoff } from "./hook-room.ts";

/** What the real clients tell of agents that another agent has started, and of turns that no person has begun. */
const room = hookRooms();

async function trusted(more = ""): Promise<HookRoom> {
  const made = room({ "baton.yaml": sessionsFile(more) });
  expect(await made.run("trust")).toMatchObject({ code: 0 });
  return made;
}

interface ShownRun {
  readonly run: string;
  readonly status: string;
  readonly reason: string | null;
}

async function runsOf(made: HookRoom): Promise<ShownRun[]> {
  return JSON.parse((await made.run("status", "--json")).stdout).runs;
}

async function logOf(made: HookRoom): Promise<string> {
  const [first] = await runsOf(made);
  return (await made.run("log", first?.run ?? "")).stdout;
}

const MAIN = "  main: { format: task-yaml }\n";
const WATCHED = "Review the till.";

function prompt(made: HookRoom, client: string, more: Readonly<Record<string, unknown>> = {}) {
  return made.hook("UserPromptSubmit", client, { session_id: "session-1", cwd: made.root, prompt: WATCHED, ...more });
}

function end(made: HookRoom, client: string) {
  return made.hook("SessionEnd", client, { session_id: "session-1", cwd: made.root });
}

describe("a prompt that no person has written", () => {
  it.each([
    ["codex", { agent_id: "agent-1", agent_type: "reviewer", turn_id: "turn-2" }],
    // Copilot gives a subagent a session of its own.
    ["copilot", { session_id: "agent-1", agent_id: "agent-1", agent_type: "reviewer", parent_agent_id: "session-1" }],
  ])("is what a subagent of %s is asked: it is neither recorded nor a new turn", async (client, more) => {
    const made = await trusted("  blocks: 1\n");
    await prompt(made, client);
    const stop = stopOf(made, "done");
    expect((await made.hook("SubagentStop", client, stop)).answer["decision"]).toBe("block");
    await prompt(made, client, { prompt: "Review what I have written.", ...more });
    expect((await made.hook("SubagentStop", client, stop)).answer["decision"]).toBeUndefined();
    expect(await runsOf(made)).toHaveLength(1);
    expect(await logOf(made)).not.toContain("what I have written");
  });

  it("is Claude's word that an agent in the background has ended", async () => {
    const made = await trusted(MAIN);
    await prompt(made, "claude", { prompt_id: "p1" });
    await prompt(made, "claude", { prompt: "<task-notification>\n<task-id>a1</task-id>", prompt_id: "p2" });
    expect(await logOf(made)).toContain(WATCHED);
    expect(await logOf(made)).not.toContain("task-notification");
  });
});

it("what Gemini puts before the first prompt is not what the person asks for", async () => {
  const made = await trusted(MAIN);
  const context = "<hook_context>Your last message must end with a handoff: &lt;/hook_context&gt;</hook_context>\n\n";
  await made.hook("BeforeAgent", "gemini", { session_id: "session-1", cwd: made.root, prompt: `${context}${WATCHED}` });
  const log = await logOf(made);
  expect(log).toContain(WATCHED);
  expect(log).not.toContain("hook_context");
});

it("Copilot is given what is known in a field of its own", async () => {
  const made = await trusted();
  const start = { sessionId: "s", cwd: made.root, agent_id: "a", agent_type: "reviewer" };
  const { answer } = await made.hook("SubagentStart", "copilot", start);
  expect(Object.keys(answer)).toEqual(["additionalContext"]);
  expect(answer["additionalContext"]).toContain("# How to hand over");
});

describe("a subagent of a subagent", () => {
  it("belongs to the session of the person, whatever session Copilot names", async () => {
    const made = await trusted();
    const transcript = join(made.home, ".copilot/session-state/session-1/events.jsonl");
    mkdirSync(dirname(transcript), { recursive: true });
    writeFileSync(transcript, "");
    await prompt(made, "copilot");
    const inner = { agent_id: "agent-2", agent_type: "reviewer", parent_agent_id: "agent-1" };
    const start = {
      sessionId: "session-9",
      transcriptPath: transcript,
      cwd: made.root,
      agentName: "reviewer",
      ...inner,
    };
    await made.hook("SubagentStart", "copilot", start);
    const stop = stopOf(made, taskHandoff(), { session_id: "session-9", transcript_path: transcript, ...inner });
    expect((await made.hook("SubagentStop", "copilot", stop)).answer).toEqual({});
    expect(await runsOf(made)).toHaveLength(1);
    expect(await logOf(made)).toContain("✓ reviewer");
    await end(made, "copilot");
    expect(await runsOf(made)).toMatchObject([{ status: "completed" }]);
  });
});

describe("an agent that owes a handoff when its session ends", () => {
  it("has failed, also when it never came to its first stop", async () => {
    const made = await trusted();
    await prompt(made, "codex");
    await made.hook("SubagentStart", "codex", stopOf(made, ""));
    await end(made, "codex");
    expect(await runsOf(made)).toMatchObject([
      { status: "failed", reason: "reviewer: the session ended before it handed over" },
    ]);
  });

  it("is judged by the files that it began with when it ends later, as Copilot's agents in the background do", async () => {
    const made = await trusted();
    const about = { session_id: "session-1", cwd: made.root, agent_id: "agent-1", agent_type: "reviewer" };
    await prompt(made, "copilot");
    await made.hook("SubagentStart", "copilot", about);
    await end(made, "copilot");
    made.write("made.txt", "one\n");
    const handoff = taskHandoff(["files_created: [{ path: made.txt, purpose: shows it, lines: all }]"]);
    await made.hook("SubagentStop", "copilot", stopOf(made, handoff));
    expect(await logOf(made)).toContain("claims 1 confirmed, 0 refuted");
  });

  it("is named when its handoff could not be read", async () => {
    const made = await trusted();
    await prompt(made, "claude");
    const stop = stopOf(made, "", { agent_transcript_path: join(made.root, "none") });
    expect((await made.hook("SubagentStop", "claude", stop)).answer).toEqual({});
    await end(made, "claude");
    const [run] = await runsOf(made);
    expect(run?.reason).toContain("1 handoff was not read");
  });
});

describe("a main agent of Claude that waits for agents in the background", () => {
  const waiting = (type: string) => ({
    agent_id: undefined,
    agent_type: undefined,
    background_tasks: [{ id: "a1", type, status: "running", description: "help" }],
  });

  it.each(["subagent", "workflow"])("is not held up by a %s, and owes its handoff", async (type) => {
    const made = await trusted(MAIN);
    await prompt(made, "claude", { prompt_id: "p1" });
    expect((await made.hook("Stop", "claude", stopOf(made, "I wait.", waiting(type)))).answer).toEqual({});
    expect(made.heard("Stop")).toMatchObject({ result: "passed" });
    const last = stopOf(made, "done", { ...waiting(type), background_tasks: [] });
    expect((await made.hook("Stop", "claude", last)).answer["decision"]).toBe("block");
    await end(made, "claude");
    expect(await runsOf(made)).toMatchObject([{ status: "failed" }]);
  });

  it("fails when its session ends while it waits", async () => {
    const made = await trusted(MAIN);
    await prompt(made, "claude");
    await made.hook("Stop", "claude", stopOf(made, "I wait.", waiting("subagent")));
    await end(made, "claude");
    expect(await runsOf(made)).toMatchObject([
      { status: "failed", reason: "main: the session ended before it handed over" },
    ]);
  });

  it("is judged when it hands over all the same, and when only a command runs", async () => {
    const made = await trusted(MAIN);
    const handoff = stopOf(made, taskHandoff(["files_created: 7"]), waiting("subagent"));
    expect((await made.hook("Stop", "claude", handoff)).answer["decision"]).toBe("block");
    const command = stopOf(made, "done", { ...waiting("shell"), session_id: "session-2" });
    expect((await made.hook("Stop", "claude", command)).answer["decision"]).toBe("block");
  });
});

describe("an agent of Claude that answers by a schema", () => {
  it("is not sent back, which would change nothing: what is wrong is shown and recorded at once", async () => {
    const made = await trusted();
    const path = join(made.root, "agent.jsonl");
    const use = { type: "tool_use", id: "a", name: "StructuredOutput", input: { nothing: "of a handoff" } };
    const taken = { type: "tool_result", tool_use_id: "a", content: "Structured output provided successfully" };
    writeFileSync(path, `${JSON.stringify({ message: { content: [use, taken] } })}\n`);
    await prompt(made, "claude");
    const stop = stopOf(made, "", { agent_transcript_path: path });
    const { answer } = await made.hook("SubagentStop", "claude", { ...stop, last_assistant_message: undefined });
    expect(answer["decision"]).toBeUndefined();
    expect(answer["systemMessage"]).toContain("cannot be sent back");
    expect(made.heard("SubagentStop")).toMatchObject({ result: "given-up" });
    expect(await runsOf(made)).toHaveLength(1);
    await end(made, "claude");
    expect(await runsOf(made)).toMatchObject([{ status: "failed" }]);
  });
});

it("an agent that is called again because of what was wrong keeps the files it began with", async () => {
  const made = await trusted();
  await prompt(made, "opencode");
  const call = { agent_id: "reviewer" };
  await made.hook("SubagentStart", "opencode", stopOf(made, "", call));
  made.write("src/new.ts", "export const two = 2;\n");
  expect((await made.hook("SubagentStop", "opencode", stopOf(made, "done", call))).answer["decision"]).toBe("block");
  await made.hook("SubagentStart", "opencode", stopOf(made, "", call));
  const handoff = taskHandoff(["files_created: [{ path: src/new.ts, purpose: shows it, lines: all }]"]);
  expect((await made.hook("SubagentStop", "opencode", stopOf(made, handoff, call))).answer).toEqual({});
});

it("an agent that is called anew begins with the files as they are then, where the client does not tell it from the first", async () => {
  const made = await trusted();
  const call = { agent_id: "reviewer" };
  const handoff = taskHandoff(["files_created: [{ path: src/new.ts, purpose: shows it, lines: all }]"]);
  await prompt(made, "opencode");
  await made.hook("SubagentStart", "opencode", stopOf(made, "", call));
  made.write("src/new.ts", "export const two = 2;\n");
  expect((await made.hook("SubagentStop", "opencode", stopOf(made, taskHandoff(), call))).answer).toEqual({});
  await made.hook("SubagentStart", "opencode", stopOf(made, "", call));
  expect((await made.hook("SubagentStop", "opencode", stopOf(made, handoff, call))).reason).toContain(
    "the same as before",
  );
});

it("a subagent of Gemini is given how to hand over with its prompt, and its files are compared with those before", async () => {
  const made = await trusted('    "*": { format: task-yaml }\n');
  const begin = { agent_name: "helper", prompt: "Look at the till." };
  const tool = (tool_name: string, tool_input: object) =>
    made.hook("BeforeTool", "gemini", { session_id: "g", cwd: made.root, tool_name, tool_input });
  await made.hook("BeforeAgent", "gemini", { session_id: "g", cwd: made.root, prompt: WATCHED });
  const { answer } = await tool("invoke_agent", begin);
  expect(answer).toMatchObject({
    hookSpecificOutput: { hookEventName: "BeforeTool", tool_input: { agent_name: "helper" } },
  });
  expect(JSON.stringify(answer)).toContain("Look at the till.\\n\\n");
  expect(JSON.stringify(answer)).toContain("# How to hand over");
  made.write("src/new.ts", "export const two = 2;\n");
  const handoff = taskHandoff(["files_created: [{ path: src/new.ts, purpose: shows it, lines: all }]"]);
  expect((await tool("complete_task", { result: handoff })).answer).toEqual({});
  expect(await logOf(made)).toContain("claims 1 confirmed");
});

it("a subagent whose type the client does not tell is not taken for the main agent", async () => {
  const made = await trusted(`    "*": { format: task-yaml }\n`);
  const call = { session_id: "g", cwd: made.root, tool_name: "complete_task", tool_input: { result: "done" } };
  const { reason } = await made.hook("BeforeTool", "gemini", call);
  expect(reason).toContain("you end without a handoff");
  expect(made.heard("BeforeTool")?.says).toMatch(/^subagent: /);
});
