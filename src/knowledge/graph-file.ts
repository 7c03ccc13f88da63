import { oneLine } from "./learn-facts.ts";

/** `knowledge_graph.json` (003). */
export interface GraphFile {
  readonly version: 1;
  readonly last_updated: string;
  readonly nodes: readonly GraphNode[];
  /** Ids of the nodes that have a tag. */
  readonly tag_index: Readonly<Record<string, readonly string[]>>;
}

export interface GraphNode {
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

export const GRAPH_NODE_TYPES = ["task", "decision", "pattern", "gotcha", "insight"] as const;
export type GraphNodeType = (typeof GRAPH_NODE_TYPES)[number];

export const LONGEST_SUMMARY = 100;

const LONGEST_ID = 200;

/** What a node may be called: the id of a task and that of its run fit in. */
export function isNodeId(id: string): boolean {
  return id.length <= LONGEST_ID && /^[\w.@-]+$/.test(id);
}

/** Counted and cut by characters as people see them, not in the middle of one. */
export function summaryOf(text: string): string {
  const characters = [...text];
  if (characters.length <= LONGEST_SUMMARY) return text;
  return `${characters.slice(0, LONGEST_SUMMARY - 1).join("")}…`;
}

/** A task without a name is told by its id. */
export function taskSummary({ id, name }: Pick<GraphTask, "id" | "name">): string {
  return summaryOf(oneLine(name) ?? id);
}

/**
 * `task-12`; where another task has that name already, with its run; where that is taken, too (`12` and `task-12` of one
 * run), with a number behind it.
 */
export function taskName(task: Pick<GraphTask, "run" | "id">, isTaken: (name: string) => boolean): string {
  const [plain, withRun] = taskNames(task);
  if (!isTaken(plain)) return plain;
  let name = withRun;
  for (let number = 2; isTaken(name); number++) name = `${withRun}.${number}`;
  return name;
}

/** Whichever name the task got: that goes by what else there was when it was written. */
export function isNameOf(name: string, task: Pick<GraphTask, "run" | "id">): boolean {
  const [plain, withRun] = taskNames(task);
  return name === plain || name.replace(/\.\d+$/, "") === withRun || name === withRun;
}

function taskNames({ run, id }: Pick<GraphTask, "run" | "id">): readonly [plain: string, withRun: string] {
  const plain = id.startsWith("task-") ? id : `task-${id}`;
  return [asNodeId(plain), asNodeId(`${plain}@${run}`)];
}

/** With room for a number behind it. */
function asNodeId(name: string): string {
  return name.replaceAll(/[^\w.@-]/g, "-").slice(0, LONGEST_ID - 8);
}

/** A task as both sides of the file know it. */
export interface GraphTask {
  readonly run: string;
  readonly id: string;
  readonly name: string;
  readonly dependsOn: readonly string[];
  readonly at: number;
}
