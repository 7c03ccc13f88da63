import { setOwnValue } from "../shared/json-value.ts";
import { dateOf, utcOf } from "../shared/utc-time.ts";
import type { Fact, FactKind } from "./fact.ts";
import { type GraphFile, type GraphNode, type GraphNodeType, type GraphTask, LONGEST_SUMMARY } from "./graph-file.ts";
import { tagsOf } from "./words.ts";

/**
 * The facts and tasks that are given, as `knowledge_graph.json` (003). A fact is connected with the tasks that said
 * it, a task with those it depends on; what is not in the file is connected with nothing.
 */
export function exportGraph(facts: readonly Fact[], tasks: readonly GraphTask[], at: number): GraphFile {
  const names = taskNames(tasks);
  const nodes = [...tasks.map((task) => taskNode(task, names)), ...facts.map((fact) => factNode(fact, names))];
  return { version: 1, last_updated: utcOf(at), nodes, tag_index: tagIndex(nodes) };
}

/** `task-12`, by run and task. Where two runs have a task of that id, the later ones have the run in their names. */
function taskNames(tasks: readonly GraphTask[]): ReadonlyMap<string, string> {
  const taken = new Set<string>();
  return new Map(
    tasks.map(({ run, id }) => {
      const plain = id.startsWith("task-") ? id : `task-${id}`;
      const name = taken.has(plain) ? `${plain}@${run}` : plain;
      taken.add(name);
      return [keyOf(run, id), name];
    }),
  );
}

function keyOf(run: string, task: string): string {
  return JSON.stringify([run, task]);
}

type Names = ReadonlyMap<string, string>;

function taskNode({ run, id, name, dependsOn, at }: GraphTask, names: Names): GraphNode {
  const connections = dependsOn.flatMap((needed) => names.get(keyOf(run, needed)) ?? []);
  return {
    id: names.get(keyOf(run, id)) ?? id,
    type: "task",
    tags: tagsOf(undefined, name),
    summary: summaryOf(name),
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

/** Counted and cut by characters as people see them, not in the middle of one. */
function summaryOf(text: string): string {
  const characters = [...text];
  if (characters.length <= LONGEST_SUMMARY) return text;
  return `${characters.slice(0, LONGEST_SUMMARY - 1).join("")}…`;
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
