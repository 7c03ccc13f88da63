import type { JsonPath } from "../../shared/json-value.ts";
import type { Workflow } from "../definition.ts";
import { checkAgentCycles, checkBlockedSelf, checkTasks } from "./check-cycles.ts";
import { checkNames } from "./check-names.ts";
import { checkPolicies } from "./check-policies.ts";
import { checkGraph, checkOutcomes } from "./check-routes.ts";
import { Problems, type WorkflowFinding } from "./problems.ts";

/**
 * Proves before a run that every name exists, every outcome has a route, every loop is bounded and comes back,
 * every agent can be reached and the end can be reached from everywhere.
 */
export function checkWorkflow(workflow: Workflow): WorkflowFinding[] {
  const problems = new Problems();
  checkInto(workflow, problems);
  return problems.findings;
}

/**
 * The same for a workflow whose file has mistakes, told in `problems`. What follows from the graph is only said
 * where the graph is whole: one misspelt route would make half the agents unreachable.
 */
export function checkInto(workflow: Workflow, problems: Problems): void {
  checkNames(workflow, problems);
  checkOutcomes(workflow, problems);
  checkTasks(workflow.tasks, problems);
  checkPolicies(workflow, problems);
  if (problems.findings.some(({ severity, path }) => severity === "error" && shapesGraph(path))) return;
  checkGraph(workflow, problems);
  checkAgentCycles(workflow, problems);
  checkBlockedSelf(workflow, problems);
}

const OF_AGENTS = new Set<unknown>(["routes", "on_failure", "gates", "hub", "domain"]);
const OUTSIDE_GRAPH = new Set<unknown>([
  "run",
  "dialect",
  "prompt",
  "file",
  "phase",
  "approve",
  "retry",
  "repairs",
  "timeout",
  "output",
  "loop",
  "needs",
  "gives",
  "cost",
]);

/** An unknown key of an agent may have been meant as one of those that do. */
function shapesGraph(path: JsonPath): boolean {
  switch (path[0]) {
    case "agents":
      return path.length <= 2 || OF_AGENTS.has(path[2]) || !OUTSIDE_GRAPH.has(path[2]);
    case "gates":
      return path.length <= 2 || !["command", "timeout", "times"].includes(String(path[2]));
    case "tasks":
      return path[2] === "start";
    default:
      return path.length === 0 || path[0] === "start" || path[0] === "blocked";
  }
}
