import { type GraphFormat, renderFactGraph } from "../../knowledge/print-graph.ts";
import type { NodeId, Subgraph } from "../../ports/knowledge-store.ts";
import type { Ports } from "../../ports/ports.ts";
import { AppError } from "../../shared/app-error.ts";

export { GRAPH_FORMATS, type GraphFormat } from "../../knowledge/print-graph.ts";

interface DrawRequest {
  /** `fact:pattern-001`, or just `pattern-001`, `task-3`, `src/a.ts`, `auth`; null for the newest run. */
  readonly node: string | null;
  readonly depth: number | null;
  readonly max: number;
  readonly format: GraphFormat;
}

interface DrawnKnowledge {
  readonly text: string;
  readonly nodes: number;
  readonly isCut: boolean;
}

/** The neighbourhood of a node; it has no nodes while nothing is known. */
export async function drawKnowledge(ports: Ports, request: DrawRequest): Promise<DrawnKnowledge> {
  const { node, depth, max, format } = request;
  const start = node === null ? await newestRun(ports) : await findNode(ports, node);
  const steps = depth ?? (node === null ? 2 : 1);
  const graph = start === null ? NOTHING : await ports.knowledge.neighbours(start, steps, max);
  return { text: renderFactGraph(graph, format), nodes: graph.nodes.length, isCut: graph.isCut };
}

const NOTHING: Subgraph = { nodes: [], edges: [], isCut: false };

async function newestRun({ knowledge }: Ports): Promise<NodeId | null> {
  const [task] = await knowledge.tasks({ max: 1 });
  return task === undefined ? null : `run:${task.run}`;
}

async function findNode(ports: Ports, name: string): Promise<NodeId> {
  for (const node of await meanings(ports, name)) {
    const { nodes } = await ports.knowledge.neighbours(node, 0, 1);
    if (nodes.length > 0) return node;
  }
  throw new AppError(
    "no-match",
    `Nothing is known under the name ${name}.`,
    "Name a fact (pattern-001), a task, a run, an agent, a file or a tag; task:RUN/ID or file:PATH when it could be several.",
  );
}

const MAX_TASKS = 1_000;

/** The nodes that a name can refer to, most likely first. */
async function meanings({ knowledge }: Ports, name: string): Promise<NodeId[]> {
  if (/^(?:fact|task|run|agent|file|tag):/.test(name)) return [name as NodeId];
  const tasks = (await knowledge.tasks({ max: MAX_TASKS })).filter(({ id }) => id === name);
  return [
    `fact:${name}`,
    ...tasks.map(({ run, id }): NodeId => `task:${run}/${id}`),
    `run:${name}`,
    `file:${name}`,
    `agent:${name}`,
    `tag:${name}`,
  ];
}
