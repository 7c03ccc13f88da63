import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { claudeAgent } from "../../src/agents/claude/claude-agent.ts";
import type { AgentJob, AgentReport } from "../../src/ports/agent.ts";
import type { JsonRecord } from "../../src/shared/json-value.ts";
import type { Runner } from "../../src/workflow/definition.ts";
import { aJob } from "../agents/agent-jobs.ts";
import { agentContract } from "./agent.ts";

const command = [process.execPath, join(import.meta.dirname, "../agents/fixtures/fake-claude.mjs")];
const runner = { kind: "claude", command, options: {} } as const satisfies Runner;

agentContract({ agent: claudeAgent, runner, missing: { ...runner, command: ["no-such-claude"] }, stops: 10 });

describe("Claude Code", () => {
  async function ask(prompt: string, changes: Partial<AgentJob> = {}): Promise<AgentReport> {
    return await claudeAgent.start(aJob(runner, prompt, changes), () => undefined).ended;
  }
  async function argumentsWith(options: JsonRecord, changes: Partial<AgentJob> = {}): Promise<string[]> {
    const report = await ask("tell your arguments", { runner: { ...runner, options }, ...changes });
    return JSON.parse(report.lastMessage ?? report.message);
  }

  it("tells tokens of all models, money and its session", async () => {
    const report = await ask("behave: finish");
    expect(report.usage).toMatchObject({ tokens: 136, money: 0.047 });
    expect(report.session).toMatch(/^b648319d-3f48-4d47-ab83-dcfbb6b4c3bf\?/);
  });

  it("goes on with a session and charges only what came after", async () => {
    const first = await ask("behave: finish");
    const second = await ask("behave: finish", { session: first.session });
    expect(second.usage.tokens).toBe(132);
    expect(second.usage.money).toBeCloseTo(0.047, 10);
    const third = await ask("behave: finish", { session: "b648319d-3f48-4d47-ab83-dcfbb6b4c3bf" });
    expect(third.usage.money).toBeCloseTo(0.094, 10);
  });

  it("refuses a session that could be taken for an option", async () => {
    expect((await ask("behave: finish", { session: "--dangerously-skip-permissions" })).end).toBe("could-not-start");
  });

  it("does not believe a success that is an error", async () => {
    const report = await ask("error in a success");
    expect(report).toMatchObject({ end: "crashed", lastMessage: null });
    expect(report.message).toContain("API Error: 400 scripted failure");
    expect((await ask("budget is spent")).message).toContain("Reached maximum budget");
  });

  it("has no message when a gate gave up, and is a crash when no result came", async () => {
    expect(await ask("gate gave up")).toMatchObject({ end: "finished", lastMessage: null });
    expect(await ask("no result")).toMatchObject({ end: "crashed", lastMessage: "half a thought" });
  });

  it("may change files and nothing else unless the workflow says so", async () => {
    const given = await argumentsWith({});
    expect(given.slice(given.indexOf("--permission-mode")).slice(0, 2)).toEqual(["--permission-mode", "acceptEdits"]);
    expect(given).not.toContain("--max-budget-usd");
  });

  it("is given its options, its budget and its isolation", async () => {
    const options = {
      model: "opus",
      permission_mode: "plan",
      allowed_tools: ["Read", "Bash(git log:*)"],
      isolated: true,
    };
    const line = (await argumentsWith(options, { money: 0.25 })).join(" ");
    expect(line).toContain("--model opus");
    expect(line).toContain("--permission-mode plan --allowedTools Read,Bash(git log:*)");
    expect(line).toContain("--setting-sources  --strict-mcp-config");
    expect(line).toContain("--max-budget-usd 0.25");
  });

  it("refuses an option that it does not know, and says which was meant", async () => {
    const misspelt = { ...runner, options: { permision_mode: "plan" } };
    expect(await ask("behave: finish", { runner: misspelt })).toMatchObject({
      end: "could-not-start",
      message: "claude has no option permision_mode; did you mean permission_mode?",
    });
  });

  it("has a temporary folder of its own, and what `env` and `inherit` name", async () => {
    process.env["BATON_TEST_KEY"] = "named";
    const own = { ...runner, options: { env: { OWN: "1" }, inherit: ["BATON_TEST_KEY"] } };
    const report = await ask("behave: environment", { runner: own });
    delete process.env["BATON_TEST_KEY"];
    const environment = JSON.parse(report.lastMessage ?? "{}");
    expect(environment).toMatchObject({ OWN: "1", BATON_TEST_KEY: "named" });
    expect(environment.TMPDIR).not.toBe(process.env["TMPDIR"] ?? "/tmp");
  });
});
