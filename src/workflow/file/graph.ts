import { OUTCOMES, type Outcome } from "../../protocol/handoff-words.ts";
import { type JsonPath, ownValue } from "../../shared/json-value.ts";
import type { Action, AgentDefinition, Workflow } from "../definition.ts";

/** One place that an action may lead to. */
export interface Leaf {
  readonly kind: "go" | "choose" | "loop" | "return" | "end" | "person" | "fail";
  /** The agent, of `go`, `choose` and `loop`. */
  readonly to: string | null;
  readonly path: JsonPath;
}

/** Why work may go from one agent to another. */
export interface Edge {
  readonly from: string;
  readonly leaf: Leaf;
  /** `forward` and `gate` are the plain way; `failure` and `blocked` leave it. */
  readonly by: "forward" | "gate" | "failure" | "blocked";
  readonly outcome: Outcome | null;
}

/** Every place that an action may lead to, with where it is written. */
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
    default:
      return [{ kind: action.kind, to: null, path }];
  }
}

function choiceOf(name: string, path: JsonPath): Leaf {
  return name === "end" || name === "return" ? { kind: name, to: null, path } : { kind: "choose", to: name, path };
}

/** Everything that may follow after an agent, in the order of the file. */
function edgesOf(agent: AgentDefinition, workflow: Workflow): Edge[] {
  return [
    ...OUTCOMES.flatMap((outcome) => outcomeEdges(agent, outcome)),
    ...gateEdges(agent, workflow),
    ...failureEdges(agent),
    ...(agent.routes.blocked === undefined ? blockedEdges(agent, workflow) : []),
  ];
}

function outcomeEdges(agent: AgentDefinition, outcome: Outcome): Edge[] {
  const path = ["agents", agent.name, "routes", outcome];
  // Outcomes that follow `done` are told once, where they are written.
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

function gateEdges(agent: AgentDefinition, workflow: Workflow): Edge[] {
  return [...new Set(agent.gates)].flatMap((name) => {
    const gate = ownValue(workflow.gates, name);
    const leaves = gate === undefined ? [] : leavesOf(gate.failed, ["gates", name, "failed"]);
    return leaves.map((leaf) => ({ from: agent.name, leaf, by: "gate" as const, outcome: null }));
  });
}

function failureEdges({ name, onFailure }: AgentDefinition): Edge[] {
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

/** Where the table sends work that this agent is blocked on. */
function blockedEdges(agent: AgentDefinition, { blocked }: Workflow): Edge[] {
  return Object.keys(blocked).flatMap((reason) => {
    const row = ownValue(blocked, reason) ?? {};
    const column = Object.hasOwn(row, agent.domain) ? agent.domain : "default";
    const action = ownValue(row, column);
    const leaves = action === undefined ? [] : leavesOf(action, ["blocked", reason, column]);
    return leaves.map((leaf) => ({ from: agent.name, leaf, by: "blocked" as const, outcome: "blocked" as const }));
  });
}

/** The agents and what leads from one to another, as far as the names exist. */
export class WorkflowGraph {
  readonly names: readonly string[];
  readonly #edges: ReadonlyMap<string, readonly Edge[]>;
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

  /** A hub delegates wherever it sends work; any agent does when it is blocked or its failure is taken over. */
  #delegatesTo(name: string): string[] {
    const isHub = this.#workflow.agents[name]?.hub === true;
    const delegating = this.edges(name).filter(({ by }) => isHub || by === "blocked" || by === "failure");
    return delegating.flatMap(({ leaf }) => (leaf.to === null ? [] : [leaf.to]));
  }

  edges(name: string): readonly Edge[] {
    return this.#edges.get(name) ?? [];
  }

  allEdges(): Edge[] {
    return [...this.#edges.values()].flat();
  }

  /** Where runs begin. */
  starts(): string[] {
    const { start, tasks } = this.#workflow;
    return [start, ...tasks.flatMap((task) => (task.start === null ? [] : [task.start]))];
  }

  /** Agents that may have delegated to an agent, and to which it may return. */
  callers(name: string): ReadonlySet<string> {
    return this.#callersOf(name);
  }

  /** Whether `return` may be the end: nobody delegated. */
  returnsToEnd(name: string): boolean {
    return this.#callersOf(name).size === 0 || this.starts().includes(name);
  }

  /** The agents that an edge may lead to. A return leads to everyone who may have delegated. */
  targets(edge: Edge): readonly string[] {
    if (edge.leaf.kind === "return") return [...this.#callersOf(edge.from)];
    const { to } = edge.leaf;
    return to !== null && Object.hasOwn(this.#workflow.agents, to) ? [to] : [];
  }

  /** Every agent on some way from the given ones along the wanted edges; they themselves included. */
  reach(from: readonly string[], wanted: (edge: Edge) => boolean): Set<string> {
    const reached = new Set(from.filter((name) => Object.hasOwn(this.#workflow.agents, name)));
    // A set hands out what is added to it while it is walked.
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
