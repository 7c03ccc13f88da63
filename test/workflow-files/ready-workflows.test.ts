import { describe, expect, it } from "vitest";
import { bindWorkflow } from "../../src/workflow/file/bind-workflow.ts";
import { checkWorkflow } from "../../src/workflow/file/check-workflow.ts";
import { renderWorkflowGraph, printMermaid } from "../../src/workflow/file/print-graph.ts";
import { readWorkflow } from "../../src/workflow/file/read-workflow.ts";
import { READY_WORKFLOWS } from "../../src/workflow/ready/ready-workflows.ts";

const ready = Object.entries(READY_WORKFLOWS).map(([name, { text }]) => ({ name, text }));

function workflowOf(text: string) {
  const { workflow, diagnostics } = readWorkflow(text, { path: "ready.yaml", hash: "hash" });
  expect(diagnostics).toEqual([]);
  return workflow!;
}

const gate = (...command: string[]) => ({ command, reports: [] });

describe.each(ready)("the ready workflow $name", ({ name, text }) => {
  const workflow = workflowOf(text);

  it("is without error and warning", () => {
    expect(workflow.name).toBe(name);
    expect(checkWorkflow(workflow)).toEqual([]);
  });

  it("binds every agent that does not come along to a script of its name, which `init` can swap", () => {
    for (const agent of Object.values(workflow.agents)) {
      if (agent.runner.kind === "builtin") continue;
      expect(agent.runner).toMatchObject({ kind: "process", command: ["node", `agents/${agent.name}.mjs`] });
      expect(text).toContain(`    run: { process: [node, agents/${agent.name}.mjs] }\n`);
    }
  });

  it.each([
    ["claude and no gates", { run: "{ claude: {} }", gates: {} }],
    [
      "an acp client and one gate",
      { run: "{ acp: [gemini, --acp] }", gates: { tests: gate("make", "test", "A=b c") } },
    ],
    [
      "its scripts and both gates",
      {
        run: null,
        gates: { lint: gate("npx", "eslint", "."), tests: { command: ["npm", "test"], reports: ["out.xml"] } },
      },
    ],
  ])("stays fine when it is bound to %s", (_what, binding) => {
    const bound = workflowOf(bindWorkflow(text, binding));
    expect(Object.keys(bound.agents)).toEqual(Object.keys(workflow.agents));
    for (const { name: of, command, reports } of Object.values(bound.gates))
      expect(binding.gates).toHaveProperty(of, { command, reports });
  });

  it("has the graph that was drawn", () => {
    expect(renderWorkflowGraph(workflow)).toMatchSnapshot();
    expect(printMermaid(workflow)).toMatchSnapshot();
  });
});

describe("pipeline (000)", () => {
  const { agents, gates, loop } = workflowOf(READY_WORKFLOWS.pipeline.text);

  it("has the five agents in their order, the last one to COMPLETE", () => {
    expect(Object.keys(agents)).toEqual([
      "BackendBuilder",
      "TestAgent",
      "CodeReviewer",
      "SecurityScanner",
      "DocumentationDynamo",
    ]);
    expect(agents["DocumentationDynamo"]?.routes.done).toEqual([{ when: null, action: { kind: "end" } }]);
  });

  it("has the gates and limits of the format's own project", () => {
    expect(gates["lint"]).toMatchObject({ command: ["npm", "run", "lint"], failed: { kind: "retry", most: 3 } });
    expect(gates["tests"]).toMatchObject({ command: ["npm", "test", "--", "--coverage"] });
    expect(loop.limit).toBe(3);
    expect(agents["CodeReviewer"]?.loop).toEqual({
      limit: 3,
      blocking: ["critical"],
      stuck: "continue",
      capped: "continue",
    });
  });
});

describe("printGraph", () => {
  const workflow = workflowOf(READY_WORKFLOWS.tasks.text);

  it("shows the routes that nobody wrote when asked", () => {
    expect(renderWorkflowGraph(workflow)).not.toContain("(default)");
    expect(renderWorkflowGraph(workflow, { verbose: true }).match(/\(default\)/g)).toHaveLength(7);
  });

  it("obeys nothing that a name says", () => {
    const agent = { ...workflow.agents["implementer"]!, name: 'x\u001b[31m"]\n; click a "javascript:1"' };
    const hostile = { ...workflow, name: "a\u202eb\nc", start: agent.name, agents: { [agent.name]: agent } };
    expect(renderWorkflowGraph(hostile)).not.toMatch(/[\u001b\u202e]/);
    expect(renderWorkflowGraph(hostile).split("\n")[0]).toBe(
      "a\\u{202e}b\\nc: Work through tasks in the order of their dependencies and priorities",
    );
    expect(printMermaid(hostile)).not.toMatch(/\u001b|javascript:|click a "/);
  });
});
