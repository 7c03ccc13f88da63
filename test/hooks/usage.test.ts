import { appendFileSync, ftruncateSync, openSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type HookRoom, hookRooms, sessionsFile, stopOf, taskHandoff } from "./hook-room.ts";

/** What a session has cost, as far as the transcript of its client says. The lines are as the real clients write them. */
const room = hookRooms();

async function trusted(more = "  main: { format: task-yaml }\n"): Promise<HookRoom> {
  const made = room({ "baton.yaml": sessionsFile(more) });
  expect(await made.run("trust")).toMatchObject({ code: 0 });
  return made;
}

function transcript(made: HookRoom, ...lines: readonly object[]): string {
  const path = join(made.home, `transcript-${lines.length}.jsonl`);
  writeFileSync(path, "");
  append(path, ...lines);
  return path;
}

function append(path: string, ...lines: readonly object[]): void {
  for (const line of lines) appendFileSync(path, `${JSON.stringify(line)}\n`);
}

interface Seen {
  readonly tokens: readonly (number | null)[];
  readonly atLeast: readonly (number | null)[];
  readonly spent: { readonly tokens: number; readonly unknownTokens: number; readonly money: number };
  readonly usage: Readonly<Record<string, unknown>> | null;
  readonly printed: string;
}

/** What the only run says of its cost. */
async function seenOf(made: HookRoom): Promise<Seen> {
  const [{ run }] = JSON.parse((await made.run("status", "--json")).stdout).runs;
  const view = JSON.parse((await made.run("status", run, "--json")).stdout);
  const log = (await made.run("log", run, "--json")).stdout;
  const ended = [...log.matchAll(/"kind":"attempt-ended"[^\n]*/g)].map(([line]) => line);
  const numberIn = (line: string, pattern: RegExp): number | null => {
    const found = pattern.exec(line)?.[1];
    return found === undefined ? null : Number(found);
  };
  return {
    tokens: ended.map((line) => numberIn(line, /"usage":\{[^}]*"tokens":(\d+)/)),
    atLeast: ended.map((line) =>
      line.includes('"isPart":true') ? numberIn(line, /"counted":\{[^}]*"tokens":(\d+)/) : null,
    ),
    spent: view.spent,
    usage: view.observed.usage,
    printed: (await made.run("status", run)).stdout,
  };
}

const main = { agent_id: undefined, agent_type: undefined } as const;

let ids = 0;
function claude(text: string, tokens = 100, more: object = {}): object {
  const usage = {
    input_tokens: tokens - 60,
    cache_creation_input_tokens: 10,
    cache_read_input_tokens: 20,
    output_tokens: 30,
  };
  const content = [{ type: "text", text }];
  const message = { id: `msg_${++ids}`, type: "message", role: "assistant", content, usage };
  return { parentUuid: null, isSidechain: false, message, type: "assistant", sessionId: "session-1", ...more };
}

describe("tokens of an agent of Claude Code", () => {
  it("are those of its own transcript, each request once, from stop to stop", async () => {
    const made = await trusted();
    const path = transcript(made, claude("I look.", 1000), claude("done", 500));
    const own = { agent_transcript_path: path };
    await made.hook("SubagentStart", "claude", stopOf(made, ""));
    await made.hook("SubagentStop", "claude", stopOf(made, "done", own));
    const last = claude(taskHandoff(), 300);
    // A message comes in one line for each of its parts.
    append(path, last, last);
    await made.hook("SubagentStop", "claude", stopOf(made, taskHandoff(), own));
    const { tokens, spent, printed } = await seenOf(made);
    expect(tokens).toEqual([1500, 300]);
    expect(spent).toMatchObject({ tokens: 1800, unknownTokens: 0, money: 0 });
    expect(printed).toContain("1800 tokens, cost unknown");
  });

  it("leave out subagents in the transcript of the main agent", async () => {
    const made = await trusted();
    const path = transcript(made, claude("helps", 900, { isSidechain: true }), claude(taskHandoff(), 200));
    await made.hook("Stop", "claude", stopOf(made, taskHandoff(), { ...main, transcript_path: path }));
    expect((await seenOf(made)).tokens).toEqual([200]);
  });

  it("are a part where the last message is not written yet, and come with the next stop", async () => {
    const made = await trusted();
    const path = transcript(made, claude("I look.", 1000));
    const own = { agent_transcript_path: path };
    await made.hook("SubagentStop", "claude", stopOf(made, "done", own));
    append(path, claude("done", 500), claude(taskHandoff(), 300));
    await made.hook("SubagentStop", "claude", stopOf(made, taskHandoff(), own));
    const { tokens, atLeast, spent } = await seenOf(made);
    expect(tokens).toEqual([null, 800]);
    expect(atLeast).toEqual([1000, null]);
    expect(spent).toMatchObject({ tokens: 800, unknownTokens: 1 });
  });

  it("are a part of a transcript of 500 MB, whose end alone is read; what comes later is whole", async () => {
    const made = await trusted();
    const path = join(made.home, "huge.jsonl");
    const file = openSync(path, "w");
    const size = 500 * 1_048_576;
    ftruncateSync(file, size);
    writeSync(file, `\n${JSON.stringify(claude("done", 500))}\n`, size);
    const own = { agent_transcript_path: path };
    await made.hook("SubagentStop", "claude", stopOf(made, "done", own));
    append(path, claude(taskHandoff(), 300));
    await made.hook("SubagentStop", "claude", stopOf(made, taskHandoff(), own));
    const { tokens, atLeast } = await seenOf(made);
    expect(tokens).toEqual([null, 300]);
    expect(atLeast).toEqual([500, null]);
  });

  it("are unknown, and not zero, without a transcript or with one that says nothing", async () => {
    const made = await trusted();
    await made.hook("SubagentStop", "claude", stopOf(made, taskHandoff()));
    const empty = transcript(made, { type: "user", message: { content: '"type":"assistant" "usage"' } });
    const other = { agent_id: "agent-2", agent_transcript_path: empty };
    await made.hook("SubagentStop", "claude", stopOf(made, taskHandoff(), other));
    const { tokens, spent, printed } = await seenOf(made);
    expect(tokens).toEqual([null, null]);
    expect(spent).toMatchObject({ tokens: 0, unknownTokens: 2, unknownMoney: 2 });
    expect(printed).toContain("tokens unknown, cost unknown");
  });
});

describe("what a client says of its whole session at the end", () => {
  const cost = (more: object = {}): object => ({
    type: "cost-state",
    sessionId: "session-1",
    totalCostUSD: 0.125,
    modelUsage: {
      a: { inputTokens: 100, outputTokens: 10, cacheReadInputTokens: 1000, cacheCreationInputTokens: 5 },
      b: { inputTokens: 200, outputTokens: 20, cacheReadInputTokens: 0, cacheCreationInputTokens: 0 },
    },
    hasUnknownModelCost: false,
    ...more,
  });

  async function ended(...lines: readonly object[]): Promise<Seen> {
    const made = await trusted();
    const path = transcript(made, ...lines);
    await made.hook("SubagentStop", "claude", stopOf(made, taskHandoff()));
    await made.hook("SessionEnd", "claude", { session_id: "session-1", cwd: made.root, transcript_path: path });
    return seenOf(made);
  }

  it("is tokens of all its agents and money, from Claude Code", async () => {
    const { usage, printed } = await ended(claude("done"), cost());
    expect(usage).toEqual({ tokens: 1335, money: 0.125, covers: "session", is_part: false });
    expect(printed).toContain("as claude counts, the whole session: 1335 tokens, 0.13 USD");
  });

  it("says no money where a model has no price, and is not that of another session or of before the last answer", async () => {
    expect((await ended(cost({ hasUnknownModelCost: true }))).usage).toMatchObject({ tokens: 1335, money: null });
    expect((await ended(claude("done"), cost({ sessionId: "other" }))).usage).toMatchObject({ covers: "main" });
    const early = await ended(cost(), claude("done"));
    expect(early.usage).toEqual({ tokens: 100, money: null, covers: "main", is_part: false });
  });

  it("is unknown where there is no transcript", async () => {
    const made = await trusted();
    await made.hook("SubagentStop", "opencode", stopOf(made, taskHandoff()));
    await made.hook("SessionEnd", "opencode", { session_id: "session-1", cwd: made.root });
    expect(await seenOf(made)).toMatchObject({ usage: null, tokens: [null] });
  });
});

describe("tokens of the other clients", () => {
  it("Codex tells the sum of the thread", async () => {
    const made = await trusted();
    const counted = (total_tokens: number) => ({
      type: "event_msg",
      payload: { type: "token_count", info: { total_token_usage: { input_tokens: 1, total_tokens } } },
    });
    const said = { type: "response_item", payload: { type: "message", role: "assistant", content: [] } };
    const path = transcript(made, said, counted(1000));
    const stop = (message: string) => stopOf(made, message, { ...main, transcript_path: path });
    await made.hook("Stop", "codex", stop("done"));
    append(path, said, counted(1400));
    await made.hook("Stop", "codex", stop(taskHandoff()));
    append(path, said);
    await made.hook("Stop", "codex", { ...stop(taskHandoff()), turn_id: "t2" });
    expect((await seenOf(made)).tokens).toEqual([1000, 400, null]);
  });

  it("Gemini tells those of each answer, and writes one again when its tools have ended", async () => {
    const made = await trusted();
    const answer = (id: string, content: string, total: number) => ({ id, type: "gemini", content, tokens: { total } });
    const path = transcript(made, answer("a", "", 700), answer("a", "", 700), { id: "u", type: "user", content: [] });
    append(path, answer("b", taskHandoff(), 50), { $set: { lastUpdated: "now" } });
    const input = { session_id: "g", cwd: made.root, prompt: "do", transcript_path: path };
    await made.hook("AfterAgent", "gemini", { ...input, prompt_response: `done\n${taskHandoff()}` });
    expect((await seenOf(made)).tokens).toEqual([750]);
  });

  it("Copilot tells those of each request, of subagents in the same transcript", async () => {
    const made = await trusted();
    const request = (apiCallId: string, inputTokens: number, agentId?: string) => ({
      type: "session.usage_record",
      data: { usage: { inputTokens, outputTokens: 5, cacheReadTokens: 100, cost: 1, apiCallId } },
      ...(agentId !== undefined && { agentId }),
    });
    const turn = (word: string, agentId?: string) => ({
      type: `assistant.turn_${word}`,
      data: {},
      ...(agentId !== undefined && { agentId }),
    });
    const path = transcript(made, turn("start"), request("1", 1000), turn("start", "agent-1"));
    append(path, request("2", 400, "agent-1"), turn("end", "agent-1"));
    const inner = stopOf(made, taskHandoff(), { transcript_path: path });
    await made.hook("SubagentStop", "copilot", inner);
    append(path, request("3", 200), { type: "assistant.message", data: { content: taskHandoff() } }, turn("end"));
    const outer = { session_id: "session-1", cwd: made.root, transcript_path: path };
    await made.hook("Stop", "copilot", outer);
    expect((await seenOf(made)).tokens).toEqual([405, 1210]);
    // The turn of another agent has not ended in the transcript.
    append(path, turn("start", "agent-2"), request("4", 70, "agent-2"));
    await made.hook("SubagentStop", "copilot", { ...inner, agent_id: "agent-2" });
    expect(await seenOf(made)).toMatchObject({ tokens: [405, 1210, null], atLeast: [null, null, 75] });
  });
});

describe("an agent that owes no handoff", () => {
  const explorer = (path: string) => ({ agent_id: "e1", agent_type: "Explore", agent_transcript_path: path });

  it("is shown with what it used and the files that its tools changed, and is no step", async () => {
    const made = await trusted();
    const edit = (id: string, file_path: string) => ({ type: "tool_use", id, name: "Write", input: { file_path } });
    const failed = { type: "tool_result", tool_use_id: "t2", is_error: true, content: "denied" };
    const uses = [edit("t1", join(made.root, "notes.md")), edit("t2", join(made.root, "no.md")), edit("t3", "/etc/x")];
    const path = transcript(
      made,
      claude("", 100, { message: { id: "m1", content: uses, usage: { input_tokens: 70, output_tokens: 30 } } }),
      { type: "user", message: { role: "user", content: [failed] } },
      claude("It is here.", 100),
    );
    await made.hook("UserPromptSubmit", "claude", { session_id: "session-1", cwd: made.root, prompt: "Look." });
    await made.hook("SubagentStart", "claude", stopOf(made, "", explorer(path)));
    const during = await seenOf(made);
    expect(during.printed).toContain("owe no handoff, so not checked: Explore (1 at work)");
    expect((await made.hook("SubagentStop", "claude", stopOf(made, "It is here.", explorer(path)))).answer).toEqual({});
    const [{ run, steps, tasks }] = JSON.parse((await made.run("status", "--json")).stdout).runs;
    expect({ steps, tasks }).toEqual({ steps: 1, tasks: 1 });
    const log = (await made.run("log", run)).stdout;
    expect(log).toContain("Explore ended, which owes no handoff; it changed notes.md");
    expect(log).not.toContain("no.md");
    const report = (await made.run("report", run)).stdout;
    expect(report).toMatch(/Explore .* 200 +notes\.md/);
    expect((await made.run("report", run, "--format", "json")).stdout).toContain('"tokens": 200');
  });

  it("is recorded once at its start and once at its end, in the log of its session", async () => {
    const made = await trusted("");
    await made.hook("SubagentStart", "codex", stopOf(made, "", explorer("/none")));
    await made.hook("SubagentStop", "codex", stopOf(made, "found", explorer("/none")));
    const [{ run, status }] = JSON.parse((await made.run("status", "--json")).stdout).runs;
    expect(status).toBe("watched");
    const log = (await made.run("log", run, "--json")).stdout;
    expect(log.match(/"has":"(?:started|ended)"/g)).toEqual(['"has":"started"', '"has":"ended"']);
    expect(log).not.toContain('"kind":"step-started"');
  });
});
