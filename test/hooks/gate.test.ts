import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SPEC_FORMATS } from "../format-files/spec-formats.ts";
import { type HookRoom, hookRooms, isValidAnswer, sessionsFile, stopOf, taskHandoff } from "./hook-room.ts";

const room = hookRooms();

/** Checked only: neither recorded nor verified. */
const PLAIN = "  record: false\n  verify: false\n";

async function trusted(more = PLAIN, files: Readonly<Record<string, string>> = {}): Promise<HookRoom> {
  const made = room({ ...files, "baton.yaml": sessionsFile(more) });
  expect(await made.run("trust")).toMatchObject({ code: 0 });
  return made;
}

describe("an agent that owes a handoff", () => {
  it("is sent back with what is wrong and how to write one, and passes when it has mended it", async () => {
    const made = await trusted();
    const missing = await made.hook("SubagentStop", "claude", stopOf(made, "All done."));
    expect(missing).toMatchObject({ code: 0, answer: { decision: "block" } });
    expect(missing.reason).toContain("you end without a handoff");
    expect(missing.reason).toContain("How to hand over");
    const invalid = await made.hook("SubagentStop", "claude", stopOf(made, taskHandoff(["files_created: 7"])));
    expect(invalid.reason).toContain("your handoff was refused");
    expect(invalid.reason).toContain("files_created");
    const mended = await made.hook("SubagentStop", "claude", stopOf(made, taskHandoff()));
    expect(mended).toMatchObject({ code: 0, answer: {} });
    expect(made.heard("SubagentStop")).toMatchObject({ client: "claude", result: "accepted" });
  });

  it("is never held longer than the section allows, also when it says the same each time", async () => {
    const made = await trusted(`${PLAIN}  blocks: 2\n`);
    const answers = [];
    for (let time = 0; time < 4; time++)
      answers.push((await made.hook("SubagentStop", "codex", stopOf(made, "done"))).answer);
    expect(answers.map(({ decision }) => decision)).toEqual(["block", "block", undefined, undefined]);
    expect(answers[2]?.["systemMessage"]).toContain("without a valid handoff");
    expect(made.heard("SubagentStop")).toMatchObject({ result: "given-up" });
  });

  it("is counted alone: another agent of the same type has all of its times", async () => {
    const made = await trusted(`${PLAIN}  blocks: 1\n`);
    await made.hook("SubagentStop", "claude", stopOf(made, "done"));
    const other = await made.hook("SubagentStop", "claude", stopOf(made, "done", { agent_id: "agent-2" }));
    expect(other.answer["decision"]).toBe("block");
  });

  it.each(["claude", "codex", "copilot", "opencode"])("is sent back in %s by `block`", async (client) => {
    const made = await trusted();
    const { answer } = await made.hook("SubagentStop", client, stopOf(made, "done"));
    expect(answer).toMatchObject({ decision: "block" });
    expect(isValidAnswer(answer)).toBe(true);
  });
});

describe("an agent that owes nothing", () => {
  it("is not held up: another type, the main agent, or a repository without the section", async () => {
    const made = await trusted();
    const other = await made.hook("SubagentStop", "claude", stopOf(made, "done", { agent_type: "explorer" }));
    const main = await made.hook(
      "Stop",
      "claude",
      stopOf(made, "done", { agent_id: undefined, agent_type: undefined }),
    );
    const bare = room();
    const elsewhere = await bare.hook("SubagentStop", "claude", stopOf(bare, "done"));
    expect([other.answer, main.answer, elsewhere.answer]).toEqual([{}, {}, {}]);
    expect(bare.heard("SubagentStop")).toMatchObject({ result: "passed" });
  });

  it("has a plugin's name before its own type", async () => {
    const made = await trusted();
    const { answer } = await made.hook("SubagentStop", "claude", stopOf(made, "x", { agent_type: "kit:reviewer" }));
    expect(answer).toMatchObject({ decision: "block" });
  });

  it("is a client that a run of baton has started: the run takes the handoff", async () => {
    const made = await trusted();
    const env = { BATON_SUBMIT_TOKEN: "token" };
    expect((await made.hook("SubagentStop", "claude", stopOf(made, "done"), env)).answer).toEqual({});
  });
});

describe("a section that is not trusted", () => {
  it("blocks nothing, which the user is told once", async () => {
    const made = room({ "baton.yaml": sessionsFile(PLAIN) });
    const first = await made.hook("SubagentStop", "claude", stopOf(made, "done"));
    const second = await made.hook("SubagentStop", "claude", stopOf(made, "done"));
    expect(first.answer["systemMessage"]).toContain("not trusted");
    expect(second.answer).toEqual({});
    expect(made.heard("SubagentStop")).toMatchObject({ result: "not-trusted" });
  });

  it("is one that was changed since, or whose format was", async () => {
    const format = SPEC_FORMATS["relay-note"] ?? "";
    const own = sessionsFile(PLAIN).replace("task-yaml", "relay-note");
    const made = room({ "baton.yaml": own, "baton.format.yaml": format });
    await made.run("trust");
    expect((await made.hook("SubagentStop", "claude", stopOf(made, "x"))).reason).toContain("relay-note");
    made.write("baton.format.yaml", `${format}\n# another text\n`);
    expect((await made.hook("SubagentStop", "claude", stopOf(made, "x"))).answer["decision"]).toBeUndefined();
    expect(made.heard("SubagentStop")).toMatchObject({ result: "not-trusted" });
    const other = await trusted();
    other.write("baton.yaml", sessionsFile(`${PLAIN}  blocks: 5\n`));
    expect((await other.hook("SubagentStop", "claude", stopOf(other, "x"))).answer["decision"]).toBeUndefined();
  });
});

describe("baton status", () => {
  it("tells which gate was not heard of, is not trusted or has failed", async () => {
    const made = room({ "baton.yaml": sessionsFile(PLAIN) });
    expect((await made.run("status")).stderr).toContain("is not trusted");
    await made.run("trust");
    expect((await made.run("status")).stderr).toContain("No hook of any client was heard of");
    await made.hook("SessionStart", "claude", { session_id: "s", cwd: made.root });
    expect((await made.run("status")).stderr).toBe("There is no run yet. `baton run` starts one.\n");
    await made.hook("SessionEnd", "claude", { session_id: "s", cwd: made.root });
    expect((await made.run("status")).stderr).toContain("none at the end of an agent");
    await made.hook("SubagentStop", "claude", "{");
    const { stderr } = await made.run("status");
    expect(stderr).toContain("The hook SubagentStop of claude could not be answered");
    await made.hook("SubagentStop", "claude", stopOf(made, "done"));
    const { stdout, stderr: quiet } = await made.run("status", "--json");
    expect(quiet).toBe("");
    expect(JSON.parse(stdout).hooks.heard[0]).toMatchObject({ client: "claude", result: "sent-back" });
  });
});

describe("where each client tells the last message", () => {
  const main = `${PLAIN}  main: { format: task-yaml }\n`;

  it("Gemini repeats what was refused before: the last handoff counts", async () => {
    const made = await trusted(main);
    const refused = taskHandoff(["files_created: 7"]);
    const input = { session_id: "g", cwd: made.root, prompt: "do", prompt_response: `done\n${refused}\n${refused}` };
    expect((await made.hook("AfterAgent", "gemini", input)).answer).toMatchObject({ decision: "deny" });
    const mended = { ...input, prompt_response: `${refused}\n${taskHandoff()}` };
    expect((await made.hook("AfterAgent", "gemini", mended)).answer).toEqual({});
  });

  it("Gemini's subagents hand over by the tool complete_task", async () => {
    const made = await trusted(`    "*": { format: task-yaml }\n${PLAIN}`);
    const call = (tool_name: string, result: string) => ({
      session_id: "g",
      cwd: made.root,
      tool_name,
      tool_input: { result },
    });
    expect((await made.hook("BeforeTool", "gemini", call("complete_task", "done"))).answer).toMatchObject({
      decision: "deny",
    });
    expect((await made.hook("BeforeTool", "gemini", call("complete_task", taskHandoff()))).answer).toEqual({});
    expect((await made.hook("BeforeTool", "gemini", call("read_file", "done"))).answer).toEqual({});
  });

  it("Copilot writes its transcript after the hook was called", async () => {
    const made = await trusted(main);
    const path = join(made.root, "events.jsonl");
    const line = (type: string, data: object): string => `${JSON.stringify({ type, data })}\n`;
    writeFileSync(path, line("assistant.message", { content: "an older message" }) + line("assistant.turn_start", {}));
    const input = { sessionId: "c", cwd: made.root, transcriptPath: path };
    const asked = made.hook("Stop", "copilot", input);
    setTimeout(() => {
      appendFileSync(path, line("assistant.message", { content: taskHandoff() }));
      appendFileSync(path, line("assistant.turn_end", {}));
    }, 300);
    expect((await asked).answer).toEqual({});
    expect(made.heard("Stop")).toMatchObject({ result: "accepted" });
  });

  it("Copilot's transcript may still end with the turn before: the message of this one is waited for", async () => {
    const made = await trusted(main);
    const path = join(made.root, "events.jsonl");
    const line = (type: string, data: object): string => `${JSON.stringify({ type, data })}\n`;
    const stop = (timestamp: number): string => line("hook.start", { hookType: "agentStop", input: { timestamp } });
    const called = Date.parse("2026-11-18T10:00:02.000Z");
    const before = line("assistant.message", { content: "All done." }) + line("assistant.turn_end", {});
    writeFileSync(path, before + stop(called - 1000));
    const input = { session_id: "c", cwd: made.root, transcript_path: path, timestamp: new Date(called).toISOString() };
    const asked = made.hook("Stop", "copilot", { ...input, stop_hook_active: true });
    setTimeout(() => {
      const message = line("assistant.message", { content: taskHandoff() });
      appendFileSync(path, message + line("assistant.turn_end", {}) + stop(called));
    }, 300);
    expect((await asked).answer).toEqual({});
    expect(made.heard("Stop")).toMatchObject({ result: "accepted" });
  });

  it("Copilot's transcript that never ends lets the agent pass, and so does a stop inside of a subagent", async () => {
    const made = await trusted(main);
    const path = join(made.root, "events.jsonl");
    writeFileSync(path, '{"type":"assistant.turn_start","data":{}}\n{"type":"assist');
    const input = { session_id: "c", cwd: made.root, transcript_path: path };
    expect((await made.hook("Stop", "copilot", input)).answer).toEqual({});
    expect(made.heard("Stop")).toMatchObject({ result: "unread" });
    const inside = stopOf(made, "done", { agent_type: undefined });
    expect((await made.hook("agentStop", "copilot", inside)).answer).toEqual({});
  });

  it("Claude's agents that answer by a schema have an empty message", async () => {
    const made = await trusted("    planner: { format: pipeline-json }\n" + PLAIN);
    const path = join(made.root, "agent.jsonl");
    const line = (part: object): string => `${JSON.stringify({ message: { content: [part] } })}\n`;
    const call = (id: string, input: object) => line({ type: "tool_use", id, name: "StructuredOutput", input });
    const result = (id: string, more: object = {}) => line({ type: "tool_result", tool_use_id: id, ...more });
    const taken = call("a", { nothing: "of a handoff" }) + result("a");
    const refused = call("b", { from_agent: "x" }) + result("b", { is_error: true });
    // It is written after the hook was called.
    setTimeout(() => writeFileSync(path, taken + refused + call("c", {})), 300);
    const input = stopOf(made, "", { agent_type: "planner", agent_transcript_path: path });
    const { answer } = await made.hook("SubagentStop", "claude", input);
    expect(answer["systemMessage"]).toContain(
      "(it answers by a schema and cannot be sent back): `from_agent` is missing",
    );
    const without = stopOf(made, "", { agent_type: "planner", agent_transcript_path: join(made.root, "none") });
    expect((await made.hook("SubagentStop", "claude", without)).answer).toEqual({});
    expect(made.heard("SubagentStop")).toMatchObject({ result: "unread" });
  });

  it("Claude's project counts, and not a folder that the agent has gone to", async () => {
    const made = await trusted();
    const elsewhere = room();
    const input = stopOf(elsewhere, "done");
    const { answer } = await made.hook("SubagentStop", "claude", input, { CLAUDE_PROJECT_DIR: made.root });
    expect(answer).toMatchObject({ decision: "block" });
  });
});
