import type { RecordShape } from "../../protocol/shape.ts";
import type { JsonPath } from "../../shared/json-value.ts";
import type { Workflow } from "../definition.ts";
import { checkAgentCycles, checkBlockedSelf, checkTasks } from "./check-cycles.ts";
import { checkNames } from "./check-names.ts";
import { checkPolicies } from "./check-policies.ts";
import { checkGraph, checkOutcomes } from "./check-routes.ts";
import { agentShape, gateShape } from "./file-shape.ts";
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
  if (problems.findings.some((finding) => finding.severity === "error" && shapesGraph(finding))) return;
  checkGraph(workflow, problems);
  checkAgentCycles(workflow, problems);
  checkBlockedSelf(workflow, problems);
}

/** Keys that lead somewhere, or say who is meant. */
const LEADING: readonly string[] = ["routes", "on_failure", "gates", "hub", "domain", "failed"];

/** What a route asks for, and where it stands in its list, changes nothing of where it leads. */
const OF_ONE_ROUTE = new Set<string>(["bad-condition", "unreachable"]);

function shapesGraph({ code, path }: WorkflowFinding): boolean {
  return !OF_ONE_ROUTE.has(code) && isOfGraph(path);
}

function isOfGraph(path: JsonPath): boolean {
  const [part, , key] = path;
  switch (part) {
    case "agents":
      return !isBeside(key, agentShape);
    case "gates":
      return !isBeside(key, gateShape);
    case "tasks":
      return key === "start";
    default:
      return part === undefined || part === "start" || part === "blocked";
  }
}

/** An unknown key may have been meant as one that leads somewhere. */
function isBeside(key: string | number | undefined, { fields }: RecordShape): boolean {
  return typeof key === "string" && Object.hasOwn(fields, key) && !LEADING.includes(key);
}
