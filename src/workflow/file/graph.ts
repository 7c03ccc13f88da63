import { OUTCOMES, type Outcome } from "../../protocol/handoff-words.ts";
import { type JsonPath, ownValue } from "../../shared/json-value.ts";
import type { Action, AgentDefinition, Workflow } from "../definition.ts";

/** One target of an action. */
interface Leaf {
  readonly kind: "go" | "choose" | "loop" | "return" | "end" | "person" | "fail";
  /** The agent, for `go`, `choose` and `loop`. */
  readonly to: string | null;
  readonly path: JsonPath;
}

/** A possible transition from an agent, with its cause. */
export interface WorkflowEdge {
  readonly from: string;
  readonly leaf: Leaf;
  /** `forward` and `gate` are the normal path; `failure` and `blocked` leave it. */
  readonly by: "forward" | "gate" | "failure" | "blocked";
  readonly outcome: Outcome | null;
}

/** All targets of an action, each with its place in the file. */
export function leavesOf(action: Action, path: JsonPath): Leaf[] {
  switch (action.kind) {
    case "go":
      return [{ kind: "go", to: action.to, path: [...path, "to"] }];
    case "loop":
      return [{ kind: "loop", to: action.to, path: [...path, "loop"] }];
    case "retry":
      return leavesOf(action.then, [...path, "then"]);
    case "choose":
      return [
        ...action.from.map((name, index) => choiceOf(name, [...path, "choose", index])),
        ...leavesOf(action.otherwise, [...path, "otherwise"]),
      ];
    case "return":
    case "person":
    case "end":
    case "fail":
      return [{ kind: action.kind, to: null, path }];
  }
}

function choiceOf(name: string, path: JsonPath): Leaf {
  return name === "end" || name === "return" ? { kind: name, to: null, path } : { kind: "choose", to: name, path };
}

/** All transitions of an agent, in the order of the file. */
function edgesOf(agent: AgentDefinition, workflow: Workflow): WorkflowEdge[] {
  return [
    ...OUTCOMES.flatMap((outcome) => outcomeEdges(agent, outcome)),
    ...gateEdges(agent, workflow),
    ...failureEdges(agent),
    ...(agent.routes.blocked === undefined ? blockedEdges(agent, workflow) : []),
  ];
}

function outcomeEdges(agent: AgentDefinition, outcome: Outcome): WorkflowEdge[] {
  const path = ["agents", agent.name, "routes", outcome];
  // Outcomes that share the routes of `done` are listed once, under `done`.
  if (outcome !== "done" && agent.routes[outcome] === agent.routes.done) return [];
  return (agent.routes[outcome] ?? []).flatMap((route, index) =>
    leavesOf(route.action, [...path, index]).map((leaf) => ({
      from: agent.name,
      leaf,
      by: "forward" as const,
      outcome,
    })),
  );
}

function gateEdges(agent: AgentDefinition, workflow: Workflow): WorkflowEdge[] {
  return [...new Set(agent.gates)].flatMap((name) => {
    const gate = ownValue(workflow.gates, name);
    const leaves = gate === undefined ? [] : leavesOf(gate.failed, ["gates", name, "failed"]);
    return leaves.map((leaf) => ({ from: agent.name, leaf, by: "gate" as const, outcome: null }));
  });
}

function failureEdges({ name, onFailure }: AgentDefinition): WorkflowEdge[] {
  if (onFailure === null) return [];
  const path = ["agents", name, "on_failure"];
  const leaves: Leaf[] = onFailure.mayRouteTo.map((to, index) => ({
    kind: "go",
    to,
    path: [...path, "may_route_to", index],
  }));
  if (onFailure.routeTo !== null) leaves.unshift({ kind: "go", to: onFailure.routeTo, path: [...path, "route_to"] });
  return leaves.map((leaf) => ({ from: name, leaf, by: "failure" as const, outcome: "failed" as const }));
}

/** Targets of the blocked table for this agent. */
function blockedEdges(agent: AgentDefinition, { blocked }: Workflow): WorkflowEdge[] {
  return Object.keys(blocked).flatMap((reason) => {
    const row = ownValue(blocked, reason) ?? {};
    const column = Object.hasOwn(row, agent.domain) ? agent.domain : "default";
    const action = ownValue(row, column);
    const leaves = action === undefined ? [] : leavesOf(action, ["blocked", reason, column]);
    return leaves.map((leaf) => ({ from: agent.name, leaf, by: "blocked" as const, outcome: "blocked" as const }));
  });
}

/** The agents and the transitions between them. Unknown names are left out. */
export class WorkflowGraph {
  readonly names: readonly string[];
  readonly #edges: ReadonlyMap<string, readonly WorkflowEdge[]>;
  readonly #workflow: Workflow;
  readonly #callers = new Map<string, Set<string>>();

  constructor(workflow: Workflow) {
    this.#workflow = workflow;
    this.names = Object.keys(workflow.agents);
    this.#edges = new Map(Object.values(workflow.agents).map((agent) => [agent.name, edgesOf(agent, workflow)]));
    for (const name of this.names)
      for (const reached of this.reach(this.#delegatesTo(name), (edge) => edge.leaf.to !== null))
        if (reached !== name) this.#callersOf(reached).add(name);
  }

  /** A hub delegates with every transition; any agent delegates when it is blocked or its failure is routed. */
  #delegatesTo(name: string): string[] {
    const isHub = this.#workflow.agents[name]?.hub === true;
    const delegating = this.edges(name).filter(({ by }) => isHub || by === "blocked" || by === "failure");
    return delegating.flatMap(({ leaf }) => (leaf.to === null ? [] : [leaf.to]));
  }

  edges(name: string): readonly WorkflowEdge[] {
    return this.#edges.get(name) ?? [];
  }

  allEdges(): WorkflowEdge[] {
    return [...this.#edges.values()].flat();
  }

  /** Agents at which runs or tasks start. */
  starts(): string[] {
    const { start, tasks } = this.#workflow;
    return [start, ...tasks.flatMap((task) => (task.start === null ? [] : [task.start]))];
  }

  /** Agents that may have delegated to this agent, and to which it may return. */
  callers(name: string): ReadonlySet<string> {
    return this.#callersOf(name);
  }

  /** Whether `return` may end the work, because no agent delegated it. */
  returnsToEnd(name: string): boolean {
    return this.#callersOf(name).size === 0 || this.starts().includes(name);
  }

  /** The agents that an edge may lead to. A return may lead to every agent that delegated. */
  targets(edge: WorkflowEdge): readonly string[] {
    if (edge.leaf.kind === "return") return [...this.#callersOf(edge.from)];
    const { to } = edge.leaf;
    return to !== null && Object.hasOwn(this.#workflow.agents, to) ? [to] : [];
  }

  /** Every agent that can be reached from the given ones along the wanted edges, including themselves. */
  reach(from: readonly string[], wanted: (edge: WorkflowEdge) => boolean): Set<string> {
    const reached = new Set(from.filter((name) => Object.hasOwn(this.#workflow.agents, name)));
    // Iteration over a Set includes elements that are added meanwhile.
    for (const name of reached)
      for (const edge of this.edges(name)) if (wanted(edge)) for (const to of this.targets(edge)) reached.add(to);
    return reached;
  }

  #callersOf(name: string): Set<string> {
    let callers = this.#callers.get(name);
    if (callers === undefined) this.#callers.set(name, (callers = new Set()));
    return callers;
  }
}
