import { isRecord, type JsonRecord, type JsonValue } from "../shared/json-value.ts";
import { epochOf } from "../shared/utc-time.ts";
import { FACT_KINDS, type FactKind, type LearnedFact } from "./fact.ts";
import { GRAPH_NODE_TYPES, type GraphNodeType, isNodeId } from "./graph-file.ts";
import { fact } from "./learn-facts.ts";
import { normalTag } from "./words.ts";

/** What a `knowledge_graph.json` teaches. */
export interface ImportedGraph {
  readonly tasks: readonly ImportedTask[];
  readonly facts: readonly ImportedFact[];
  /** What could not be taken, and why: one sentence each. */
  readonly problems: readonly string[];
}

export interface ImportedTask {
  readonly id: string;
  readonly name: string;
  readonly dependsOn: readonly string[];
  readonly at: number | null;
}

export interface ImportedFact {
  readonly fact: LearnedFact;
  /** The first of the tasks that it is connected with: a file is one witness, however many it names. */
  readonly task: string | null;
  readonly at: number | null;
}

export const LARGEST_GRAPH_FILE = 16 * 1_048_576;
const MOST_NODES = 50_000;
const MOST_PROBLEMS = 100;

/** Reads what can be read; nothing of the file is believed unseen, and its index of tags is made anew. */
export function importGraph(text: string): ImportedGraph {
  const nodes = nodesIn(text);
  if (typeof nodes === "string") return { tasks: [], facts: [], problems: [nodes] };
  const problems: string[] = [];
  const read = nodes.slice(0, MOST_NODES).flatMap((node, at) => {
    const seen = readNode(node, at);
    if (typeof seen !== "string") return [seen];
    problems.push(seen);
    return [];
  });
  if (nodes.length > MOST_NODES) problems.push(`Only the first ${MOST_NODES} of ${nodes.length} nodes were read.`);
  const taskIds = new Set(read.flatMap(({ type, id }) => (type === "task" ? [id] : [])));
  return {
    tasks: read.flatMap((node) => (node.type === "task" ? [taskOf(node, taskIds)] : [])),
    facts: read.flatMap((node) => (node.type === "task" ? [] : factsOf(node, taskIds))),
    problems: problems.slice(0, MOST_PROBLEMS),
  };
}

/** The nodes, or why there are none. */
function nodesIn(text: string): readonly JsonValue[] | string {
  if (text.length > LARGEST_GRAPH_FILE) return `The file has more than ${LARGEST_GRAPH_FILE} characters.`;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return "The file is not JSON.";
  }
  if (!isRecord(value) || !Array.isArray(value["nodes"])) return "The file has no list of nodes.";
  const { version } = value;
  return version === 1 ? value["nodes"] : `The file has version ${JSON.stringify(version ?? null)}, and 1 is known.`;
}

interface ReadNode {
  readonly at: number;
  readonly id: string;
  readonly type: GraphNodeType;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly created: number | null;
  readonly file: string | undefined;
  readonly connections: readonly string[];
}

/** Or what is wrong with it. */
function readNode(node: JsonValue, at: number): ReadNode | string {
  if (!isRecord(node)) return `nodes[${at}] is not an object.`;
  const { id, type, summary, created, file } = node;
  if (typeof id !== "string" || !isNodeId(id)) return `nodes[${at}] has no usable id.`;
  if (!isKnownType(type)) return `nodes[${at}] (${id}) is of no known type: use ${GRAPH_NODE_TYPES.join(", ")}.`;
  if (typeof summary !== "string" || summary.trim() === "") return `nodes[${at}] (${id}) has no summary.`;
  return {
    at,
    id,
    type,
    tags: textsIn(node, "tags"),
    summary,
    created: typeof created === "string" ? epochOf(created.length === 10 ? `${created}T00:00Z` : created) : null,
    file: typeof file === "string" ? file : undefined,
    connections: textsIn(node, "connections"),
  };
}

function isKnownType(type: JsonValue | undefined): type is GraphNodeType {
  return (GRAPH_NODE_TYPES as readonly unknown[]).includes(type);
}

const MOST_TEXTS = 200;

function textsIn(node: JsonRecord, key: string): string[] {
  const list = node[key];
  return Array.isArray(list) ? list.slice(0, MOST_TEXTS).filter((item) => typeof item === "string") : [];
}

function taskOf({ id, summary, connections, created, at }: ReadNode, taskIds: ReadonlySet<string>): ImportedTask {
  // The same cleaning as for facts: a name, too, is one visible line.
  const [line] = fact({ kind: "next-step", where: `nodes.${at}`, text: summary });
  const dependsOn = connections.filter((other) => other !== id && taskIds.has(other));
  return { id, name: line?.text ?? id, dependsOn: [...new Set(dependsOn)], at: created };
}

function factsOf(node: ReadNode, taskIds: ReadonlySet<string>): ImportedFact[] {
  const { at, id, type, tags, summary, file, connections, created } = node;
  const said = { kind: kindOf(id, type), where: `nodes.${at}`, text: summary, id, tags, location: file };
  const task = connections.find((other) => taskIds.has(other)) ?? null;
  // All that stand there: a fact may have gathered more of them than one handoff gives.
  const given = [...new Set(tags.flatMap((tag) => normalTag(tag) ?? []))];
  return fact(said).map((learned) => ({
    fact: given.length === 0 ? learned : { ...learned, tags: given },
    task,
    at: created,
  }));
}

/** An insight is what its id says, as we write it ourselves; of others nobody knows more than that it was noticed. */
function kindOf(id: string, type: Exclude<GraphNodeType, "task"> | GraphNodeType): FactKind {
  if (type === "pattern" || type === "gotcha" || type === "decision") return type;
  return FACT_KINDS.find((kind) => id.startsWith(`${kind}-`)) ?? "pattern";
}
