import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { codexAgent } from "../../src/agents/codex/codex-agent.ts";
import type { AgentJob, AgentReport } from "../../src/ports/agent.ts";
import type { Runner } from "../../src/workflow/definition.ts";
import { aJob } from "../agents/agent-jobs.ts";
import { agentContract } from "./agent.ts";

const command = [process.execPath, join(import.meta.dirname, "../agents/fixtures/fake-codex.mjs")];
const runner = { kind: "codex", command, options: {} } as const satisfies Runner;

agentContract({ agent: codexAgent, runner, missing: { ...runner, command: ["no-such-codex"] }, stops: 10 });

describe("Codex", () => {
  async function ask(prompt: string, changes: Partial<AgentJob> = {}): Promise<AgentReport> {
    return await codexAgent.start(aJob(runner, prompt, changes), () => undefined).ended;
  }

  it("tells tokens and its session, and nothing about money", async () => {
    const report = await ask("behave: finish");
    expect(report).toMatchObject({ usage: { tokens: 105, money: null } });
    expect(report.session).toMatch(/^01a1e1d9-fa28-7ec0\?/);
  });

  it("goes on with a session and charges only what came after", async () => {
    const first = await ask("behave: finish");
    const second = await ask("behave: finish", { session: first.session });
    expect(second.usage.tokens).toBe(105);
    expect(second.session).toContain("tokens=210");
  });

  it("takes a failed turn for a crash, and a warning for a warning", async () => {
    const report = await ask("turn fails");
    expect(report).toMatchObject({ end: "crashed", message: "exit code 1: scripted failure" });
    expect((await ask("no turn")).message).toBe("codex ended without a completed turn");
  });

  it("writes in its workspace only, and resumes with the options of exec", async () => {
    const report = await ask("tell your arguments", { session: "thread-1" });
    expect(JSON.parse(report.lastMessage ?? "[]")).toEqual([
      "exec",
      "--json",
      "--skip-git-repo-check",
      "--color",
      "never",
      "--sandbox",
      "workspace-write",
      "resume",
      "thread-1",
      "-",
    ]);
  });

  it("refuses a sandbox that there is not", async () => {
    const report = await ask("behave: finish", { runner: { ...runner, options: { sandbox: "none" } } });
    expect(report).toMatchObject({ end: "could-not-start", message: expect.stringContaining("read-only") });
  });
});
