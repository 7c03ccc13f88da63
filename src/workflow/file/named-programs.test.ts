import { describe, expect, it } from "vitest";
import { type NamedProgram, namedPrograms } from "./named-programs.ts";
import { readWorkflow } from "./read-workflow.ts";

/** What the agents of a workflow with these `run`s name, as `kind name`. */
function named(...runs: readonly string[]): string[] {
  const agents = runs.map((run, index) => {
    const done = index === runs.length - 1 ? "end" : `a${index + 1}`;
    return `  a${index}:\n    run: ${run}\n    dialect: phase-yaml\n    routes: { done: ${done} }\n`;
  });
  const text = `baton: 1\nname: sample\nstart: a0\nagents:\n${agents.join("")}`;
  return programsIn(text).map(({ kind, name }) => `${kind} ${name}`);
}

function programsIn(text: string): NamedProgram[] {
  const { workflow, diagnostics } = readWorkflow(text, { path: "w.yaml", hash: "" });
  if (workflow === null) throw new Error(JSON.stringify(diagnostics));
  return namedPrograms(workflow);
}

function tasks(...lines: readonly string[]): string {
  return `tasks:\n${lines.map((line) => `  - ${line}\n`).join("")}`;
}

describe("what an agent cannot be started without", () => {
  it.each([
    ["{ process: [node, agents/build.mjs, --fast] }", ["command node", "script agents/build.mjs"]],
    ["{ process: [python3.12, build.py] }", ["command python3.12", "script build.py"]],
    ["{ process: [sh, tools/agent] }", ["command sh", "script tools/agent"]],
    ["{ process: [/bin/bash, agent.sh] }", ["executable /bin/bash", "shell-script agent.sh"]],
    ["{ process: [bash, ./agent.sh], env: { PATH: /opt/bin } }", ["script ./agent.sh"]],
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
    ["the PATH that a shell gets", "{ process: [bash, x.sh], env: { PATH: /opt/bin } }", []],
    ["the PATH that a client gets", "{ claude: { env: { PATH: /opt/bin } } }", []],
    ["the PATH that a client of the protocol gets", "{ acp: [gemini], options: { env: { PATH: /opt/bin } } }", []],
  ])("does not guess at %s", (_what, run, expected) => {
    expect(named(run)).toEqual(expected);
  });

  it.each([
    ["the start", "", "a"],
    [
      "the start of all tasks that wait for no other",
      tasks("{ id: t1, start: b }", "{ id: t2, depends_on: [t1] }"),
      "b",
    ],
    ["none of several that tasks begin with", tasks("{ id: t1, start: b }", "{ id: t2 }"), ""],
  ])("is first: %s", (_what, more, expected) => {
    const agent = (name: string): string =>
      `  ${name}:\n    run: { process: [node, ${name}.mjs] }\n    dialect: phase-yaml\n    routes: { done: end }\n`;
    const text = `baton: 1\nname: sample\nstart: a\n${more}agents:\n${agent("a").replace("end", "b")}${agent("b")}`;
    const first = programsIn(text).filter(({ isFirst, kind }) => isFirst && kind === "script");
    expect(first.map(({ agents }) => agents.join()).join()).toBe(expected);
  });

  it("is named once, with everybody who runs it", () => {
    const run = "{ process: [node, agent.mjs] }";
    expect(named(run, "{ claude: {} }", run)).toEqual(["command node", "script agent.mjs", "command claude"]);
  });
});
