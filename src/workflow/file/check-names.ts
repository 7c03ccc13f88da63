import { type JsonPath, ownValue } from "../../shared/json-value.ts";
import { nearestWord } from "../../shared/nearest-word.ts";
import { BLOCKED_REASONS } from "../../protocol/dialects/output-json/shape.ts";
import type { AgentDefinition, Workflow } from "../definition.ts";
import { leavesOf } from "./graph.ts";
import type { Problems } from "./problems.ts";
import { agentName, isReserved } from "./words.ts";

/** Every name that is used is defined, and defined names can be used. */
export function checkNames(workflow: Workflow, problems: Problems): void {
  const names = new Names(workflow, problems);
  for (const name of Object.keys(workflow.agents)) checkOwnName(name, ["agents", name], problems);
  if (workflow.start !== "") names.agent(workflow.start, ["start"]);
  for (const agent of Object.values(workflow.agents)) checkAgent(agent, names);
  for (const gate of Object.values(workflow.gates))
    for (const leaf of leavesOf(gate.failed, ["gates", gate.name, "failed"])) names.agent(leaf.to, leaf.path);
  checkBlockedTable(workflow, names, problems);
  for (const [index, task] of workflow.tasks.entries()) names.agent(task.start, ["tasks", index, "start"]);
}

/** Looks names up; an unknown one is told at its place. */
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
  else if (!agentName.accepts(name))
    problems.add({
      code: "bad-format",
      path,
      atKey: true,
      message: `An agent has ${agentName.description}.`,
      hint: name.startsWith("@")
        ? "Leave out the @: handoffs may write it all the same."
        : `For example: ${agentName.example}`,
    });
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

/** The set is open, but a word that is nearly a known one was meant as that. */
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
