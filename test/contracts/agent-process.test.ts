import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { processAgent } from "../../src/agents/process/process-agent.ts";
import type { Runner } from "../../src/workflow/definition.ts";
import { aJob } from "../agents/agent-jobs.ts";
import { agentContract } from "./agent.ts";

const script = join(import.meta.dirname, "../agents/fixtures/plain.mjs");
const runner = {
  kind: "process",
  command: [process.execPath, script],
  prompt: "stdin",
  environment: {},
  inherit: [],
} as const satisfies Runner;

agentContract({
  agent: processAgent,
  runner,
  missing: { ...runner, command: ["no-such-program"] },
  stops: Number(process.env["BATON_STOPPED_AGENTS"] ?? 50),
});

describe("a command", () => {
  it.each(["stdin", "file", "argument"] as const)("is given its prompt by %s", async (prompt) => {
    const job = aJob({ ...runner, prompt }, "behave: finish");
    expect(await processAgent.start(job, () => undefined).ended).toMatchObject({
      end: "finished",
      lastMessage: "the work is done",
      usage: { tokens: null, money: null },
      session: null,
    });
  });

  it("is given the variables that its definition names, and those alone", async () => {
    process.env["BATON_TEST_SECRET"] = "for this one";
    const own = { ...runner, environment: { OWN: "1" }, inherit: ["BATON_TEST_SECRET"] };
    const report = await processAgent.start(aJob(own, "behave: environment"), () => undefined).ended;
    delete process.env["BATON_TEST_SECRET"];
    expect(JSON.parse(report.lastMessage ?? "{}")).toMatchObject({ OWN: "1", BATON_TEST_SECRET: "for this one" });
  });

  it("that crashes is told by what went wrong, not by the last line of Node", async () => {
    const broken = { ...runner, command: [process.execPath, "no-such-agent.mjs"] };
    const report = await processAgent.start(aJob(broken, "behave: finish"), () => undefined).ended;
    expect(report.message).toMatch(/^exit code 1: Error: Cannot find module .*no-such-agent\.mjs/);
  });

  it("that crashes over a program of its own is told with what that program said", async () => {
    const calls = `require("node:child_process").execFileSync("sh", ["-c", "echo no name is set >&2; exit 128"])`;
    const broken = { ...runner, command: [process.execPath, "-e", calls] };
    const report = await processAgent.start(aJob(broken, ""), () => undefined).ended;
    expect(report.message).toMatch(/^exit code 1: Error: Command failed: sh -c .* \/ no name is set$/);
  });

  it("that fails is told by its last lines, without the frames of a stack", async () => {
    const said = "first\n\nsecond\nthird\n    at somewhere (file:1:2)\nfourth\n";
    const broken = { ...runner, command: ["sh", "-c", `printf '%s' '${said}' >&2; exit 3`] };
    const report = await processAgent.start(aJob(broken, ""), () => undefined).ended;
    expect(report.message).toBe("exit code 3: second / third / fourth");
  });

  it("whose program is not there need not be tried again; one whose folder is gone may", async () => {
    const missing = aJob({ ...runner, command: ["no-such-agent-here"] }, "");
    const report = await processAgent.start(missing, () => undefined).ended;
    expect(report).toMatchObject({ end: "could-not-start", isPermanent: true });
    const homeless = { ...aJob(runner, ""), workspace: "/no/such/workspace" };
    expect(await processAgent.start(homeless, () => undefined).ended).not.toHaveProperty("isPermanent");
  });

  it("that cannot be started because of its prompt says so", async () => {
    const long = aJob({ ...runner, prompt: "argument" }, "x".repeat(3_000_000));
    expect(await processAgent.start(long, () => undefined).ended).toMatchObject({
      end: "could-not-start",
      message: expect.stringContaining("more text on its command line"),
    });
    const nul = aJob({ ...runner, prompt: "argument" }, "a\0b");
    expect((await processAgent.start(nul, () => undefined).ended).end).toBe("could-not-start");
  });
});
