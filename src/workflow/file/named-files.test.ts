import { describe, expect, it } from "vitest";
import type { Workflow } from "../definition.ts";
import { coveredName, filesNamedBy } from "./named-files.ts";
import { readWorkflow } from "./read-workflow.ts";

function workflow(run: string, gate: string, prompt = "Do it."): Workflow {
  const text = `baton: 1
name: sample
start: a
${run.includes("builtin") ? "forge: { local: .baton/forge }" : ""}
gates:
  g: ${gate}
agents:
  a:
    run: ${run}
    prompt: ${JSON.stringify(prompt)}
    dialect: ${run.includes("builtin") ? "issue-xml" : "task-yaml"}
    file: out/handoff.md
    gates: [g]
    routes: { done: end }
`;
  const read = readWorkflow(text, { path: "baton.yaml", hash: "" });
  if (read.workflow === null) throw new Error(JSON.stringify(read.diagnostics));
  return read.workflow;
}

const namesOf = (flow: Workflow, user: Parameters<typeof filesNamedBy>[1]): string[] =>
  filesNamedBy(flow, user).map(coveredName);
const ofGate = (gate: string): string[] => namesOf(workflow("{ process: [cat] }", gate), { gate: "g" });
const ofAgent = (run: string, prompt?: string): string[] =>
  namesOf(workflow(run, "{ command: [npm, test] }", prompt), { agent: "a" });

describe("files that a gate names", () => {
  it.each([
    ["{ command: [sh, scripts/x.sh] }", "scripts/x.sh"],
    ["{ command: [./scripts/../scripts/x.sh] }", "scripts/x.sh"],
    ["{ command: [sh, -c, './scripts/x.sh && echo'] }", "scripts/x.sh"],
    ["{ command: [sh, -c, 'exec \"$PWD/scripts/x.sh\"'] }", "scripts/x.sh"],
    ["{ command: [sh, -c, '$(git rev-parse --show-toplevel)/scripts/x.sh'] }", "scripts/x.sh"],
    ["{ command: [sh, -c, 'cd a; cd scripts && ./x.sh'] }", "scripts/x.sh"],
    ["{ command: [node, --import=./hook.mjs, -e, '0'] }", "hook.mjs"],
    ["{ command: [node, tool] }", "tool.js"],
    ["{ command: [node, ./tool] }", "tool/index.js"],
    ["{ command: [python3, -m, tools.check] }", "tools/check.py"],
    ["{ command: [make, -fbuild.mk] }", "build.mk"],
    ["{ command: [make, -C, sub] }", "sub/Makefile"],
    ["{ command: [just, check] }", "justfile"],
    ["{ command: [task, check] }", "Taskfile.yml"],
    ["{ command: [rake, check] }", "Rakefile"],
    ["{ command: [npm, test] }", "package.json (scripts)"],
    ["{ command: [pnpm, test] }", "package.json (scripts)"],
    ["{ command: [yarn, test] }", "package.json (scripts)"],
    ["{ command: [bun, run, test] }", "package.json (scripts)"],
    ["{ command: [npm, --prefix, sub, run, x] }", "sub/package.json (scripts)"],
    ["{ command: [npm, test] }", ".npmrc"],
    ["{ command: [x], env: { NODE_OPTIONS: --require ./hook.cjs } }", "hook.cjs"],
    ["{ command: [x], env: { PATH: 'tools:/usr/bin' } }", "tools/x"],
  ])("%s: %s", (gate, file) => {
    expect(ofGate(gate)).toContain(file);
  });

  it.each([
    ["what lies outside", "{ command: [sh, ../x.sh] }", "../x.sh"],
    ["the report that it writes", "{ command: [x, --out=r/junit.xml], reports: [r/junit.xml] }", "r/junit.xml"],
    ["what a shell writes", "{ command: [sh, -c, 'make > out.log'] }", "out.log"],
    ["the handoff of an agent", "{ command: [cat, out/handoff.md] }", "out/handoff.md"],
    ["the rest of package.json", "{ command: [npm, test] }", "package.json"],
  ])("are not %s", (_what, gate, file) => {
    expect(ofGate(gate)).not.toContain(file);
  });

  it("stay named when the shell also writes them", () => {
    expect(ofGate("{ command: [sh, -c, 'echo > x.sh; sh x.sh'] }")).toContain("x.sh");
  });
});

describe("files that an agent names", () => {
  it.each([
    ["{ process: [node, agents/a.mjs, --rules, rules.json] }", "rules.json"],
    ["{ function: './agents/a.mjs#run' }", "agents/a.mjs"],
    ["{ claude: { settings: config/claude.json } }", "config/claude.json"],
    ["{ claude: {}, command: [tools/claude.sh] }", "tools/claude.sh"],
    ["{ acp: [node, agents/a.mjs] }", "agents/a.mjs"],
    ["{ builtin: validator, options: { unit: [sh, unit.sh] } }", "unit.sh"],
    ["{ builtin: prep }", "package.json (scripts)"],
  ])("%s: %s", (run, file) => {
    expect(ofAgent(run)).toContain(file);
  });

  it("are those that its prompt takes in, and not those of its prose", () => {
    const names = ofAgent("{ process: [cat] }", "Follow @docs/rules.md, and (@more.txt). Write reports/review.md.");
    expect(names).toEqual(expect.arrayContaining(["docs/rules.md", "more.txt"]));
    expect(names).not.toContain("reports/review.md");
  });
});
