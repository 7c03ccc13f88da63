import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type HookRoom, hookRooms, stopOf, taskHandoff } from "./hook-room.ts";

const room = hookRooms();

const WORKFLOW = `baton: 1
name: relay
start: builder
mode: autonomous
agents:
  builder:
    run: { process: [node, agents/agent.mjs] }
    dialect: task-yaml
    routes: { done: reviewer }
  reviewer:
    run: { process: [node, agents/agent.mjs] }
    dialect: task-yaml
    gates: [tests]
    routes: { done: end, needs-fixes: { loop: builder } }
gates:
  tests: { require: claims.refuted == 0 }
sessions:
  workflow: baton.yaml
  agents:
    builder: {}
    code-reviewer: { as: reviewer }
`;

const AGENT = `import { readFileSync, writeFileSync } from "node:fs";
writeFileSync("prompt.txt", readFileSync(0, "utf8"));
console.log(${JSON.stringify(taskHandoff(["files_created: [{ path: prompt.txt, purpose: holds it, lines: all }]"]))});
`;

async function trusted(): Promise<HookRoom> {
  const made = room({ "baton.yaml": WORKFLOW, "agents/agent.mjs": AGENT, ".gitignore": "prompt.txt\n" });
  expect(await made.run("trust")).toMatchObject({ code: 0 });
  return made;
}

async function sessionOf(made: HookRoom): Promise<string> {
  return JSON.parse((await made.run("status", "--json")).stdout).runs[0].run;
}

function stop(made: HookRoom, agent: string): ReturnType<HookRoom["hook"]> {
  return made.hook("SubagentStop", "claude", stopOf(made, taskHandoff(), { agent_id: agent, agent_type: agent }));
}

describe("a session that follows a workflow", () => {
  it("takes the format from it, and reports deviations and the agent that comes next", async () => {
    const made = await trusted();
    await made.hook("UserPromptSubmit", "claude", { session_id: "session-1", cwd: made.root, prompt: "Add a till." });
    const missing = stopOf(made, "done", { agent_id: "a", agent_type: "builder" });
    expect((await made.hook("SubagentStop", "claude", missing)).reason).toContain("task-yaml");
    expect((await stop(made, "code-reviewer")).answer).toEqual({});
    expect((await stop(made, "builder")).answer).toEqual({});
    const { stdout } = await made.run("log", await sessionOf(made));
    expect(stdout).toContain("reviewer: the session began with it, and the workflow begins with builder");
    expect(stdout).toContain("reviewer: its gates did not run in the session: tests");
    expect(stdout).toContain("builder: it came after reviewer (done), which the workflow sends to nobody");
    expect(stdout).toContain("builder: after done the workflow relay goes on with reviewer");
    const shown = (await made.run("status", await sessionOf(made))).stdout;
    expect(shown).toContain("it is compared with the workflow relay");
    expect(shown).toContain("deviation of reviewer: its gates did not run in the session: tests");
    expect(shown).toContain("after done the workflow relay goes on with reviewer");
    const report = (await made.run("report", await sessionOf(made))).stdout;
    expect(report).toMatch(/Compared with its workflow\n[^]*its gates did not run in the session: tests/);
  });

  it("can be continued as a run that is driven, with its last handoff, at the agent that comes next", async () => {
    const made = await trusted();
    await made.hook("UserPromptSubmit", "claude", { session_id: "session-1", cwd: made.root, prompt: "Add a till." });
    await stop(made, "builder");
    const session = await sessionOf(made);
    const run = await made.run("run", "--from", session, "--json", "--quiet");
    const view = JSON.parse(run.stdout);
    expect(view.agents).toMatchObject([
      { name: "builder", visits: 0 },
      { name: "reviewer", visits: 1 },
    ]);
    const prompt = readFileSync(join(made.root, "prompt.txt"), "utf8");
    expect(prompt).toContain("Add a till.");
    expect(prompt).toMatch(/## The handoff before yours\n\n<<<handoff of builder/);
    expect((await made.run("log", view.run)).stdout).toContain(`begins with the handoff of builder in run ${session}`);
    expect(await made.run("audit", "verify")).toMatchObject({ code: 0 });
  });

  it("is not checked where the workflow that it names is not trusted", async () => {
    const made = await trusted();
    made.write("other.yaml", WORKFLOW.replace(/sessions:[\s\S]*/, ""));
    made.write("baton.yaml", WORKFLOW.replace("workflow: baton.yaml", "workflow: other.yaml"));
    await made.run("trust");
    expect((await stop(made, "builder")).answer["decision"]).toBeUndefined();
    expect(made.heard("SubagentStop")).toMatchObject({ result: "not-trusted" });
    await made.run("trust", "other.yaml");
    expect((await stop(made, "builder")).answer).toEqual({});
    expect(made.heard("SubagentStop")).toMatchObject({ result: "accepted" });
  });
});
