import { describe, expect, it } from "vitest";
import { READY_WORKFLOWS } from "../ready/ready-workflows.ts";
import { namedPrograms } from "./named-programs.ts";
import { readWorkflow } from "./read-workflow.ts";

/** What the agents of a workflow with these `run`s name, as `kind name`. */
function named(...runs: readonly string[]): string[] {
  const agents = runs.map((run, index) => {
    const done = index === runs.length - 1 ? "end" : `a${index + 1}`;
    return `  a${index}:\n    run: ${run}\n    dialect: phase-yaml\n    routes: { done: ${done} }\n`;
  });
  const text = `baton: 1\nname: sample\nstart: a0\nagents:\n${agents.join("")}`;
  const { workflow, diagnostics } = readWorkflow(text, { path: "w.yaml", hash: "" });
  if (workflow === null) throw new Error(JSON.stringify(diagnostics));
  return namedPrograms(workflow).map(({ kind, name }) => `${kind} ${name}`);
}

describe("what an agent cannot be started without", () => {
  it.each([
    ["{ process: [node, agents/build.mjs, --fast] }", ["command node", "script agents/build.mjs"]],
    ["{ process: [python3.12, build.py] }", ["command python3.12", "script build.py"]],
    ["{ process: [sh, tools/agent] }", ["command sh", "script tools/agent"]],
    ["{ process: [/usr/bin/node, ../build.mjs] }", ["executable /usr/bin/node", "script ../build.mjs"]],
    ["{ process: [./agents/build] }", ["executable ./agents/build"]],
    ["{ process: [agents/build.sh, other.sh] }", ["executable agents/build.sh"]],
    ["{ acp: [gemini, --acp] }", ["command gemini"]],
    ["{ claude: {} }", ["command claude"]],
    ["{ codex: {}, command: [npx, codex] }", ["command npx"]],
    ["{ claude: {}, command: [node, clients/claude.mjs] }", ["command node", "script clients/claude.mjs"]],
    ['{ function: "./agents/review.mjs#review" }', ["script ./agents/review.mjs"]],
    ["{ human: true }", []],
  ])("%s", (run, expected) => {
    expect(named(run)).toEqual(expected);
  });

  it.each([
    ["an option before the script", "{ process: [node, --import, ./hooks.mjs, agent.mjs] }", ["command node"]],
    ["a name whose ending node may add", "{ process: [node, agents/build] }", ["command node"]],
    ["a word that is no path", "{ process: [sh, build] }", ["command sh"]],
    ["code", '{ process: [sh, -c, "./agents/build.sh"] }', ["command sh"]],
    ["an address", '{ process: [bun, "https://example.org/agent.ts"] }', ["command bun"]],
    ["a file that a program of its own reads", "{ process: [make, agent.sh] }", ["command make"]],
    ["the PATH that the agent gets", "{ process: [build, x.sh], env: { PATH: /opt/bin } }", []],
  ])("does not guess at %s", (_what, run, expected) => {
    expect(named(run)).toEqual(expected);
  });

  it("is needed where routes, loops and hubs lead to it, not where a wish or the blocked table does", () => {
    const needed = (name: "feature" | "collective" | "issue"): string[] => {
      const { workflow } = readWorkflow(READY_WORKFLOWS[name].text, { path: name, hash: "" });
      const programs = workflow === null ? [] : namedPrograms(workflow);
      return programs.filter(({ kind, isNeeded }) => kind === "script" && isNeeded).map(({ agents }) => agents.join());
    };
    expect(needed("feature")).toEqual(["backend-lead", "backend-developer", "backend-tester"]);
    expect(needed("collective")).toHaveLength(6);
    expect(needed("issue")).toEqual(["issue-manager", "implementer-agent", "reviewer-agent", "fixer-agent"]);
  });

  it("is named once, with everybody who runs it", () => {
    const run = "{ process: [node, agent.mjs] }";
    expect(named(run, "{ claude: {} }", run)).toEqual(["command node", "script agent.mjs", "command claude"]);
  });
});
