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
  type NodeKind,
  taskNode,
  Walk,
} from "../knowledge/graph-nodes.ts";
import { storedFactOf } from "../knowledge/stored-fact.ts";
import { bytesOf, integerOf, type Row, textColumn } from "../sqlite/rows.ts";
import { markGroups } from "../knowledge/rank-facts.ts";
import { findFactsSql } from "./find-facts.ts";
import type { KnowledgeDatabase } from "./knowledge-database.ts";
import { listSql } from "./list-tasks.ts";
import { factSql } from "./read-facts.ts";
import { tokenStatistics } from "./look-up-tokens.ts";
import { keyOf } from "./tables.ts";

/**
 * What stands around the node with `k.key`, at most $2 of it; `o` is the order. Asked for many nodes at once by
 * `rowsOfEach`.
 */
function graphSql(t: string) {
  const said = `${t}lessons l JOIN ${t}witnesses w ON w.lesson = l.number JOIN ${t}facts f ON f.number = w.fact`;
  return {
    tasksOfRun: `SELECT id, row_number() OVER (ORDER BY at DESC, id COLLATE "C") AS o FROM ${t}tasks
      WHERE run_key = k.key ORDER BY o LIMIT $2`,
    tasksOfAgent: `SELECT run, task, -number AS o FROM ${t}lessons WHERE agent_key = k.key ORDER BY number DESC LIMIT $2`,
    factsOfAgent: `SELECT f.id, -l.number AS o FROM ${said} WHERE l.agent_key = k.key ORDER BY l.number DESC LIMIT $2`,
    factsOfFile: `SELECT f.id, -p.fact AS o FROM ${t}fact_files p JOIN ${t}facts f ON f.number = p.fact
      WHERE p.path_key = k.key ORDER BY p.fact DESC LIMIT $2`,
    tasksOfFile: `SELECT l.run, l.task, -t.lesson AS o FROM ${t}touches t JOIN ${t}lessons l ON l.number = t.lesson
      WHERE t.path_key = k.key ORDER BY t.lesson DESC LIMIT $2`,
    factsOfTask: `SELECT DISTINCT f.id, -f.number AS o FROM ${said} WHERE l.task_key = k.key ORDER BY o LIMIT $2`,
    agentsOfTask: `SELECT DISTINCT agent AS name, 0 AS o FROM ${t}lessons WHERE task_key = k.key LIMIT $2`,
    needsOfTask: `SELECT needs, ordinal AS o FROM ${t}dependencies WHERE task_key = k.key ORDER BY ordinal LIMIT $2`,
    dependents: `SELECT run, task, 0 AS o FROM ${t}dependencies WHERE needs_key = k.key LIMIT $2`,
    filesOfTask: `SELECT DISTINCT t.path AS name, 0 AS o FROM ${t}lessons l JOIN ${t}touches t ON t.lesson = l.number
      WHERE l.task_key = k.key LIMIT $2`,
    tasksOfFact: `SELECT l.run, l.task, min(w.ordinal) AS o FROM ${t}witnesses w JOIN ${t}lessons l ON l.number = w.lesson
      WHERE w.fact = k.key GROUP BY l.run, l.task ORDER BY o LIMIT $2`,
    agentsOfFact: `SELECT DISTINCT l.agent AS name, 0 AS o FROM ${t}witnesses w JOIN ${t}lessons l ON l.number = w.lesson
      WHERE w.fact = k.key LIMIT $2`,
    oppositesOfFact: `SELECT f.id, o.other AS o FROM ${t}opposites o JOIN ${t}facts f ON f.number = o.other
      WHERE o.fact = k.key ORDER BY o.other LIMIT $2`,
    mergedInto: `SELECT i.id, 0 AS o FROM ${t}facts f JOIN ${t}facts i ON i.number = f.merged_into
      WHERE f.number = k.key LIMIT $2`,
    mergedFrom: `SELECT id, -number AS o FROM ${t}facts WHERE merged_into = k.key ORDER BY number DESC LIMIT $2`,
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
    const around = await edgesAround(database, border, max + 1);
    border = border.flatMap((node) => walk.lookAround(node, bounded(around.get(node) ?? [], max)));
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
  const around = await edgesAround(database, [node], 1);
  return (around.get(node) ?? []).some((edges) => edges.length > 0);
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

type NodeEdges = readonly (readonly [node: NodeId, edges: Edge[][]])[];

/** Reads up to `limit` edges of each kind. */
async function edgesAround(
  database: KnowledgeDatabase,
  nodes: readonly NodeId[],
  limit: number,
): Promise<Map<NodeId, Edge[][]>> {
  const around: readonly (readonly [NodeKind, (of: Around) => Promise<NodeEdges>])[] = [
    ["fact", aroundFacts],
    ["task", aroundTasks],
    ["run", aroundRuns],
    ["agent", aroundAgents],
    ["file", aroundFiles],
    ["tag", aroundTags],
  ];
  const found = await Promise.all(
    around.map(async ([kind, look]) => {
      const ofKind = nodes.filter((node) => splitNode(node)[0] === kind);
      return ofKind.length === 0 ? [] : look({ database, nodes: ofKind, limit });
    }),
  );
  return new Map(found.flat());
}

interface Around {
  readonly database: KnowledgeDatabase;
  /** Of one kind. */
  readonly nodes: readonly NodeId[];
  readonly limit: number;
}

/** The rows around each of the keys, in their order. */
async function rowsOfEach(
  { database, limit }: Around,
  inner: string,
  keys: readonly (Buffer | number)[],
): Promise<Row[][]> {
  const lists = keys.map((): Row[] => []);
  const type = typeof keys[0] === "number" ? "bigint" : "bytea";
  const sql = `SELECT k.at, s.* FROM unnest($1::${type}[]) WITH ORDINALITY k (key, at)
    CROSS JOIN LATERAL (${inner}) s ORDER BY k.at, s.o`;
  for (const row of await database.queries.all(sql, [keys, limit])) lists[integerOf(row, "at") - 1]?.push(row);
  return lists;
}

async function aroundFacts(around: Around): Promise<NodeEdges> {
  const { queries, prefix } = around.database;
  const sql = graphSql(prefix);
  const rows = await queries.all(factSql(prefix).factsById, [around.nodes.map((node) => splitNode(node)[1])]);
  const facts = rows.map(storedFactOf);
  const ofEach = (inner: string): Promise<Row[][]> =>
    rowsOfEach(
      around,
      inner,
      facts.map(({ number }) => number),
    );
  const tasks = await ofEach(sql.tasksOfFact);
  const agents = await ofEach(sql.agentsOfFact);
  const opposites = await ofEach(sql.oppositesOfFact);
  const into = await ofEach(sql.mergedInto);
  const from = await ofEach(sql.mergedFrom);
  return facts.map((fact, at) => {
    const node = factNode(fact.id);
    const edges = edgesOfFact(node, fact, {
      tasks: tasks[at] ?? [],
      agents: agents[at] ?? [],
      opposites: (opposites[at] ?? []).map(idOf),
      mergedInto: (into[at] ?? []).map(idOf),
      mergedFrom: (from[at] ?? []).map(idOf),
    });
    return [node, edges];
  });
}

async function aroundTasks(around: Around): Promise<NodeEdges> {
  const sql = graphSql(around.database.prefix);
  const names = around.nodes.map((node) => splitTask(splitNode(node)[1]));
  const ofEach = (inner: string): Promise<Row[][]> =>
    rowsOfEach(
      around,
      inner,
      names.map((name) => keyOf(...name)),
    );
  const facts = await ofEach(sql.factsOfTask);
  const agents = await ofEach(sql.agentsOfTask);
  const needs = await ofEach(sql.needsOfTask);
  const dependents = await ofEach(sql.dependents);
  const files = await ofEach(sql.filesOfTask);
  return around.nodes.map((node, at) => {
    const edges = edgesOfTask(node, names[at]?.[0] ?? "", {
      facts: (facts[at] ?? []).map(idOf),
      agents: agents[at] ?? [],
      needs: (needs[at] ?? []).map((row) => textColumn(row, "needs")),
      dependents: dependents[at] ?? [],
      files: files[at] ?? [],
    });
    return [node, edges];
  });
}

function aroundRuns(around: Around): Promise<NodeEdges> {
  const taskOfRun = (row: Row, run: string): NodeId => `task:${run}/${idOf(row)}`;
  return aroundNamed(around, [["part of", graphSql(around.database.prefix).tasksOfRun, taskOfRun]]);
}

function aroundAgents(around: Around): Promise<NodeEdges> {
  const sql = graphSql(around.database.prefix);
  return aroundNamed(around, [
    ["done by", sql.tasksOfAgent, taskNode],
    ["said by", sql.factsOfAgent, factNodeOf],
  ]);
}

function aroundFiles(around: Around): Promise<NodeEdges> {
  const sql = graphSql(around.database.prefix);
  return aroundNamed(around, [
    ["about", sql.factsOfFile, factNodeOf],
    ["changed", sql.tasksOfFile, taskNode],
  ]);
}

/** Around nodes that are known by nothing but their name: everything points to them. */
async function aroundNamed(
  around: Around,
  kinds: readonly (readonly [as: string, inner: string, nodeOf: (row: Row, name: string) => NodeId])[],
): Promise<NodeEdges> {
  const names = around.nodes.map((node) => splitNode(node)[1]);
  const edges = around.nodes.map((): Edge[][] => []);
  for (const [as, inner, nodeOf] of kinds) {
    const lists = await rowsOfEach(
      around,
      inner,
      names.map((name) => keyOf(name)),
    );
    for (const [at, node] of around.nodes.entries())
      edges[at]?.push(
        edgesTo(
          node,
          as,
          (lists[at] ?? []).map((row) => nodeOf(row, names[at] ?? "")),
        ),
      );
  }
  return around.nodes.map((node, at) => [node, edges[at] ?? []]);
}

async function aroundTags({ database, nodes, limit }: Around): Promise<NodeEdges> {
  const groups = nodes.map((node) => markGroups({ tags: [splitNode(node)[1]] }));
  const statistics = await tokenStatistics(database, groups.flat(2));
  const wanted = groups.map((group) => ({ groups: group, columns: "named" as const, max: limit }));
  const { sql, values } = findFactsSql(database.prefix, wanted, statistics);
  const rows = await database.queries.all(sql, values);
  return nodes.map((node, at) => {
    const ofTag = rows.filter((row) => row["part"] === at);
    return [node, [edgesTo(node, "tagged", ofTag.map(factNodeOf))]];
  });
}

function idOf(row: Row): string {
  return textColumn(row, "id");
}

function factNodeOf(row: Row): NodeId {
  return factNode(idOf(row));
}
