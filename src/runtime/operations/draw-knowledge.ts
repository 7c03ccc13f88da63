import { type GraphFormat, printGraph } from "../../knowledge/print-graph.ts";
import type { NodeId, Subgraph } from "../../ports/knowledge-store.ts";
import type { Machine } from "../../ports/machine.ts";
import { AppError } from "../../shared/app-error.ts";

export { GRAPH_FORMATS, type GraphFormat } from "../../knowledge/print-graph.ts";

export interface DrawRequest {
  /** `fact:pattern-001`, or only `pattern-001`, `task-3`, `src/a.ts`, `auth`; the newest run when it is null. */
  readonly node: string | null;
  readonly depth: number | null;
  readonly most: number;
  readonly format: GraphFormat;
}

export interface DrawnKnowledge {
  readonly text: string;
  readonly nodes: number;
  readonly isCut: boolean;
}

/** What stands around a node; without nodes when nothing is known yet. */
export async function drawKnowledge(machine: Machine, request: DrawRequest): Promise<DrawnKnowledge> {
  const { node, depth, most, format } = request;
  const start = node === null ? await newestRun(machine) : await findNode(machine, node);
  const steps = depth ?? (node === null ? 2 : 1);
  const graph = start === null ? NOTHING : await machine.knowledge.neighbours(start, steps, most);
  return { text: printGraph(graph, format), nodes: graph.nodes.length, isCut: graph.isCut };
}

const NOTHING: Subgraph = { nodes: [], edges: [], isCut: false };

async function newestRun({ knowledge }: Machine): Promise<NodeId | null> {
  const [task] = await knowledge.tasks({ most: 1 });
  return task === undefined ? null : `run:${task.run}`;
}

async function findNode(machine: Machine, name: string): Promise<NodeId> {
  for (const node of await meanings(machine, name)) {
    const { nodes } = await machine.knowledge.neighbours(node, 0, 1);
    if (nodes.length > 0) return node;
  }
  throw new AppError(
    "no-match",
    `Nothing is known under the name ${name}.`,
    "Name a fact (pattern-001), a task, a run, an agent, a file or a tag; task:RUN/ID or file:PATH when it could be several.",
  );
}

const MOST_TASKS = 1_000;

/** What a name can stand for, the likeliest first. */
async function meanings({ knowledge }: Machine, name: string): Promise<NodeId[]> {
  if (/^(?:fact|task|run|agent|file|tag):/.test(name)) return [name as NodeId];
  const tasks = (await knowledge.tasks({ most: MOST_TASKS })).filter(({ id }) => id === name);
  return [
    `fact:${name}`,
    ...tasks.map(({ run, id }): NodeId => `task:${run}/${id}`),
    `run:${name}`,
    `file:${name}`,
    `agent:${name}`,
    `tag:${name}`,
  ];
}
