import type { NodeId, Subgraph } from "../../ports/knowledge-store.ts";
import { integerOf, type Row, textColumn } from "../sqlite/rows.ts";
import { storedFact } from "./fact-rows.ts";
import {
  bounded,
  type Edge,
  edgesOfFact,
  edgesOfTask,
  edgesTo,
  factNode,
  MAX_WALK,
  splitNode,
  splitTask,
  type Surroundings,
  taskNode,
  Walk,
} from "./graph-nodes.ts";
import { factsWithTag } from "./list-tasks.ts";
import type { KnowledgeStatements } from "./statements.ts";
import { numbersOf, storedFactOf } from "./stored-fact.ts";

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

function exists(statements: KnowledgeStatements, node: NodeId): boolean {
  const [kind, name] = splitNode(node);
  if (kind === "fact") return statements.factById.get(name) !== undefined;
  if (kind === "task") return statements.task.get(...splitTask(name)) !== undefined;
  return neighboursOf(statements, node, 1).edges.length > 0;
}

function labelOf(statements: KnowledgeStatements, node: NodeId): string {
  const [kind, name] = splitNode(node);
  const row = kind === "fact" ? statements.factById.get(name) : undefined;
  if (row !== undefined) return storedFactOf(row).factText.text;
  const task = kind === "task" ? statements.task.get(...splitTask(name)) : undefined;
  return task === undefined ? name : textColumn(task, "name");
}

function neighboursOf(statements: KnowledgeStatements, node: NodeId, max: number): Surroundings {
  return bounded(edgesAround(statements, node, max + 1), max);
}

function edgesAround(statements: KnowledgeStatements, node: NodeId, limit: number): Edge[][] {
  const [kind, name] = splitNode(node);
  switch (kind) {
    case "fact":
      return aroundFact(statements, node, name, limit);
    case "task":
      return aroundTask(statements, node, splitTask(name), limit);
    case "run":
      return [edgesTo(node, "part of", statements.tasksOfRun.all(name, limit).map(knownTaskNode))];
    case "agent":
      return [
        edgesTo(node, "done by", statements.tasksOfAgent.all(name, limit).map(taskNode)),
        edgesTo(node, "said by", factNodes(statements, statements.factsOfAgent.all(name, limit))),
      ];
    case "file":
      return [
        edgesTo(node, "about", factNodes(statements, statements.factsOfFile.all(name, limit))),
        edgesTo(node, "changed", statements.tasksOfFile.all(name, limit).map(taskNode)),
      ];
    case "tag":
      return [
        edgesTo(
          node,
          "tagged",
          factsWithTag(statements, name, limit).map((fact) => nodeOf(statements, fact)),
        ),
      ];
  }
}

function aroundFact(statements: KnowledgeStatements, node: NodeId, id: string, limit: number): Edge[][] {
  const row = statements.factById.get(id);
  if (row === undefined) return [];
  const fact = storedFactOf(row);
  const { number, mergedInto } = fact;
  const idOf = (other: number): string => storedFact(statements, other).id;
  return edgesOfFact(node, fact, {
    tasks: statements.tasksOfFact.all(number, limit),
    agents: statements.agentsOfFact.all(number, limit),
    opposites: statements.opposites.all(number).map((other) => idOf(integerOf(other, "other"))),
    mergedInto: mergedInto === null ? [] : [idOf(mergedInto)],
    mergedFrom: statements.mergedInto.all(number, limit).map((merged) => textColumn(merged, "id")),
  });
}

function aroundTask(
  statements: KnowledgeStatements,
  node: NodeId,
  [run, id]: readonly [string, string],
  limit: number,
): Edge[][] {
  const facts = numbersOf(statements.factsOfTask.all(id, run, limit));
  return edgesOfTask(node, run, {
    facts: facts.map((number) => storedFact(statements, number).id),
    agents: statements.agentsOfTask.all(id, run, limit),
    needs: statements.needs.all(run, id).map((row) => textColumn(row, "needs")),
    dependents: statements.dependents.all(run, id, limit),
    files: statements.filesOfTask.all(id, run, limit),
  });
}

function knownTaskNode(row: Row): NodeId {
  return `task:${textColumn(row, "run")}/${textColumn(row, "id")}`;
}

function factNodes(statements: KnowledgeStatements, rows: readonly Row[]): NodeId[] {
  return numbersOf(rows).map((number) => nodeOf(statements, number));
}

function nodeOf(statements: KnowledgeStatements, number: number): NodeId {
  return factNode(storedFact(statements, number).id);
}
