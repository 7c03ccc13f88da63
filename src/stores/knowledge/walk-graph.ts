import type { NodeId, Subgraph } from "../../ports/knowledge-store.ts";
import { integerOf, type Row, textColumn } from "../sqlite/rows.ts";
import { storedFact } from "./fact-rows.ts";
import { numbersOf, storedFactOf } from "./stored-fact.ts";
import { factsWithTag } from "./list-tasks.ts";
import type { KnowledgeStatements } from "./statements.ts";

type Edge = Subgraph["edges"][number];

/** One step from a node. */
interface Surroundings {
  readonly edges: readonly Edge[];
  readonly isCut: boolean;
}

const MAX_WALK = 20;

/** Breadth first. */
export function walkGraph(statements: KnowledgeStatements, start: NodeId, depth: number, max: number): Subgraph {
  const walk = new Walk(max);
  let border = exists(statements, start) ? walk.reach(start) : [];
  for (let step = 0; step < Math.min(depth, MAX_WALK) && border.length > 0; step++) {
    border = border.flatMap((node) => walk.lookAround(node, neighboursOf(statements, node, max)));
  }
  const nodes = [...walk.nodes].map((id) => ({ id, label: labelOf(statements, id) }));
  return { nodes, edges: [...walk.edges.values()], isCut: walk.isCut };
}

/** The nodes and edges found so far. */
class Walk {
  readonly nodes = new Set<NodeId>();
  readonly edges = new Map<string, Edge>();
  isCut = false;
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  /** Returns the nodes that are new. */
  lookAround(node: NodeId, around: Surroundings): NodeId[] {
    this.isCut ||= around.isCut;
    return around.edges.flatMap((edge) => {
      const other = edge.from === node ? edge.to : edge.from;
      const met = this.reach(other);
      if (this.nodes.has(other)) this.edges.set(JSON.stringify([edge.from, edge.as, edge.to]), edge);
      return met;
    });
  }

  /** Returns the node if it is new and the limit is not reached. */
  reach(node: NodeId): NodeId[] {
    if (this.nodes.has(node)) return [];
    if (this.nodes.size >= this.#max) {
      this.isCut = true;
      return [];
    }
    this.nodes.add(node);
    return [node];
  }
}

type Kind = "fact" | "task" | "run" | "agent" | "file" | "tag";

function split(node: NodeId): readonly [kind: Kind, name: string] {
  const at = node.indexOf(":");
  return [node.slice(0, at) as Kind, node.slice(at + 1)];
}

/** `RUN/ID`: the id of a run has no slash, that of a task may. */
function splitTask(name: string): readonly [run: string, id: string] {
  const at = name.indexOf("/");
  return at < 0 ? ["", name] : [name.slice(0, at), name.slice(at + 1)];
}

function exists(statements: KnowledgeStatements, node: NodeId): boolean {
  const [kind, name] = split(node);
  if (kind === "fact") return statements.factById.get(name) !== undefined;
  if (kind === "task") return statements.task.get(...splitTask(name)) !== undefined;
  return neighboursOf(statements, node, 1).edges.length > 0;
}

function labelOf(statements: KnowledgeStatements, node: NodeId): string {
  const [kind, name] = split(node);
  const row = kind === "fact" ? statements.factById.get(name) : undefined;
  if (row !== undefined) return storedFactOf(row).factText.text;
  const task = kind === "task" ? statements.task.get(...splitTask(name)) : undefined;
  return task === undefined ? name : textColumn(task, "name");
}

function neighboursOf(statements: KnowledgeStatements, node: NodeId, max: number): Surroundings {
  const [kind, name] = split(node);
  // Reads one more than needed, to know whether there are more.
  const limit = max + 1;
  switch (kind) {
    case "fact":
      return bounded(aroundFact(statements, node, name, limit), max);
    case "task":
      return bounded(aroundTask(statements, node, splitTask(name), limit), max);
    case "run":
      return bounded([edgesTo(node, "part of", statements.tasksOfRun.all(name, limit).map(knownTaskNode))], max);
    case "agent":
      return bounded(
        [
          edgesTo(node, "done by", statements.tasksOfAgent.all(name, limit).map(taskNode)),
          edgesTo(node, "said by", factNodes(statements, numbersOf(statements.factsOfAgent.all(name, limit)))),
        ],
        max,
      );
    case "file":
      return bounded(
        [
          edgesTo(node, "about", factNodes(statements, numbersOf(statements.factsOfFile.all(name, limit)))),
          edgesTo(node, "changed", statements.tasksOfFile.all(name, limit).map(taskNode)),
        ],
        max,
      );
    case "tag":
      return bounded([edgesTo(node, "tagged", factNodes(statements, factsWithTag(statements, name, limit)))], max);
  }
}

function bounded(lists: readonly (readonly Edge[])[], max: number): Surroundings {
  return { edges: lists.flatMap((list) => list.slice(0, max)), isCut: lists.some((list) => list.length > max) };
}

function edgesTo(node: NodeId, as: string, from: readonly NodeId[]): Edge[] {
  return from.map((other) => ({ from: other, to: node, as }));
}

function edgesFrom(node: NodeId, as: string, to: readonly NodeId[]): Edge[] {
  return to.map((other) => ({ from: node, to: other, as }));
}

function aroundFact(statements: KnowledgeStatements, node: NodeId, id: string, limit: number): Edge[][] {
  const row = statements.factById.get(id);
  if (row === undefined) return [];
  const { number, mergedInto, factText } = storedFactOf(row);
  const into = mergedInto === null ? [] : factNodes(statements, [mergedInto]);
  const opposites = statements.opposites.all(number).map((other) => integerOf(other, "other"));
  return [
    edgesFrom(node, "said in", statements.tasksOfFact.all(number, limit).map(taskNode)),
    edgesFrom(node, "said by", names("agent", statements.agentsOfFact.all(number, limit))),
    edgesFrom(
      node,
      "about",
      factText.files.map((path): NodeId => `file:${path}`),
    ),
    edgesFrom(
      node,
      "tagged",
      factText.tags.map((tag): NodeId => `tag:${tag}`),
    ),
    factNodes(statements, opposites).map((other) => opposition(node, other)),
    edgesFrom(node, "merged into", into),
    edgesTo(
      node,
      "merged into",
      statements.mergedInto.all(number, limit).map((merged): NodeId => `fact:${textColumn(merged, "id")}`),
    ),
  ];
}

/** The relation goes both ways and is drawn once. */
function opposition(left: NodeId, right: NodeId): Edge {
  return left < right ? { from: left, to: right, as: "opposes" } : { from: right, to: left, as: "opposes" };
}

function aroundTask(
  statements: KnowledgeStatements,
  node: NodeId,
  [run, id]: readonly [string, string],
  limit: number,
): Edge[][] {
  const needs = statements.needs.all(run, id).map((row): NodeId => `task:${run}/${textColumn(row, "needs")}`);
  return [
    edgesTo(node, "said in", factNodes(statements, numbersOf(statements.factsOfTask.all(id, run, limit)))),
    edgesFrom(node, "part of", [`run:${run}`]),
    edgesFrom(node, "done by", names("agent", statements.agentsOfTask.all(id, run, limit))),
    edgesFrom(node, "depends on", needs),
    edgesTo(node, "depends on", statements.dependents.all(run, id, limit).map(taskNode)),
    edgesFrom(node, "changed", names("file", statements.filesOfTask.all(id, run, limit))),
  ];
}

function names(kind: "agent" | "file", rows: readonly Row[]): NodeId[] {
  return rows.map((row): NodeId => `${kind}:${textColumn(row, "name")}`);
}

function taskNode(row: Row): NodeId {
  return `task:${textColumn(row, "run")}/${textColumn(row, "task")}`;
}

function knownTaskNode(row: Row): NodeId {
  return `task:${textColumn(row, "run")}/${textColumn(row, "id")}`;
}

function factNodes(statements: KnowledgeStatements, numbers: readonly number[]): NodeId[] {
  return numbers.map((number): NodeId => `fact:${storedFact(statements, number).id}`);
}
