import type { Workflow } from "../../workflow/definition.ts";
import { printGraph } from "../../workflow/file/print-graph.ts";
import { printMermaid } from "../../workflow/file/print-mermaid.ts";
import { workflowSchema } from "../../workflow/file/workflow-schema.ts";
import type { JsonRecord } from "../../shared/json-value.ts";

export function drawGraph(workflow: Workflow, kind: "text" | "mermaid"): string {
  return kind === "text" ? printGraph(workflow) : printMermaid(workflow);
}

/** The JSON Schema of a workflow file, for editors. */
export function describeWorkflowFile(): JsonRecord {
  return workflowSchema();
}
