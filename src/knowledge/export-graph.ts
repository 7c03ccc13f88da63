import { setOwnValue } from "../shared/json-value.ts";
import { dateOf, utcOf } from "../shared/utc-time.ts";
import type { Fact, FactKind } from "./fact.ts";
import {
  type GraphFile,
  type GraphNode,
  type GraphNodeType,
  type GraphTask,
  summaryOf,
  taskName,
  taskSummary,
} from "./graph-file.ts";
import { tagsOf } from "./words.ts";

/**
 * The facts and tasks that are given, as `knowledge_graph.json` (003). A fact is connected with the tasks that said
 * it, a task with those it depends on; what is not in the file is connected with nothing.
 */
export function exportGraph(facts: readonly Fact[], tasks: readonly GraphTask[], at: number): GraphFile {
  const names = namesOf(tasks);
  const nodes = [...tasks.map((task) => taskNode(task, names)), ...facts.map((fact) => factNode(fact, names))];
  return { version: 1, last_updated: utcOf(at), nodes, tag_index: tagIndex(nodes) };
}

/** By run and task. Where two runs have a task of that id, the later ones have the run in their names. */
function namesOf(tasks: readonly GraphTask[]): Names {
  const taken = new Set<string>();
  return new Map(
    tasks.map((task) => {
      const name = taskName(task, (wished) => taken.has(wished));
      taken.add(name);
      return [keyOf(task.run, task.id), name];
    }),
  );
}

function keyOf(run: string, task: string): string {
  return JSON.stringify([run, task]);
}

type Names = ReadonlyMap<string, string>;

function taskNode(task: GraphTask, names: Names): GraphNode {
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

/** What 003 has no type for is an insight; its id still says what it is. */
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

function factNode({ id, kind, text, tags, files, citation, witnesses }: Fact, names: Names): GraphNode {
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

function tagIndex(nodes: readonly GraphNode[]): GraphFile["tag_index"] {
  const ids = new Map<string, string[]>();
  for (const { id, tags } of nodes) for (const tag of tags) ids.set(tag, [...(ids.get(tag) ?? []), id]);
  const index: Record<string, string[]> = {};
  for (const [tag, names] of [...ids].sort(([left], [right]) => (left < right ? -1 : 1))) {
    setOwnValue(index, tag, names);
  }
  return index;
}
