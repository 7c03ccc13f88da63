import type { Workflow } from "../workflow/definition.ts";
import type { Event } from "../workflow/event.ts";
import { type Edge, WorkflowGraph } from "../workflow/file/graph.ts";
import type { StepReason } from "../workflow/state.ts";
import { placeNodes } from "./place-nodes.ts";
import type { AgentView } from "./agent-view.ts";
import type { TimedEvent } from "./timed-event.ts";

/** The workflow as drawn, with how often each way was taken. */
export interface RunGraph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

export interface GraphNode {
  /** Name of the agent, or `start`, `end`, `person`, `fail`. */
  readonly id: string;
  readonly kind: "agent" | "start" | "end" | "person" | "fail";
  /** As in `AgentView.status`; null for what is no agent. */
  readonly status: string | null;
  readonly visits: number;
  /** Placed by the server, so that every reader sees the same picture; in pixels, the upper left corner. */
  readonly x: number;
  readonly y: number;
}

export interface GraphEdge {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly kind: "forward" | "loop" | "failure" | "blocked" | "gate" | "person";
  /** Outcomes that lead this way. */
  readonly label: string;
  /** How often it was taken in this run. */
  readonly taken: number;
}

interface Way {
  readonly from: string;
  readonly to: string;
  readonly kind: GraphEdge["kind"];
  readonly labels: Set<string>;
  taken: number;
}

/** Ids of nodes that are no agents. An agent of that name cannot be: workflow files refuse them. */
const ENDS = ["end", "person", "fail"] as const;

export function runGraph(workflow: Workflow, agents: readonly AgentView[], events: readonly TimedEvent[]): RunGraph {
  const ways = new Map<string, Way>();
  drawWorkflow(ways, workflow);
  const ends = countWays(ways, workflow, events);
  const all = [...ways].map(([id, { labels, ...drawn }]) => ({ id, ...drawn, label: [...labels].join(", ") }));
  const inner = Object.keys(workflow.agents).filter((name) => name !== "start" && !ENDS.some((end) => end === name));
  const names = ["start", ...inner, ...ENDS.filter((name) => isUsed(all, name))];
  const edges = all.filter(({ from, to }) => names.includes(from) && names.includes(to));
  const places = placeNodes(
    names,
    edges.filter(({ kind }) => kind === "forward"),
    ENDS,
  );
  const nodes = names.map((id): GraphNode => {
    const agent = agents.find(({ name }) => name === id);
    const place = places.get(id) ?? { x: 0, y: 0 };
    if (agent === undefined) return { id, kind: id as "start", status: null, visits: ends.get(id) ?? 0, ...place };
    return { id, kind: "agent", status: agent.status, visits: agent.visits, ...place };
  });
  return { nodes, edges };
}

function isUsed(
  edges: readonly { readonly to: string; readonly taken: number; readonly kind: string }[],
  name: string,
): boolean {
  return edges.some(({ to, taken }) => to === name && (name === "end" || taken > 0 || name === "person"));
}

function way(ways: Map<string, Way>, from: string, to: string, kind: GraphEdge["kind"]): Way {
  const id = `${from} ${kind} ${to}`;
  let found = ways.get(id);
  if (found === undefined) ways.set(id, (found = { from, to, kind, labels: new Set(), taken: 0 }));
  return found;
}

function drawWorkflow(ways: Map<string, Way>, workflow: Workflow): void {
  const graph = new WorkflowGraph(workflow);
  for (const start of new Set(graph.starts())) way(ways, "start", start, "forward");
  for (const edge of graph.allEdges()) {
    for (const to of targetsOf(graph, edge)) {
      const drawn = way(ways, edge.from, to, kindOf(edge));
      drawn.labels.add(edge.outcome ?? "gate failed");
    }
  }
}

function targetsOf(graph: WorkflowGraph, edge: Edge): readonly string[] {
  const { kind } = edge.leaf;
  if (kind === "end" || kind === "person" || kind === "fail") return [kind];
  if (kind === "return") return [...graph.targets(edge), ...(graph.returnsToEnd(edge.from) ? ["end"] : [])];
  return graph.targets(edge);
}

function kindOf({ by, leaf }: Edge): GraphEdge["kind"] {
  if (leaf.kind === "loop") return "loop";
  return leaf.kind === "person" ? "person" : by;
}

/** What an agent's step says of how the work came to it. */
const KIND_OF_REASON: Readonly<Partial<Record<StepReason["kind"], GraphEdge["kind"]>>> = {
  forward: "forward",
  return: "forward",
  loop: "loop",
  failure: "failure",
  unblock: "blocked",
  gate: "gate",
};

/** Counts each way that was taken, also those that a person opened. Gives how often each end was reached. */
function countWays(ways: Map<string, Way>, workflow: Workflow, events: readonly TimedEvent[]): Map<string, number> {
  const last = new Map<string, string>();
  const ends = new Map<string, number>();
  const reach = (end: string): unknown => ends.set(end, (ends.get(end) ?? 0) + 1);
  for (const { event } of events) {
    if (event.kind === "step-started") {
      const from = last.get(event.task) ?? "start";
      takeStep(ways, from, event);
      if (from === "start") reach("start");
      last.set(event.task, event.agent);
    } else if (event.kind === "task-finished" && event.status !== "cancelled") {
      const end = event.status === "done" ? "end" : "fail";
      way(ways, last.get(event.task) ?? workflow.start, end, end === "end" ? "forward" : "failure").taken++;
      reach(end);
    } else if (event.kind === "ask-opened") {
      way(ways, event.ask.agent, "person", "person").taken++;
      reach("person");
    }
  }
  return ends;
}

function takeStep(
  ways: Map<string, Way>,
  from: string,
  { agent, reason }: Extract<Event, { kind: "step-started" }>,
): void {
  const kind = from === "start" ? "forward" : KIND_OF_REASON[reason.kind];
  // Retries and what a person sends again stay where they are.
  if (kind === undefined || (from === agent && kind !== "loop" && kind !== "gate")) return;
  way(ways, from, agent, kind).taken++;
}
