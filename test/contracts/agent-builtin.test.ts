import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { builtinAgent } from "../../src/agents/builtin/builtin-agent.ts";
import type { AgentReport } from "../../src/ports/agent.ts";
import type { ForgeDefinition, Runner } from "../../src/workflow/definition.ts";
import { SITUATION, aJob } from "../agents/agent-jobs.ts";
import { agentContract } from "./agent.ts";

const fixture = join(import.meta.dirname, "../agents/fixtures/builtin-behave.mjs");
const runner: Runner = { kind: "builtin", name: "prep", options: {} };

const home = (command: readonly string[]) => ({ command, root: "/", stateFolder: "/" });

agentContract({
  agent: builtinAgent(home([process.execPath, fixture])),
  runner,
  missing: { kind: "function", module: "/no/such/module.mjs", name: "work" },
  stops: 10,
});

describe("the program behind agents that come along", () => {
  const program = join(import.meta.dirname, "../../src/main/builtin-agent.ts");
  afterEach(() => {
    delete process.env["TEST_FORGE_TOKEN"];
  });

  async function start(forge: ForgeDefinition | null): Promise<AgentReport> {
    const job = aJob(runner, "", { input: { ...SITUATION, forge } });
    const agent = builtinAgent({
      command: [process.execPath, program],
      root: job.workspace,
      stateFolder: job.workspace,
    });
    return agent.start(job, () => undefined).ended;
  }

  const github = { kind: "github", repository: "a/b", token: "TEST_FORGE_TOKEN", base: null } as const;

  it("hands over a failure that says what is wrong, where no retry can help", async () => {
    for (const [forge, words] of [
      [null, "names no forge"],
      [{ kind: "local", folder: "forge", base: null }, "git symbolic-ref failed"],
      [{ ...github, api: "http://127.0.0.1:9" }, "the environment variable TEST_FORGE_TOKEN holds no token"],
    ] as const) {
      const { end, lastMessage } = await start(forge);
      expect(end).toBe("finished");
      expect(lastMessage).toContain("<status>failure</status>");
      expect(lastMessage).toContain(words);
      expect(lastMessage).toContain("<recoverable>false</recoverable>");
    }
  });

  it("crashes with a reason, and is tried again, where a retry can help", async () => {
    process.env["TEST_FORGE_TOKEN"] = "secret-of-the-test";
    const agentInput = {
      ...SITUATION,
      known: { "issue.number": "1" },
      forge: { ...github, api: "http://127.0.0.1:9" },
    };
    const job = aJob(runner, "", { input: agentInput });
    const agent = builtinAgent({ ...home([process.execPath, program]), root: job.workspace });
    const report = await agent.start(job, () => undefined).ended;
    expect(report).toMatchObject({ end: "crashed", lastMessage: null });
    expect(report.message).toContain("GET /repos/a/b/issues/1 failed");
    expect(JSON.stringify(report)).not.toContain("secret-of-the-test");
  });
});
