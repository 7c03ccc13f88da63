import type { NodeId, Subgraph } from "../../ports/knowledge-store.ts";
import { integerOf, type Row, textOf } from "../sqlite/rows.ts";
import { numbersOf, storedFact, storedFactOf } from "./fact-rows.ts";
import { factsWithTag } from "./list-tasks.ts";
import type { Statements } from "./statements.ts";

type Edge = Subgraph["edges"][number];

/** One step from a node. */
interface Surroundings {
  readonly edges: readonly Edge[];
  readonly isCut: boolean;
}

const LONGEST_WALK = 20;

/** Breadth first. */
export function walkGraph(statements: Statements, start: NodeId, depth: number, most: number): Subgraph {
  const walk = new Walk(most);
  let border = exists(statements, start) ? walk.reach(start) : [];
  for (let step = 0; step < Math.min(depth, LONGEST_WALK) && border.length > 0; step++) {
    border = border.flatMap((node) => walk.lookAround(node, surroundings(statements, node, most)));
  }
  const nodes = [...walk.nodes].map((id) => ({ id, label: labelOf(statements, id) }));
  return { nodes, edges: [...walk.edges.values()], isCut: walk.isCut };
}

/** What was met so far. */
class Walk {
  readonly nodes = new Set<NodeId>();
  readonly edges = new Map<string, Edge>();
  isCut = false;
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  /** Gives the nodes that nobody had met before. */
  lookAround(node: NodeId, around: Surroundings): NodeId[] {
    this.isCut ||= around.isCut;
    return around.edges.flatMap((edge) => {
      const other = edge.from === node ? edge.to : edge.from;
      const met = this.reach(other);
      if (this.nodes.has(other)) this.edges.set(JSON.stringify([edge.from, edge.as, edge.to]), edge);
      return met;
    });
  }

  /** Gives the node if it is new and there is room for it. */
  reach(node: NodeId): NodeId[] {
    if (this.nodes.has(node)) return [];
    if (this.nodes.size >= this.#most) {
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

/** `RUN/ID`: no run has a slash in its name, a task may. */
function splitTask(name: string): readonly [run: string, id: string] {
  const at = name.indexOf("/");
  return at < 0 ? ["", name] : [name.slice(0, at), name.slice(at + 1)];
}

function exists(statements: Statements, node: NodeId): boolean {
  const [kind, name] = split(node);
  if (kind === "fact") return statements.factById.get(name) !== undefined;
  if (kind === "task") return statements.task.get(...splitTask(name)) !== undefined;
  return surroundings(statements, node, 1).edges.length > 0;
}

function labelOf(statements: Statements, node: NodeId): string {
  const [kind, name] = split(node);
  const row = kind === "fact" ? statements.factById.get(name) : undefined;
  if (row !== undefined) return storedFactOf(row).saying.text;
  const task = kind === "task" ? statements.task.get(...splitTask(name)) : undefined;
  return task === undefined ? name : textOf(task, "name");
}

function surroundings(statements: Statements, node: NodeId, most: number): Surroundings {
  const [kind, name] = split(node);
  // One more than wanted is asked for: then it is known that there was more.
  const limit = most + 1;
  switch (kind) {
    case "fact":
      return bounded(aroundFact(statements, node, name, limit), most);
    case "task":
      return bounded(aroundTask(statements, node, splitTask(name), limit), most);
    case "run":
      return bounded([edgesTo(node, "part of", statements.tasksOfRun.all(name, limit).map(knownTaskNode))], most);
    case "agent":
      return bounded(
        [
          edgesTo(node, "done by", statements.tasksOfAgent.all(name, limit).map(taskNode)),
          edgesTo(node, "said by", factNodes(statements, numbersOf(statements.factsOfAgent.all(name, limit)))),
        ],
        most,
      );
    case "file":
      return bounded(
        [
          edgesTo(node, "about", factNodes(statements, numbersOf(statements.factsOfFile.all(name, limit)))),
          edgesTo(node, "changed", statements.tasksOfFile.all(name, limit).map(taskNode)),
        ],
        most,
      );
    case "tag":
      return bounded([edgesTo(node, "tagged", factNodes(statements, factsWithTag(statements, name, limit)))], most);
    default:
      return { edges: [], isCut: false };
  }
}

function bounded(lists: readonly (readonly Edge[])[], most: number): Surroundings {
  return { edges: lists.flatMap((list) => list.slice(0, most)), isCut: lists.some((list) => list.length > most) };
}

function edgesTo(node: NodeId, as: string, from: readonly NodeId[]): Edge[] {
  return from.map((other) => ({ from: other, to: node, as }));
}

function edgesFrom(node: NodeId, as: string, to: readonly NodeId[]): Edge[] {
  return to.map((other) => ({ from: node, to: other, as }));
}

function aroundFact(statements: Statements, node: NodeId, id: string, limit: number): Edge[][] {
  const row = statements.factById.get(id);
  if (row === undefined) return [];
  const { number, mergedInto, saying } = storedFactOf(row);
  const into = mergedInto === null ? [] : factNodes(statements, [mergedInto]);
  const opposites = statements.opposites.all(number).map((other) => integerOf(other, "other"));
  return [
    edgesFrom(node, "said in", statements.tasksOfFact.all(number, limit).map(taskNode)),
    edgesFrom(node, "said by", names("agent", statements.agentsOfFact.all(number, limit))),
    edgesFrom(
      node,
      "about",
      saying.files.map((path): NodeId => `file:${path}`),
    ),
    edgesFrom(
      node,
      "tagged",
      saying.tags.map((tag): NodeId => `tag:${tag}`),
    ),
    factNodes(statements, opposites).map((other) => opposition(node, other)),
    edgesFrom(node, "merged into", into),
    edgesTo(
      node,
      "merged into",
      statements.mergedInto.all(number, limit).map((merged): NodeId => `fact:${textOf(merged, "id")}`),
    ),
  ];
}

/** It goes both ways and is drawn once. */
function opposition(left: NodeId, right: NodeId): Edge {
  return left < right ? { from: left, to: right, as: "opposes" } : { from: right, to: left, as: "opposes" };
}

function aroundTask(
  statements: Statements,
  node: NodeId,
  [run, id]: readonly [string, string],
  limit: number,
): Edge[][] {
  const needs = statements.needs.all(run, id).map((row): NodeId => `task:${run}/${textOf(row, "needs")}`);
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
  return rows.map((row): NodeId => `${kind}:${textOf(row, "name")}`);
}

function taskNode(row: Row): NodeId {
  return `task:${textOf(row, "run")}/${textOf(row, "task")}`;
}

function knownTaskNode(row: Row): NodeId {
  return `task:${textOf(row, "run")}/${textOf(row, "id")}`;
}

function factNodes(statements: Statements, numbers: readonly number[]): NodeId[] {
  return numbers.map((number): NodeId => `fact:${storedFact(statements, number).id}`);
}
