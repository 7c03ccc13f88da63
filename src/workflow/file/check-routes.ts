import { OUTCOMES } from "../../protocol/handoff-words.ts";
import type { JsonPath } from "../../shared/json-value.ts";
import type { AgentDefinition, Workflow } from "../definition.ts";
import { type Edge, WorkflowGraph } from "./graph.ts";
import type { Problems } from "./problems.ts";

/** Every outcome has a route that is taken for sure, and no route stands behind one that always is. */
export function checkOutcomes(workflow: Workflow, problems: Problems): void {
  for (const agent of Object.values(workflow.agents)) {
    if (agent.routes.done === undefined && !problems.hasErrorAbove(["agents", agent.name, "routes"]))
      problems.add({
        code: "no-route",
        path: ["agents", agent.name, "routes"],
        atKey: true,
        message: `\`${agent.name}\` has no route for \`done\`.`,
        hint: "Name the next agent, or end, return or person.",
      });
    for (const outcome of OUTCOMES)
      if (outcome === "done" || agent.routes[outcome] !== agent.routes.done) checkList(agent, outcome, problems);
  }
}

function checkList(agent: AgentDefinition, outcome: (typeof OUTCOMES)[number], problems: Problems): void {
  const routes = agent.routes[outcome] ?? [];
  const path: JsonPath = ["agents", agent.name, "routes", outcome];
  const sure = routes.findIndex((route) => route.when === null);
  if (routes.length > 0 && sure === -1 && !problems.hasErrorAbove([...path, routes.length - 1]))
    problems.add({
      code: "no-route",
      path,
      atKey: true,
      message: `\`${agent.name}\` has no route for \`${outcome}\` when no condition holds.`,
      hint: "End the list with a route without `when`, for example person.",
    });
  if (sure !== -1 && sure < routes.length - 1)
    problems.add({
      code: "unreachable",
      path: [...path, sure + 1],
      message: "This route is never taken: the one before it has no condition.",
      hint: "Put the route without `when` last.",
    });
}

/** The proofs about the graph as a whole. They suppose that every name exists and every outcome has a route. */
export function checkGraph(workflow: Workflow, problems: Problems): void {
  const graph = new WorkflowGraph(workflow);
  checkReachable(graph, problems);
  checkUsedGates(workflow, problems);
  checkWayOut(graph, problems);
  checkLoops(graph, problems);
  checkReturns(graph, problems);
}

function checkReachable(graph: WorkflowGraph, problems: Problems): void {
  const reached = graph.reach(graph.starts(), () => true);
  for (const name of graph.names)
    if (!reached.has(name))
      problems.add({
        code: "unreachable",
        path: ["agents", name],
        atKey: true,
        message: `Nothing leads to \`${name}\`.`,
        hint: "Route an outcome to it, or remove it.",
      });
}

function checkUsedGates(workflow: Workflow, problems: Problems): void {
  const used = new Set(Object.values(workflow.agents).flatMap((agent) => agent.gates));
  for (const name of Object.keys(workflow.gates))
    if (!used.has(name))
      problems.add({
        code: "unreachable",
        severity: "warning",
        path: ["gates", name],
        atKey: true,
        message: `No agent has to pass the gate \`${name}\`.`,
        hint: "Name it under `gates` of an agent, or remove it.",
      });
}

/** Walks the edges backwards from wherever the run can end. */
function checkWayOut(graph: WorkflowGraph, problems: Problems): void {
  const before = new Map<string, Set<string>>();
  for (const edge of graph.allEdges())
    for (const to of graph.targets(edge)) before.set(to, (before.get(to) ?? new Set()).add(edge.from));
  const finishing = new Set(graph.names.filter((name) => graph.edges(name).some((edge) => ends(edge, graph))));
  for (const name of finishing) for (const from of before.get(name) ?? []) finishing.add(from);
  for (const name of graph.names)
    if (!finishing.has(name))
      problems.add({
        code: "no-way-out",
        path: ["agents", name],
        atKey: true,
        message: `From \`${name}\` no way leads to the end.`,
        hint: "Route an outcome to `end`, or to an agent from which the end can be reached.",
      });
}

function ends(edge: Edge, graph: WorkflowGraph): boolean {
  return edge.leaf.kind === "end" || (edge.leaf.kind === "return" && graph.returnsToEnd(edge.from));
}

/** After a loop the work goes forward again from the target, so it must come back to the one who asked. */
function checkLoops(graph: WorkflowGraph, problems: Problems): void {
  const forward = new Map<string, Set<string>>();
  for (const edge of graph.allEdges()) {
    const { kind, to, path } = edge.leaf;
    if (kind !== "loop" || to === null) continue;
    const reached = forward.get(to) ?? graph.reach([to], goesForward);
    forward.set(to, reached);
    if (!reached.has(edge.from))
      problems.add({
        code: "no-way-back",
        path,
        message: `A loop to \`${to}\` never comes back to \`${edge.from}\`.`,
        hint: "Loop to an agent whose routes lead forward to this one.",
      });
  }
}

function goesForward(edge: Edge): boolean {
  return edge.by === "forward" && edge.leaf.kind !== "loop";
}

function checkReturns(graph: WorkflowGraph, problems: Problems): void {
  for (const edge of graph.allEdges())
    if (edge.leaf.kind === "return" && graph.callers(edge.from).size === 0)
      problems.add({
        code: "unreachable",
        severity: "warning",
        path: edge.leaf.path,
        message: `Nobody delegates to \`${edge.from}\`: to return would be the end.`,
        hint: "Write `end`, or mark the agent that delegates with `hub: true`.",
      });
}
