import { factLine, learnStatement } from "./learn-facts.ts";
import { setOwnValue, isRecord, type JsonRecord, type JsonValue } from "../shared/json-value.ts";
import { dateOf, utcOf, epochOf } from "../shared/utc-time.ts";
import { type Fact, type FactKind, FACT_KINDS, type LearnedFact } from "./fact.ts";
import { tagsOf, normalTag } from "./words.ts";

/** `knowledge_graph.json` (003). */
export interface GraphFile {
  readonly version: 1;
  readonly last_updated: string;
  readonly nodes: readonly KnowledgeNode[];
  /** Ids of the nodes that have a tag. */
  readonly tag_index: Readonly<Record<string, readonly string[]>>;
}

export interface KnowledgeNode {
  readonly id: string;
  readonly type: GraphNodeType;
  readonly tags: readonly string[];
  /** At most 100 characters. */
  readonly summary: string;
  /** A date. */
  readonly created: string;
  readonly file?: string;
  readonly connections?: readonly string[];
}

const GRAPH_NODE_TYPES = ["task", "decision", "pattern", "gotcha", "insight"] as const;
type GraphNodeType = (typeof GRAPH_NODE_TYPES)[number];

const MAX_NODE_SUMMARY = 100;

const MAX_ID = 200;

/** Long enough for the id of a task with the id of its run. */
function isNodeId(id: string): boolean {
  return id.length <= MAX_ID && /^[\w.@-]+$/.test(id);
}

/** Cut at a whole character. */
function summaryOf(text: string): string {
  const characters = [...text];
  if (characters.length <= MAX_NODE_SUMMARY) return text;
  return `${characters.slice(0, MAX_NODE_SUMMARY - 1).join("")}…`;
}

/** The id stands in for a missing name. */
function taskSummary({ id, name }: Pick<GraphTask, "id" | "name">): string {
  return summaryOf(factLine(name) ?? id);
}

/**
 * `task-12`; if another task has that name, the run is added; if that is taken too (`12` and `task-12` of one run), a
 * number is added.
 */
function taskName(task: Pick<GraphTask, "run" | "id">, isTaken: (name: string) => boolean): string {
  const [plain, withRun] = taskNames(task);
  if (!isTaken(plain)) return plain;
  let name = withRun;
  for (let number = 2; isTaken(name); number++) name = `${withRun}.${number}`;
  return name;
}

/** True of any name that `taskName` may have given the task, which depends on the other tasks of the file. */
function isNameOf(name: string, task: Pick<GraphTask, "run" | "id">): boolean {
  const [plain, withRun] = taskNames(task);
  return name === plain || name.replace(/\.\d+$/, "") === withRun || name === withRun;
}

function taskNames({ run, id }: Pick<GraphTask, "run" | "id">): readonly [plain: string, withRun: string] {
  const plain = id.startsWith("task-") ? id : `task-${id}`;
  return [asNodeId(plain), asNodeId(`${plain}@${run}`)];
}

/** Leaves room for a number at the end. */
function asNodeId(name: string): string {
  return name.replaceAll(/[^\w.@-]/g, "-").slice(0, MAX_ID - 8);
}

export interface GraphTask {
  readonly run: string;
  readonly id: string;
  readonly name: string;
  readonly dependsOn: readonly string[];
  readonly at: number;
}

/**
 * Facts and tasks as `knowledge_graph.json` (003). A fact is connected with the tasks that stated it, a task with those
 * it depends on, as far as they are in the file.
 */
export function exportGraph(facts: readonly Fact[], tasks: readonly GraphTask[], at: number): GraphFile {
  const names = namesOf(tasks);
  const nodes = [...tasks.map((task) => taskNode(task, names)), ...facts.map((fact) => factNode(fact, names))];
  return { version: 1, last_updated: utcOf(at), nodes, tag_index: tagIndex(nodes) };
}

/** Names by run and task. */
function namesOf(tasks: readonly GraphTask[]): Names {
  const taken = new Set<string>();
  return new Map(
    tasks.map((task) => {
      const name = taskName(task, (candidate) => taken.has(candidate));
      taken.add(name);
      return [keyOf(task.run, task.id), name];
    }),
  );
}

function keyOf(run: string, task: string): string {
  return JSON.stringify([run, task]);
}

type Names = ReadonlyMap<string, string>;

function taskNode(task: GraphTask, names: Names): KnowledgeNode {
  const { run, id, dependsOn, at } = task;
  const summary = taskSummary(task);
  const connections = dependsOn.flatMap((needed) => names.get(keyOf(run, needed)) ?? []);
  return {
    id: names.get(keyOf(run, id)) ?? id,
    type: "task",
    tags: tagsOf(undefined, summary),
    summary,
    created: dateOf(at),
    ...(connections.length === 0 ? {} : { connections }),
  };
}

/** A kind that 003 has no type for is an insight; its id still begins with the kind. */
const TYPES: Readonly<Record<FactKind, GraphNodeType>> = {
  pattern: "pattern",
  gotcha: "gotcha",
  decision: "decision",
  limitation: "insight",
  assumption: "insight",
  question: "insight",
  blocker: "insight",
  issue: "insight",
  "next-step": "insight",
};

function factNode({ id, kind, text, tags, files, citation, witnesses }: Fact, names: Names): KnowledgeNode {
  const connections = [...new Set(witnesses.flatMap(({ run, task }) => names.get(keyOf(run, task)) ?? []))];
  const file = citation?.path ?? files[0];
  return {
    id,
    type: TYPES[kind],
    tags,
    summary: summaryOf(text),
    created: dateOf(witnesses[0]?.at ?? 0),
    ...(file === undefined ? {} : { file }),
    ...(connections.length === 0 ? {} : { connections }),
  };
}

function tagIndex(nodes: readonly KnowledgeNode[]): GraphFile["tag_index"] {
  const ids = new Map<string, string[]>();
  for (const { id, tags } of nodes) for (const tag of tags) ids.set(tag, [...(ids.get(tag) ?? []), id]);
  const index: Record<string, string[]> = {};
  for (const [tag, names] of [...ids].sort(([left], [right]) => (left < right ? -1 : 1))) {
    setOwnValue(index, tag, names);
  }
  return index;
}

/** The content of a `knowledge_graph.json`. */
export interface ImportedGraph {
  readonly tasks: readonly ImportedTask[];
  readonly facts: readonly ImportedFact[];
  /** One sentence for each node that could not be read. */
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
  /** The first task that it is connected with: a file is one source, however many tasks it names. */
  readonly task: string | null;
  readonly at: number | null;
}

export const MAX_GRAPH_FILE = 16 * 1_048_576;
const MAX_NODES = 50_000;
const MAX_PROBLEMS = 100;

/** Reads the valid nodes and checks every field. The tag index of the file is ignored. */
export function importGraph(text: string): ImportedGraph {
  const nodes = nodesIn(text);
  if (typeof nodes === "string") return { tasks: [], facts: [], problems: [nodes] };
  const problems: string[] = [];
  const read = nodes.slice(0, MAX_NODES).flatMap((node, at) => {
    const result = readNode(node, at);
    if (typeof result !== "string") return [result];
    problems.push(result);
    return [];
  });
  if (nodes.length > MAX_NODES) problems.push(`Only the first ${MAX_NODES} of ${nodes.length} nodes were read.`);
  const taskIds = new Set(read.flatMap(({ type, id }) => (type === "task" ? [id] : [])));
  return {
    tasks: read.flatMap((node) => (node.type === "task" ? [taskOf(node, taskIds)] : [])),
    facts: read.flatMap((node) => (node.type === "task" ? [] : factsOf(node, taskIds))),
    problems: problems.slice(0, MAX_PROBLEMS),
  };
}

/** The nodes, or a sentence that says why there are none. */
function nodesIn(text: string): readonly JsonValue[] | string {
  if (text.length > MAX_GRAPH_FILE) return `The file has more than ${MAX_GRAPH_FILE} characters.`;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return "The file is not JSON.";
  }
  if (!isRecord(value) || !Array.isArray(value["nodes"])) return "The file has no list of nodes.";
  const { version } = value;
  return version === 1
    ? value["nodes"]
    : `The file has version ${JSON.stringify(version ?? null)}; only version 1 is supported.`;
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

/** The node, or a sentence that says what is wrong with it. */
function readNode(node: JsonValue, at: number): ReadNode | string {
  if (!isRecord(node)) return `nodes[${at}] is not an object.`;
  const { id, type, summary, created, file } = node;
  if (typeof id !== "string" || !isNodeId(id)) return `nodes[${at}] has no usable id.`;
  if (!isKnownType(type)) return `nodes[${at}] (${id}) has no known type: use ${GRAPH_NODE_TYPES.join(", ")}.`;
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

const MAX_TEXTS = 200;

function textsIn(node: JsonRecord, key: string): string[] {
  const list = node[key];
  return Array.isArray(list) ? list.slice(0, MAX_TEXTS).filter((item) => typeof item === "string") : [];
}

function taskOf({ id, summary, connections, created, at }: ReadNode, taskIds: ReadonlySet<string>): ImportedTask {
  // A name is cleaned like the text of a fact.
  const [line] = learnStatement({ kind: "next-step", where: `nodes.${at}`, text: summary });
  const dependsOn = connections.filter((other) => other !== id && taskIds.has(other));
  return { id, name: line?.text ?? id, dependsOn: [...new Set(dependsOn)], at: created };
}

function factsOf(node: ReadNode, taskIds: ReadonlySet<string>): ImportedFact[] {
  const { at, id, type, tags, summary, file, connections, created } = node;
  const statement = { kind: kindOf(id, type), where: `nodes.${at}`, text: summary, id, tags, location: file };
  const task = connections.find((other) => taskIds.has(other)) ?? null;
  // Keeps all tags: a stored fact may have more of them than one handoff can give.
  const given = [...new Set(tags.flatMap((tag) => normalTag(tag) ?? []))];
  return learnStatement(statement).map((learned) => ({
    fact: given.length === 0 ? learned : { ...learned, tags: given },
    task,
    at: created,
  }));
}

/** Our own export writes the kind into the id of an insight; an insight of another tool counts as a pattern. */
function kindOf(id: string, type: GraphNodeType): FactKind {
  return KINDS[type] ?? FACT_KINDS.find((kind) => id.startsWith(`${kind}-`)) ?? "pattern";
}

const KINDS: Readonly<Record<GraphNodeType, FactKind | null>> = {
  pattern: "pattern",
  gotcha: "gotcha",
  decision: "decision",
  insight: null,
  task: null,
};

/**
 * True of a node that was exported from this store: id, kind and summary are those of a known fact. Learning it again
 * would count one source as two.
 */
export function isKnownFact({ fact }: ImportedFact, known: Fact | null, redact: (text: string) => string): boolean {
  return known !== null && known.kind === fact.kind && factLine(redact(summaryOf(known.text))) === fact.text;
}

export function knownTaskTest(
  tasks: readonly GraphTask[],
  redact: (text: string) => string,
): (task: ImportedTask) => boolean {
  const bySummary = new Map<string, GraphTask[]>();
  for (const task of tasks) {
    const summary = factLine(redact(taskSummary(task))) ?? "";
    const same = bySummary.get(summary);
    if (same === undefined) bySummary.set(summary, [task]);
    else same.push(task);
  }
  return ({ id, name }) => (bySummary.get(name) ?? []).some((task) => isNameOf(id, task));
}
