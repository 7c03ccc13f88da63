import { OUTCOMES } from "../../protocol/handoff-words.ts";
import { sameAgent } from "../../protocol/agent-names.ts";
import { type JsonPath, ownValue } from "../../shared/json-value.ts";
import type { AgentDefinition, Workflow } from "../definition.ts";
import { type WorkflowEdge, WorkflowGraph, leavesOf } from "./graph.ts";
import type { Problems } from "../../protocol/file-problems.ts";
import { nearestWord } from "../../shared/nearest-word.ts";
import { BLOCKED_REASONS } from "../../protocol/dialects/output-json/shape.ts";
import { workflowAgentName, isReserved } from "./words.ts";

/** Every outcome must have a route that is always taken, and no route may follow one. */
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

/** Checks of the graph as a whole. They require that every name exists and every outcome has a route. */
export function checkGraph(workflow: Workflow, problems: Problems): void {
  const graph = new WorkflowGraph(workflow);
  checkReachable(graph, problems);
  checkUsedGates(workflow, problems);
  checkWayOut(graph, problems);
  checkDoneEnds(graph, problems);
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

/** Walks the edges backwards from every agent at which the run can end. */
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

/** Also when nothing fails, the work must be able to end: an agent that is done may not lead to a dead end only. */
function checkDoneEnds(graph: WorkflowGraph, problems: Problems): void {
  const doneEdges = (name: string): WorkflowEdge[] =>
    graph.edges(name).filter(({ by, outcome }) => by === "forward" && outcome === "done");
  const before = new Map<string, Set<string>>();
  for (const name of graph.names)
    for (const edge of doneEdges(name))
      for (const to of graph.targets(edge)) before.set(to, (before.get(to) ?? new Set()).add(name));
  const finishing = new Set(graph.names.filter((name) => doneEdges(name).some((edge) => ends(edge, graph))));
  for (const name of finishing) for (const from of before.get(name) ?? []) finishing.add(from);
  const isTold = (name: string): boolean =>
    problems.findings.some(({ code, path }) => code === "no-way-out" && path[1] === name);
  const stuck = graph.names.filter((name) => !finishing.has(name) && !isTold(name));
  const leadsOn = (name: string): boolean =>
    doneEdges(name).some((edge) => graph.targets(edge).some((to) => to !== name && stuck.includes(to)));
  // The last agent of a dead end is the one to mend; in a circle it is any of them.
  const last = stuck.filter((name) => !leadsOn(name));
  for (const name of last.length > 0 ? last : stuck.slice(0, 1))
    problems.add({
      code: "no-way-out",
      severity: "warning",
      path: ["agents", name, "routes", "done"],
      atKey: true,
      message: `When \`${name}\` is done, the work can only stop: nothing that is done leads from there to the end.`,
      hint: "Route `done` to `end`, or to an agent from which the end can be reached.",
    });
}

function ends(edge: WorkflowEdge, graph: WorkflowGraph): boolean {
  return edge.leaf.kind === "end" || (edge.leaf.kind === "return" && graph.returnsToEnd(edge.from));
}

/**
 * After a loop the work goes forward again from the target, so it must come back to the agent that asked for the loop.
 */
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

function goesForward(edge: WorkflowEdge): boolean {
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

/** Every name that is used must be defined, and every defined name must be allowed. */
export function checkNames(workflow: Workflow, problems: Problems): void {
  const names = new Names(workflow, problems);
  for (const name of Object.keys(workflow.agents)) checkOwnName(name, ["agents", name], problems);
  checkSpellings(Object.keys(workflow.agents), problems);
  if (workflow.start !== "") names.agent(workflow.start, ["start"]);
  for (const agent of Object.values(workflow.agents)) checkAgent(agent, names);
  for (const gate of Object.values(workflow.gates))
    for (const leaf of leavesOf(gate.failed, ["gates", gate.name, "failed"])) names.agent(leaf.to, leaf.path);
  checkBlockedTable(workflow, names, problems);
  for (const [index, task] of workflow.tasks.entries()) names.agent(task.start, ["tasks", index, "start"]);
}

/** Looks names up, and reports an unknown one at its place. */
class Names {
  readonly #agents: readonly string[];
  readonly #gates: readonly string[];
  readonly #problems: Problems;
  readonly #known: Workflow;

  constructor(workflow: Workflow, problems: Problems) {
    this.#known = workflow;
    this.#agents = Object.keys(workflow.agents);
    this.#gates = Object.keys(workflow.gates);
    this.#problems = problems;
  }

  agent(name: string | null, path: JsonPath): void {
    if (name !== null && !Object.hasOwn(this.#known.agents, name))
      this.#problems.unknownName("agent", name, this.#agents, path);
  }

  gate(name: string, path: JsonPath): void {
    if (!Object.hasOwn(this.#known.gates, name)) this.#problems.unknownName("gate", name, this.#gates, path);
  }
}

function checkOwnName(name: string, path: JsonPath, problems: Problems): void {
  if (isReserved(name))
    problems.add({
      code: "reserved-name",
      path,
      atKey: true,
      message: `An agent cannot be called \`${name}\`: the word has a meaning of its own.`,
      hint: "Give it another name.",
    });
  else if (!workflowAgentName.accepts(name))
    problems.add({
      code: "bad-format",
      path,
      atKey: true,
      message: `An agent has ${workflowAgentName.description}.`,
      hint: name.startsWith("@")
        ? "Leave out the @: handoffs may write it all the same."
        : `For example: ${workflowAgentName.example}`,
    });
}

/** Handoffs may spell a name in another way, so that two spellings of one name would be one agent. */
function checkSpellings(names: readonly string[], problems: Problems): void {
  for (const [at, name] of names.entries()) {
    const other = names.slice(0, at).find((earlier) => sameAgent(earlier, name));
    if (other === undefined) continue;
    problems.add({
      code: "inconsistent",
      severity: "warning",
      path: ["agents", name],
      atKey: true,
      message: `\`${name}\` and \`${other}\` are two spellings of one name: a handoff that spells it in a third way names neither.`,
      hint: "Give one of them another name.",
    });
  }
}

function checkAgent(agent: AgentDefinition, names: Names): void {
  const path: JsonPath = ["agents", agent.name];
  for (const [outcome, routes] of Object.entries(agent.routes)) {
    if (outcome !== "done" && routes === agent.routes.done) continue;
    for (const [index, route] of routes.entries())
      for (const leaf of leavesOf(route.action, [...path, "routes", outcome, index])) names.agent(leaf.to, leaf.path);
  }
  for (const [index, gate] of agent.gates.entries()) names.gate(gate, [...path, "gates", index]);
  const { onFailure } = agent;
  if (onFailure === null) return;
  names.agent(onFailure.routeTo, [...path, "on_failure", "route_to"]);
  names.agent(onFailure.notify, [...path, "on_failure", "notify"]);
  for (const [index, name] of onFailure.mayRouteTo.entries())
    names.agent(name, [...path, "on_failure", "may_route_to", index]);
}

function checkBlockedTable(workflow: Workflow, names: Names, problems: Problems): void {
  const domains = new Set(Object.values(workflow.agents).map((agent) => agent.domain));
  for (const reason of Object.keys(workflow.blocked)) {
    checkReason(reason, problems);
    const row = ownValue(workflow.blocked, reason) ?? {};
    for (const [domain, action] of Object.entries(row)) {
      const path = ["blocked", reason, domain];
      for (const leaf of leavesOf(action, path)) names.agent(leaf.to, leaf.path);
      if (domain !== "default" && !domains.has(domain))
        problems.add({
          code: "unreachable",
          severity: "warning",
          path,
          atKey: true,
          message: `No agent is of the domain \`${domain}\`.`,
          hint: `Domains here are ${[...domains].slice(0, 12).join(", ")}.`,
        });
    }
  }
}

const REASONS: readonly string[] = [...BLOCKED_REASONS, "default"];

/** Reasons are an open set, but a word that is close to a known one is reported as a typo. */
function checkReason(reason: string, problems: Problems): void {
  const meant = REASONS.includes(reason) ? null : nearestWord(reason, REASONS);
  if (meant === null) return;
  problems.add({
    code: "unknown-key",
    severity: "warning",
    path: ["blocked", reason],
    atKey: true,
    message: `\`${reason}\` is not a reason that the formats know.`,
    hint: `Did you mean ${meant}?`,
  });
}
