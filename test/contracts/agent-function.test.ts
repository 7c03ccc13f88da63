import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { functionAgent } from "../../src/agents/function/function-agent.ts";
import type { AgentReport } from "../../src/ports/agent.ts";
import { aJob } from "../agents/agent-jobs.ts";
import { agentContract } from "./agent.ts";

const module = join(import.meta.dirname, "../agents/fixtures/functions.mjs");

agentContract({
  agent: functionAgent,
  runner: { kind: "function", module, name: "work" },
  missing: { kind: "function", module: "/no/such/module.mjs", name: "work" },
  stops: 10,
});

describe("a function", () => {
  async function call(name: string): Promise<AgentReport> {
    return await functionAgent.start(aJob({ kind: "function", module, name }, "behave: finish"), () => undefined).ended;
  }

  it("may answer with a text, or with what it used as well", async () => {
    expect(await call("says")).toMatchObject({ end: "finished", lastMessage: "a plain text", usage: { tokens: null } });
    expect(await call("work")).toMatchObject({ lastMessage: "the work is done", usage: { tokens: 12, money: 0.5 } });
  });

  it("that throws, answers nothing or is none is a crash with a reason", async () => {
    expect(await call("throws")).toMatchObject({
      end: "crashed",
      message: expect.stringContaining("the function is unhappy"),
    });
    expect(await call("silent")).toMatchObject({ end: "crashed", message: "the function gave no message" });
    expect(await call("notAFunction")).toMatchObject({
      end: "crashed",
      message: expect.stringContaining("exports no function notAFunction"),
    });
  });

  it("is told by its signal that it shall stop", async () => {
    const job = aJob({ kind: "function", module, name: "waits" }, "");
    const session = functionAgent.start(job, () => undefined);
    setTimeout(() => session.stop(), 700);
    expect(await session.ended).toMatchObject({ end: "stopped", lastMessage: "left in good order" });
  });

  it("must be named by an absolute path", async () => {
    const job = aJob({ kind: "function", module: "./functions.mjs", name: "work" }, "");
    expect((await functionAgent.start(job, () => undefined).ended).end).toBe("could-not-start");
  });
});
