import { type Infer, data } from "../protocol/shape.ts";
import type { Workflow } from "../workflow/definition.ts";
import type { Event } from "../workflow/event.ts";
import { type WorkflowEdge, WorkflowGraph } from "../workflow/file/graph.ts";
import type { StepReason } from "../workflow/state.ts";
import type { AgentView } from "./run-view.ts";
import type { TimedEvent } from "./event-line.ts";

const runGraphNodeShape = data.record({
  /** Name of the agent, or `start`, `end`, `person`, `fail`. */
  id: data.text(),
  kind: data.oneOf(["agent", "start", "end", "person", "fail"]),
  /** As in `AgentView.status`; null for a node that is not an agent. */
  status: data.nullable(data.text()),
  visits: data.count(),
  /** Upper left corner in pixels. The server computes the layout, so every client shows the same picture. */
  x: data.integer(),
  y: data.integer(),
});
export type RunGraphNode = Infer<typeof runGraphNodeShape>;

const graphEdgeShape = data.record({
  id: data.text(),
  from: data.text(),
  to: data.text(),
  kind: data.oneOf(["forward", "loop", "failure", "blocked", "gate", "person"]),
  /** Outcomes that take this edge. */
  label: data.text(),
  /** How often the edge was taken in this run. */
  taken: data.count(),
});
export type GraphEdge = Infer<typeof graphEdgeShape>;

export const runGraphShape = data.record({ nodes: data.list(runGraphNodeShape), edges: data.list(graphEdgeShape) });
/** The workflow as a graph, with how often each edge was taken. */
export type RunGraph = Infer<typeof runGraphShape>;

interface Way {
  readonly from: string;
  readonly to: string;
  readonly kind: GraphEdge["kind"];
  readonly labels: Set<string>;
  taken: number;
}

/** Ids of nodes that are not agents. Workflow files reject these words as names of agents. */
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
  const nodes = names.map((id): RunGraphNode => {
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

function targetsOf(graph: WorkflowGraph, edge: WorkflowEdge): readonly string[] {
  const { kind } = edge.leaf;
  if (kind === "end" || kind === "person" || kind === "fail") return [kind];
  if (kind === "return") return [...graph.targets(edge), ...(graph.returnsToEnd(edge.from) ? ["end"] : [])];
  return graph.targets(edge);
}

function kindOf({ by, leaf }: WorkflowEdge): GraphEdge["kind"] {
  if (leaf.kind === "loop") return "loop";
  return leaf.kind === "person" ? "person" : by;
}

/** The kind of edge by which a step was reached. */
const KIND_OF_REASON: Readonly<Partial<Record<StepReason["kind"], GraphEdge["kind"]>>> = {
  forward: "forward",
  return: "forward",
  loop: "loop",
  failure: "failure",
  unblock: "blocked",
  gate: "gate",
};

/**
 * Counts each edge that was taken, including those that a person opened. Returns how often each end node was reached.
 */
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
  // Retries, and steps that a person starts again, take no edge.
  if (kind === undefined || (from === agent && kind !== "loop" && kind !== "gate")) return;
  way(ways, from, agent, kind).taken++;
}

interface NodePosition {
  readonly x: number;
  readonly y: number;
}

interface Arrow {
  readonly from: string;
  readonly to: string;
}

const COLUMN = 240;
const ROW = 110;

/**
 * Layers from left to right: each node is one layer after its last predecessor, with back edges left out. Within a
 * layer, nodes are ordered by the rows of their predecessors. The end nodes are in the last layer.
 */
function placeNodes(
  names: readonly string[],
  arrows: readonly Arrow[],
  ends: readonly string[],
): Map<string, NodePosition> {
  const inner = names.filter((name) => !ends.includes(name));
  const layers = layersOf(inner, withoutWaysBack(inner, arrows));
  const last = Math.max(0, ...layers.values()) + 1;
  for (const name of names) if (ends.includes(name)) layers.set(name, last);
  const places = new Map<string, NodePosition>();
  for (let layer = 0; layer <= last; layer++) {
    const column = names.filter((name) => layers.get(name) === layer);
    const wish = (name: string): number => meanRow(name, arrows, places);
    column.sort((left, right) => wish(left) - wish(right));
    for (const [row, name] of column.entries())
      places.set(name, { x: layer * COLUMN, y: Math.round((row - (column.length - 1) / 2) * ROW) });
  }
  return lifted(places);
}

/** Mean row of the predecessors; 0 for a node without any, which keeps its order in the file. */
function meanRow(name: string, arrows: readonly Arrow[], places: ReadonlyMap<string, NodePosition>): number {
  const rows = arrows.flatMap(({ from, to }) => (to === name ? [places.get(from)?.y ?? 0] : []));
  return rows.length === 0 ? 0 : rows.reduce((sum, row) => sum + row, 0) / rows.length;
}

/** Depth-first search in the order of the file. An edge to a node that is still on the stack is a back edge. */
function withoutWaysBack(names: readonly string[], arrows: readonly Arrow[]): Arrow[] {
  const kept: Arrow[] = [];
  const seen = new Set<string>();
  const walking = new Set<string>();
  const walk = (name: string): void => {
    seen.add(name);
    walking.add(name);
    for (const arrow of arrows) {
      if (arrow.from !== name || !names.includes(arrow.to) || walking.has(arrow.to)) continue;
      kept.push(arrow);
      if (!seen.has(arrow.to)) walk(arrow.to);
    }
    walking.delete(name);
  };
  for (const name of names) if (!seen.has(name)) walk(name);
  return kept;
}

function layersOf(names: readonly string[], arrows: readonly Arrow[]): Map<string, number> {
  const layers = new Map(names.map((name) => [name, name === "start" ? 0 : 1]));
  // Without back edges no path is longer than the number of nodes, so this many rounds suffice.
  for (let round = 0; round < names.length; round++) {
    let moved = false;
    for (const { from, to } of arrows) {
      const wanted = (layers.get(from) ?? 0) + 1;
      if (wanted <= (layers.get(to) ?? 0)) continue;
      layers.set(to, wanted);
      moved = true;
    }
    if (!moved) break;
  }
  return layers;
}

/** Shifts all nodes so that the topmost is at zero. */
function lifted(places: ReadonlyMap<string, NodePosition>): Map<string, NodePosition> {
  const top = Math.min(0, ...[...places.values()].map(({ y }) => y));
  return new Map([...places].map(([name, { x, y }]) => [name, { x, y: y - top }]));
}
