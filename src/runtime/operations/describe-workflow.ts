import type { Workflow } from "../../workflow/definition.ts";
import { describeRoute } from "../../workflow/file/describe-action.ts";
import { printGraph } from "../../workflow/file/print-graph.ts";
import { printMermaid } from "../../workflow/file/print-mermaid.ts";
import { workflowSchema } from "../../workflow/file/workflow-schema.ts";
import type { JsonRecord } from "../../shared/json-value.ts";
import { listCommands } from "./list-commands.ts";

export function drawGraph(workflow: Workflow, kind: "text" | "mermaid"): string {
  return kind === "text" ? printGraph(workflow) : printMermaid(workflow);
}

/** What a run of it would go through, for programs: routes and commands in the words that people are shown. */
export function describePlan(workflow: Workflow): JsonRecord {
  const { name, mode, start, agents, tasks } = workflow;
  return {
    workflow: name,
    mode,
    start,
    agents: Object.values(agents).map((agent) => ({
      name: agent.name,
      kind: agent.runner.kind,
      dialect: agent.dialect,
      gates: [...agent.gates],
      routes: Object.fromEntries(
        Object.entries(agent.routes).map(([outcome, routes]) => [outcome, routes.map(describeRoute)]),
      ),
    })),
    tasks: tasks.map((task) => ({
      id: task.id,
      name: task.name,
      priority: task.priority,
      depends_on: [...task.dependsOn],
    })),
    commands: listCommands(workflow),
  };
}

/** The JSON Schema of a workflow file, for editors. */
export function describeWorkflowFile(): JsonRecord {
  return workflowSchema();
}
