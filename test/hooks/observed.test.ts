import { describe, expect, it } from "vitest";
import { type HookRoom, hookRooms, sessionsFile, stopOf, taskHandoff } from "./hook-room.ts";

const room = hookRooms();

async function trusted(more = ""): Promise<HookRoom> {
  const made = room({ "baton.yaml": sessionsFile(more), "src/old.ts": "export const one = 1;\n" });
  expect(await made.run("trust")).toMatchObject({ code: 0 });
  return made;
}

async function begin(made: HookRoom, more: Readonly<Record<string, unknown>> = {}): Promise<void> {
  const { last_assistant_message: _message, ...start } = stopOf(made, "", more);
  await made.hook("UserPromptSubmit", "claude", { session_id: start.session_id, cwd: made.root, prompt: "Review it." });
  await made.hook("SubagentStart", "claude", start);
}

async function runsOf(made: HookRoom): Promise<Record<string, unknown>[]> {
  return JSON.parse((await made.run("status", "--json")).stdout).runs;
}

async function eventsOf(made: HookRoom): Promise<{ kind: string; data: Record<string, unknown> }[]> {
  const [first] = await runsOf(made);
  const { stdout } = await made.run("log", String(first?.["run"]), "--json");
  return stdout
    .trim()
    .split("\n")
    .flatMap((line) => {
      const parsed = JSON.parse(line);
      return Array.isArray(parsed) ? parsed : (parsed.entries ?? parsed.events ?? [parsed]);
    });
}

const created = (path: string): string =>
  taskHandoff([`files_created: [{ path: ${path}, purpose: shows it, lines: all }]`]);

describe("a session of a client", () => {
  it("is a run: an untrue handoff is sent back, a true one accepted, with its claims", async () => {
    const made = await trusted();
    await begin(made);
    const untrue = await made.hook("SubagentStop", "claude", stopOf(made, created("src/gone.ts")));
    expect(untrue.reason).toContain("Not true: The file src/gone.ts was created");
    made.write("src/new.ts", "export const two = 2;\n");
    expect((await made.hook("SubagentStop", "claude", stopOf(made, created("src/new.ts")))).answer).toEqual({});
    const [run] = await runsOf(made);
    expect(run).toMatchObject({ workflow: "claude-session", status: "watched", driven: true });
    const shown = await made.run("status", String(run?.["run"]));
    expect(shown.stdout).toContain("session session-1 of claude, watched");
    expect(shown.stdout).toMatch(/reviewer +done +1 step, 1 handoff refused/);
    const kinds = (await eventsOf(made)).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === "handoff-accepted")).toHaveLength(1);
    expect(kinds.filter((kind) => kind === "claims-verified")).toHaveLength(2);
    await made.hook("SessionEnd", "claude", { session_id: "session-1", cwd: made.root });
    expect((await runsOf(made))[0]).toMatchObject({ status: "completed" });
    expect(await made.run("audit", "verify")).toMatchObject({ code: 0 });
    const report = await made.run("report", String(run?.["run"]));
    expect(report.stdout).toContain("reviewer");
  });

  it("takes a handoff once in a turn, however often it is told", async () => {
    const made = await trusted();
    await begin(made);
    const stop = stopOf(made, taskHandoff());
    await Promise.all([1, 2, 3].map(() => made.hook("SubagentStop", "claude", stop)));
    await made.hook("SubagentStop", "claude", stop);
    const kinds = (await eventsOf(made)).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === "handoff-accepted")).toHaveLength(1);
  });

  it("takes the same text again when its agent was sent back, or asked by a person, in between", async () => {
    const made = await trusted("  main: { format: task-yaml }\n");
    const main = { agent_id: undefined, agent_type: undefined };
    // Gemini, Copilot and OpenCode do not tell turns apart.
    const stop = (text: string) => made.hook("AfterAgent", "gemini", stopOf(made, text, main));
    const ask = () => made.hook("BeforeAgent", "gemini", { session_id: "session-1", cwd: made.root, prompt: "Do it." });
    await ask();
    await stop(taskHandoff());
    await stop(taskHandoff());
    await ask();
    await stop("done");
    await stop(taskHandoff());
    await ask();
    await stop(taskHandoff());
    const kinds = (await eventsOf(made)).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === "handoff-accepted")).toHaveLength(3);
    await made.hook("SessionEnd", "gemini", { session_id: "session-1", cwd: made.root });
    expect((await runsOf(made))[0]).toMatchObject({ status: "completed" });
  });

  it("has agents at work at the same time, and none of them is lost", async () => {
    const made = await trusted();
    const agents = ["a", "b", "c", "d"].map((id) => ({ agent_id: id }));
    await Promise.all(agents.map((agent) => begin(made, agent)));
    await Promise.all(agents.map((agent) => made.hook("SubagentStop", "claude", stopOf(made, taskHandoff(), agent))));
    const accepted = (await eventsOf(made)).filter(({ kind }) => kind === "handoff-accepted");
    expect(new Set(accepted.map(({ data }) => data["task"])).size).toBe(4);
  });

  it("fails when an agent gave no valid handoff, or was cut off while it was sent back", async () => {
    const made = await trusted("  blocks: 1\n");
    await begin(made);
    await made.hook("SubagentStop", "codex", stopOf(made, "done"));
    await made.hook("SessionEnd", "codex", { session_id: "session-1", cwd: made.root });
    const [run] = await runsOf(made);
    expect(run).toMatchObject({ workflow: "codex-session", status: "failed" });
    expect(String(run?.["reason"])).toContain("the session ended before it handed over");
    expect((await made.run("resume", String(run?.["run"]))).stderr).toContain("only watched");
    // The same session can go on after its end.
    await made.hook("SubagentStop", "codex", stopOf(made, taskHandoff()));
    expect((await runsOf(made))[0]).toMatchObject({ status: "watched" });
  });

  it("teaches what its accepted handoffs say", async () => {
    const made = await trusted();
    await begin(made);
    const lesson =
      "gotchas: [{ id: gotcha-001, issue: The cache keeps old prices, discovered_in: src/old.ts, mitigation: Clear it first, severity: high }]";
    await made.hook("SubagentStop", "claude", stopOf(made, taskHandoff([lesson])));
    expect((await made.run("knowledge", "search", "prices")).stdout).toContain("The cache keeps old prices");
  });

  it("keeps no secret that an agent has written, and no session that says nothing", async () => {
    const made = await trusted();
    const key = `sk-ant-api03-${"a1B2".repeat(12)}`;
    await begin(made, { session_id: `with ${key}` });
    await made.hook("SubagentStop", "claude", stopOf(made, `${key}\n${taskHandoff()}`, { session_id: `with ${key}` }));
    const { stdout } = await made.run("log", "--json");
    expect(stdout).not.toContain(key);
    const quiet = await trusted();
    await quiet.hook("SessionStart", "claude", { session_id: "s", cwd: quiet.root });
    await quiet.hook("SessionEnd", "claude", { session_id: "s", cwd: quiet.root });
    expect(await runsOf(quiet)).toEqual([]);
  });
});

describe("an agent that starts", () => {
  it("is told what is known about its work, in an envelope, and how to hand over", async () => {
    const made = await trusted("  main: { format: task-yaml }\n");
    await begin(made);
    const lesson =
      "gotchas: [{ id: gotcha-001, issue: The price cache keeps old prices, discovered_in: src/old.ts, mitigation: Clear it first, severity: high }]";
    await made.hook("SubagentStop", "claude", stopOf(made, taskHandoff([lesson])));
    const { stdout } = await made.run("knowledge", "search", "prices", "--json");
    const [fact] = JSON.parse(stdout).facts;
    await made.run("knowledge", "promote", fact.id);
    const contextOf = (answer: Readonly<Record<string, unknown>>): string => {
      const { additionalContext = "" } = (answer["hookSpecificOutput"] ?? {}) as { additionalContext?: string };
      return additionalContext;
    };
    const prompt = { session_id: "session-2", cwd: made.root, prompt: "Mend the price cache in src/old.ts" };
    const asked = await made.hook("UserPromptSubmit", "claude", prompt);
    expect(asked.answer["hookSpecificOutput"]).toMatchObject({ hookEventName: "UserPromptSubmit" });
    expect(contextOf(asked.answer)).toContain("The price cache keeps old prices");
    expect(contextOf(asked.answer)).toMatch(/<<<context [0-9a-f]{32}\n[\s\S]*\n[0-9a-f]{32} end of context>>>/);
    const started = await made.hook("SubagentStart", "claude", stopOf(made, "", { session_id: "session-2" }));
    expect(contextOf(started.answer)).toContain("The price cache keeps old prices");
    expect(contextOf(started.answer)).toContain("How to hand over");
    const session = await made.hook("SessionStart", "gemini", { session_id: "session-3", cwd: made.root });
    expect(contextOf(session.answer)).toContain("it is checked when you stop");
    const gemini = await made.hook("BeforeAgent", "gemini", prompt);
    expect(gemini.answer["hookSpecificOutput"]).toMatchObject({ hookEventName: "BeforeAgent" });
  });

  it("is told nothing where the section is not trusted, or says so", async () => {
    const made = await trusted("  context: false\n");
    const start = stopOf(made, "");
    expect((await made.hook("SubagentStart", "claude", start)).answer).toEqual({});
    made.write("baton.yaml", sessionsFile("  blocks: 2\n"));
    expect((await made.hook("SubagentStart", "claude", start)).answer).toEqual({});
    expect(made.heard("SubagentStart")).toMatchObject({ result: "not-trusted" });
  });
});

describe("a session that is open", () => {
  /** As if the hooks had been called hours ago. */
  const early = (hours: number) => ({
    NODE_OPTIONS: `--import=data:text/javascript,const%20n=Date.now;Date.now=()=>n()-${hours * 3_600_000}`,
  });

  it("is idle after an hour without a sign, and never completed by that", async () => {
    const made = await trusted("  main: { format: task-yaml }\n");
    const prompt = { session_id: "session-1", cwd: made.root, prompt: "Review it." };
    await made.hook("UserPromptSubmit", "claude", prompt, early(2));
    const [run] = await runsOf(made);
    expect(run).toMatchObject({ status: "watched", driven: false });
    expect(Date.now() - Number(run?.["idle_since"])).toBeGreaterThan(7_000_000);
    const [list, one] = [await made.run("status"), await made.run("status", String(run?.["run"]))];
    expect(list.stdout).toMatch(/watched .*main not heard of since, no sign since 20\d\d-/);
    expect(one.stdout).toMatch(/no sign since 20.* UTC: its client may be gone, or its agent works on/);
    expect(one.stdout).toMatch(/main +no sign/);
    const report = await made.run("report", String(run?.["run"]));
    expect(report).toMatchObject({ code: 1 });
    expect(report.stdout).toContain("no sign since");
    expect(report.stdout).not.toMatch(/completed|passed/);
    const watch = await made.run("watch", String(run?.["run"]));
    expect(watch.stderr).toContain("no sign since");
    // A sign is a sign.
    await made.hook("UserPromptSubmit", "claude", prompt);
    expect((await runsOf(made))[0]).toMatchObject({ status: "watched", driven: true, idle_since: null });
  });

  it("is closed by a person, which tells its client nothing; a later sign opens it again", async () => {
    const made = await trusted();
    await begin(made);
    const [run] = await runsOf(made);
    const closed = await made.run("cancel", String(run?.["run"]), "--reason", "the terminal is gone");
    expect(closed).toMatchObject({ code: 0 });
    expect(closed.stderr).toContain("Its client was not told");
    expect((await runsOf(made))[0]).toMatchObject({ status: "cancelled", reason: "the terminal is gone" });
    await made.hook("SubagentStop", "claude", stopOf(made, taskHandoff()));
    expect((await runsOf(made))[0]).toMatchObject({ status: "watched" });
  });

  it("has a main agent at work from the prompt on, whose time is known", async () => {
    const made = await trusted("  main: { format: task-yaml }\n");
    await made.hook("UserPromptSubmit", "claude", { session_id: "session-1", cwd: made.root, prompt: "Do it." });
    const [run] = await runsOf(made);
    expect((await made.run("status", String(run?.["run"]))).stdout).toMatch(/main +working/);
    const stop = stopOf(made, taskHandoff(), { agent_id: undefined, agent_type: undefined });
    await made.hook("Stop", "claude", stop);
    const ended = (await eventsOf(made)).find(({ kind }) => kind === "attempt-ended");
    expect(ended?.data).not.toHaveProperty("isBeginUnknown");
    expect((ended?.data["usage"] as { milliseconds: number }).milliseconds).toBeGreaterThan(0);
  });

  it("says where the beginning of an agent was not heard of: its time is unknown, not zero", async () => {
    const made = await trusted();
    await made.hook("SubagentStop", "claude", stopOf(made, taskHandoff()));
    const [run] = await runsOf(made);
    expect((await made.run("status", String(run?.["run"]))).stdout).toContain("agent time unknown");
    expect((await made.run("report", String(run?.["run"]))).stdout).toMatch(/reviewer +first +done +unknown/);
  });
});

describe("the end of a session", () => {
  const end = { session_id: "session-1" };

  it("is not good where nothing of it was checked", async () => {
    const made = await trusted();
    await made.hook("UserPromptSubmit", "claude", { ...end, cwd: made.root, prompt: "What is this?" });
    await made.hook("SessionEnd", "claude", { ...end, cwd: made.root });
    const [run] = await runsOf(made);
    expect(run).toMatchObject({ status: "completed", remarks: { unchecked: 1 } });
    expect(String(run?.["reason"])).toContain("no agent handed over: nothing was checked");
    const shown = await made.run("status", String(run?.["run"]));
    expect(shown.stdout).toContain("ended");
    expect(shown.stdout).toContain("unchecked: no agent of the session handed over");
    expect(shown.stdout).not.toMatch(/0 tokens|0\.00 USD/);
    // A gate of CI that reads the report does not pass.
    expect(await made.run("report", String(run?.["run"]))).toMatchObject({ code: 1 });
    expect((await made.run("report", String(run?.["run"]), "--format", "junit")).stdout).toContain("<failure");
  });

  it("is not good where a handoff was not read", async () => {
    const made = await trusted();
    await begin(made);
    await made.hook("SubagentStop", "claude", stopOf(made, "", { agent_transcript_path: "/none" }));
    await made.hook("SessionEnd", "claude", { ...end, cwd: made.root });
    const [run] = await runsOf(made);
    expect(run).toMatchObject({ status: "completed", remarks: { unchecked: 1 } });
    expect(await made.run("report", String(run?.["run"]))).toMatchObject({ code: 1 });
  });
});
