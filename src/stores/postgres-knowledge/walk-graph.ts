import type { NodeId, Subgraph } from "../../ports/knowledge-store.ts";
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
} from "../knowledge/graph-nodes.ts";
import { storedFactOf } from "../knowledge/stored-fact.ts";
import { bytesOf, type Row, textColumn } from "../sqlite/rows.ts";
import { markGroups } from "../knowledge/rank-facts.ts";
import { findFactsSql } from "./find-facts.ts";
import type { KnowledgeDatabase } from "./knowledge-database.ts";
import { listSql } from "./list-tasks.ts";
import { factSql } from "./read-facts.ts";
import { tokenStatistics } from "./look-up-tokens.ts";
import { keyOf } from "./tables.ts";

function graphSql(t: string) {
  const said = `${t}lessons l JOIN ${t}witnesses w ON w.lesson = l.number JOIN ${t}facts f ON f.number = w.fact`;
  return {
    opposites: `SELECT f.id FROM ${t}opposites o JOIN ${t}facts f ON f.number = o.other WHERE o.fact = $1 ORDER BY o.other`,
    mergedFrom: `SELECT id FROM ${t}facts WHERE merged_into = $1 ORDER BY number DESC LIMIT $2`,
    idOfNumber: `SELECT id FROM ${t}facts WHERE number = $1`,
    agentsOfFact: `SELECT DISTINCT l.agent AS name FROM ${t}witnesses w JOIN ${t}lessons l ON l.number = w.lesson
      WHERE w.fact = $1 LIMIT $2`,
    factsOfTask: `SELECT DISTINCT f.number, f.id FROM ${said} WHERE l.task_key = $1 ORDER BY f.number DESC LIMIT $2`,
    agentsOfTask: `SELECT DISTINCT agent AS name FROM ${t}lessons WHERE task_key = $1 LIMIT $2`,
    filesOfTask: `SELECT DISTINCT t.path AS name FROM ${t}lessons l JOIN ${t}touches t ON t.lesson = l.number
      WHERE l.task_key = $1 LIMIT $2`,
    dependents: `SELECT run, task FROM ${t}dependencies WHERE needs_key = $1 LIMIT $2`,
    tasksOfAgent: `SELECT run, task FROM ${t}lessons WHERE agent_key = $1 ORDER BY number DESC LIMIT $2`,
    factsOfAgent: `SELECT f.id FROM ${said} WHERE l.agent_key = $1 ORDER BY l.number DESC LIMIT $2`,
    factsOfFile: `SELECT f.id FROM ${t}fact_files p JOIN ${t}facts f ON f.number = p.fact
      WHERE p.path_key = $1 ORDER BY p.fact DESC LIMIT $2`,
    tasksOfFile: `SELECT l.run, l.task FROM ${t}touches t JOIN ${t}lessons l ON l.number = t.lesson
      WHERE t.path_key = $1 ORDER BY t.lesson DESC LIMIT $2`,
  };
}

/** Breadth first. All nodes of the same distance are looked at together. */
export async function walkPostgresGraph(
  database: KnowledgeDatabase,
  start: NodeId,
  depth: number,
  max: number,
): Promise<Subgraph> {
  const walk = new Walk(max);
  let border = (await exists(database, start)) ? walk.reach(start) : [];
  for (let step = 0; step < Math.min(depth, MAX_WALK) && border.length > 0; step++) {
    const around = await Promise.all(border.map((node) => neighboursOf(database, node, max)));
    border = border.flatMap((node, at) => walk.lookAround(node, around[at] ?? { edges: [], isCut: false }));
  }
  const nodes = [...walk.nodes];
  const labels = await labelsOf(database, nodes);
  return {
    nodes: nodes.map((id) => ({ id, label: labels.get(id) ?? splitNode(id)[1] })),
    edges: [...walk.edges.values()],
    isCut: walk.isCut,
  };
}

async function exists(database: KnowledgeDatabase, node: NodeId): Promise<boolean> {
  const [kind] = splitNode(node);
  if (kind === "fact" || kind === "task") return (await labelsOf(database, [node])).size > 0;
  return (await neighboursOf(database, node, 1)).edges.length > 0;
}

/** Of the facts and tasks among them. */
async function labelsOf(
  { queries, prefix }: KnowledgeDatabase,
  nodes: readonly NodeId[],
): Promise<Map<NodeId, string>> {
  const named = nodes.map((node) => [node, ...splitNode(node)] as const);
  const facts = named.flatMap(([, kind, name]) => (kind === "fact" ? [name] : []));
  const tasks = named.flatMap(([node, kind, name]) =>
    kind === "task" ? [[node, keyOf(...splitTask(name))] as const] : [],
  );
  const factRows = await queries.all(factSql(prefix).factsById, [facts]);
  const taskRows = await queries.all(listSql(prefix).tasksByKey, [tasks.map(([, key]) => key)]);
  const names = new Map(taskRows.map((row) => [bytesOf(row, "key").toString("hex"), textColumn(row, "name")]));
  return new Map<NodeId, string>([
    ...factRows.map((row): [NodeId, string] => [factNode(textColumn(row, "id")), storedFactOf(row).factText.text]),
    ...tasks.flatMap(([node, key]): [NodeId, string][] => {
      const name = names.get(key.toString("hex"));
      return name === undefined ? [] : [[node, name]];
    }),
  ]);
}

async function neighboursOf(database: KnowledgeDatabase, node: NodeId, max: number): Promise<Surroundings> {
  return bounded(await edgesAround(database, node, max + 1), max);
}

async function edgesAround(database: KnowledgeDatabase, node: NodeId, limit: number): Promise<Edge[][]> {
  const [kind, name] = splitNode(node);
  const { queries, prefix } = database;
  const sql = graphSql(prefix);
  const ask = (statement: string): Promise<Row[]> => queries.all(statement, [keyOf(name), limit]);
  switch (kind) {
    case "fact":
      return aroundFact(database, node, limit);
    case "task":
      return aroundTask(database, node, limit);
    case "run": {
      const tasks = await queries.all(listSql(prefix).tasksOfRun, [limit, keyOf(name)]);
      return [
        edgesTo(
          node,
          "part of",
          tasks.map((row): NodeId => `task:${name}/${textColumn(row, "id")}`),
        ),
      ];
    }
    case "agent":
      return [
        edgesTo(node, "done by", (await ask(sql.tasksOfAgent)).map(taskNode)),
        edgesTo(node, "said by", (await ask(sql.factsOfAgent)).map(factNodeOf)),
      ];
    case "file":
      return [
        edgesTo(node, "about", (await ask(sql.factsOfFile)).map(factNodeOf)),
        edgesTo(node, "changed", (await ask(sql.tasksOfFile)).map(taskNode)),
      ];
    case "tag":
      return [edgesTo(node, "tagged", (await factsWithTag(database, name, limit)).map(factNodeOf))];
  }
}

async function aroundFact({ queries, prefix }: KnowledgeDatabase, node: NodeId, limit: number): Promise<Edge[][]> {
  const sql = graphSql(prefix);
  const [row] = await queries.all(factSql(prefix).factsById, [[splitNode(node)[1]]]);
  if (row === undefined) return [];
  const fact = storedFactOf(row);
  const into = fact.mergedInto === null ? [] : await queries.all(sql.idOfNumber, [fact.mergedInto]);
  return edgesOfFact(node, fact, {
    tasks: await queries.all(listSql(prefix).tasksOfFacts, [[fact.number], limit]),
    agents: await queries.all(sql.agentsOfFact, [fact.number, limit]),
    opposites: (await queries.all(sql.opposites, [fact.number])).map(idOf),
    mergedInto: into.map(idOf),
    mergedFrom: (await queries.all(sql.mergedFrom, [fact.number, limit])).map(idOf),
  });
}

async function aroundTask({ queries, prefix }: KnowledgeDatabase, node: NodeId, limit: number): Promise<Edge[][]> {
  const sql = graphSql(prefix);
  const [run, id] = splitTask(splitNode(node)[1]);
  const ask = (statement: string): Promise<Row[]> => queries.all(statement, [keyOf(run, id), limit]);
  const needs = await queries.all(listSql(prefix).needs, [[keyOf(run, id)]]);
  return edgesOfTask(node, run, {
    facts: (await ask(sql.factsOfTask)).map(idOf),
    agents: await ask(sql.agentsOfTask),
    needs: needs.map((row) => textColumn(row, "needs")),
    dependents: await ask(sql.dependents),
    files: await ask(sql.filesOfTask),
  });
}

async function factsWithTag(database: KnowledgeDatabase, tag: string, max: number): Promise<Row[]> {
  const groups = markGroups({ tags: [tag] });
  const statistics = await tokenStatistics(database, groups.flat());
  const { sql, values } = findFactsSql(database.prefix, [{ groups, columns: "named", max }], statistics);
  return database.queries.all(sql, values);
}

function idOf(row: Row): string {
  return textColumn(row, "id");
}

function factNodeOf(row: Row): NodeId {
  return factNode(idOf(row));
}
