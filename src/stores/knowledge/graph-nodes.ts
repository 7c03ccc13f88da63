import type { NodeId, Subgraph } from "../../ports/knowledge-store.ts";
import { type Row, textColumn } from "../sqlite/rows.ts";
import type { StoredFact } from "./stored-fact.ts";

/** The graph as every store walks it: its nodes, its edges, and how far a walk has come. */

export type Edge = Subgraph["edges"][number];

/** One step from a node. */
export interface Surroundings {
  readonly edges: readonly Edge[];
  readonly isCut: boolean;
}

export const MAX_WALK = 20;

/** The nodes and edges found so far. */
export class Walk {
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

export type NodeKind = "fact" | "task" | "run" | "agent" | "file" | "tag";

export function splitNode(node: NodeId): readonly [kind: NodeKind, name: string] {
  const at = node.indexOf(":");
  return [node.slice(0, at) as NodeKind, node.slice(at + 1)];
}

/** `RUN/ID`: the id of a run has no slash, that of a task may. */
export function splitTask(name: string): readonly [run: string, id: string] {
  const at = name.indexOf("/");
  return at < 0 ? ["", name] : [name.slice(0, at), name.slice(at + 1)];
}

/** Lists of edges of which each has up to one more than `max`, to know whether there are more. */
export function bounded(lists: readonly (readonly Edge[])[], max: number): Surroundings {
  return { edges: lists.flatMap((list) => list.slice(0, max)), isCut: lists.some((list) => list.length > max) };
}

export function edgesTo(node: NodeId, as: string, from: readonly NodeId[]): Edge[] {
  return from.map((other) => ({ from: other, to: node, as }));
}

function edgesFrom(node: NodeId, as: string, to: readonly NodeId[]): Edge[] {
  return to.map((other) => ({ from: node, to: other, as }));
}

interface AroundFact {
  readonly tasks: readonly Row[];
  readonly agents: readonly Row[];
  /** Ids of facts. */
  readonly opposites: readonly string[];
  readonly mergedInto: readonly string[];
  readonly mergedFrom: readonly string[];
}

export function edgesOfFact(node: NodeId, { factText }: StoredFact, around: AroundFact): Edge[][] {
  const files = factText.files.map((path): NodeId => `file:${path}`);
  const tags = factText.tags.map((tag): NodeId => `tag:${tag}`);
  return [
    edgesFrom(node, "said in", around.tasks.map(taskNode)),
    edgesFrom(node, "said by", namedNodes("agent", around.agents)),
    edgesFrom(node, "about", files),
    edgesFrom(node, "tagged", tags),
    around.opposites.map((id) => opposition(node, factNode(id))),
    edgesFrom(node, "merged into", around.mergedInto.map(factNode)),
    edgesTo(node, "merged into", around.mergedFrom.map(factNode)),
  ];
}

/** The relation goes both ways and is drawn once. */
function opposition(left: NodeId, right: NodeId): Edge {
  return left < right ? { from: left, to: right, as: "opposes" } : { from: right, to: left, as: "opposes" };
}

interface AroundTask {
  /** Ids of facts. */
  readonly facts: readonly string[];
  readonly agents: readonly Row[];
  /** Ids of tasks of the run. */
  readonly needs: readonly string[];
  readonly dependents: readonly Row[];
  readonly files: readonly Row[];
}

export function edgesOfTask(node: NodeId, run: string, around: AroundTask): Edge[][] {
  const needs = around.needs.map((id): NodeId => `task:${run}/${id}`);
  return [
    edgesTo(node, "said in", around.facts.map(factNode)),
    edgesFrom(node, "part of", [`run:${run}`]),
    edgesFrom(node, "done by", namedNodes("agent", around.agents)),
    edgesFrom(node, "depends on", needs),
    edgesTo(node, "depends on", around.dependents.map(taskNode)),
    edgesFrom(node, "changed", namedNodes("file", around.files)),
  ];
}

function namedNodes(kind: "agent" | "file", rows: readonly Row[]): NodeId[] {
  return rows.map((row): NodeId => `${kind}:${textColumn(row, "name")}`);
}

export function factNode(id: string): NodeId {
  return `fact:${id}`;
}

/** Of a row with `run` and `task`. */
export function taskNode(row: Row): NodeId {
  return `task:${textColumn(row, "run")}/${textColumn(row, "task")}`;
}
