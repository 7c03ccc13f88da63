import type { Workflow } from "../../workflow/definition.ts";
import { printGraph } from "../../workflow/file/print-graph.ts";
import { printMermaid } from "../../workflow/file/print-mermaid.ts";

export function drawGraph(workflow: Workflow, kind: "text" | "mermaid"): string {
  return kind === "text" ? printGraph(workflow) : printMermaid(workflow);
}
