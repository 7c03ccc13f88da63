import { createHash } from "node:crypto";
import { exportGraph } from "../../knowledge/export-graph.ts";
import type { Fact, FactStatus } from "../../knowledge/fact.ts";
import type { GraphFile } from "../../knowledge/graph-file.ts";
import { type ImportedFact, type ImportedGraph, type ImportedTask, importGraph } from "../../knowledge/import-graph.ts";
import { isKnownFact, knownTaskTest } from "../../knowledge/known-nodes.ts";
import type { KnownTask, Lesson } from "../../ports/knowledge-store.ts";
import type { Machine } from "../../ports/machine.ts";
import { utcOf } from "../../shared/utc-time.ts";
import { IMPORT_PREFIX } from "./search-knowledge.ts";

export { LARGEST_GRAPH_FILE } from "../../knowledge/import-graph.ts";
export type { GraphFile } from "../../knowledge/graph-file.ts";

const PAGE = 1_000;
const MOST_TASKS = 1_000_000;

/** `knowledge_graph.json` of 003. The same knowledge gives the same bytes. */
export async function exportKnowledge(machine: Machine, statuses: readonly FactStatus[]): Promise<GraphFile> {
  const facts: Fact[] = [];
  for (let after: string | null = null; ;) {
    const page: readonly Fact[] = await machine.knowledge.page(after, PAGE);
    facts.push(...page.filter(({ status }) => statuses.includes(status)));
    after = page.at(-1)?.id ?? null;
    if (after === null || page.length < PAGE) break;
  }
  const tasks = (await machine.knowledge.tasks({ most: MOST_TASKS })).filter((task) => !isFile(task));
  const times = [...facts.flatMap(({ witnesses }) => witnesses), ...tasks].map(({ at }) => at);
  const newest = times.reduce((latest, at) => Math.max(latest, at), 0);
  // The oldest task first: then a later one of the same name does not take its name away.
  return exportGraph(facts, tasks.toReversed(), newest);
}

export interface ImportedKnowledge {
  /** The name under which the import stands among the runs. */
  readonly run: string;
  /** Tasks that were taken in. */
  readonly tasks: number;
  /** What was taken in, as it stands now. */
  readonly facts: readonly Fact[];
  /** What was left as it is: the same stands here under the same id. */
  readonly known: { readonly tasks: number; readonly facts: number };
  readonly problems: readonly string[];
}

/**
 * Everything is quarantined, each task of the file a lesson of its own. What is known here already under its id is left
 * as it is: our own export teaches us nothing, and the same text again changes nothing.
 */
export async function importKnowledge(machine: Machine, path: string, text: string): Promise<ImportedKnowledge> {
  const read = importGraph(machine.redact(text));
  const graph = await withoutKnown(machine, read);
  const run = runOf(path);
  const lessons = lessonsIn(read, graph, { run, path, text, now: machine.clock.now() });
  const facts: Fact[] = [];
  for (let first = 0; first < lessons.length; first += TOGETHER) {
    const some = lessons.slice(first, first + TOGETHER).map((lesson) => machine.knowledge.learn(lesson));
    facts.push(...(await Promise.all(some)).flat());
  }
  const known = {
    tasks: read.tasks.length - graph.tasks.length,
    facts: read.facts.length - graph.facts.length,
  };
  return { run, tasks: graph.tasks.length, facts, known, problems: read.problems };
}

/** Lessons that are stored at once: one by one, each would wait for the disk. */
const TOGETHER = 200;

function runOf(path: string): string {
  return `${IMPORT_PREFIX}${path.replaceAll("/", ":")}`;
}

async function withoutKnown({ knowledge, redact }: Machine, graph: ImportedGraph): Promise<ImportedGraph> {
  const facts: ImportedFact[] = [];
  for (const told of graph.facts) {
    const { id } = told.fact;
    const known = id === null ? null : await knowledge.find(id);
    if (!isKnownFact(told, known, redact)) facts.push(told);
  }
  const here = graph.tasks.length === 0 ? [] : await knowledge.tasks({ most: MOST_TASKS });
  const isKnown = knownTaskTest(here, redact);
  return { ...graph, facts, tasks: graph.tasks.filter((task) => !isKnown(task)) };
}

interface ImportedFile {
  readonly run: string;
  readonly path: string;
  readonly text: string;
  readonly now: number;
}

type Task = Pick<ImportedTask, "id" | "name" | "dependsOn" | "at">;

/** What the new facts of a file stand under, and its new tasks, whether they said something or not. */
function lessonsIn(read: ImportedGraph, { tasks, facts }: ImportedGraph, file: ImportedFile): Lesson[] {
  const lessons = new Map<string, FileLesson>();
  const lessonOf = (task: Task, at: number | null): FileLesson => {
    const key = JSON.stringify([task.id, at]);
    const lesson = lessons.get(key) ?? { task, at, said: [] };
    lessons.set(key, lesson);
    return lesson;
  };
  const byId = new Map(read.tasks.map((task) => [task.id, task]));
  for (const fact of facts) {
    const task = byId.get(fact.task ?? "") ?? theFile(file);
    lessonOf(task, fact.at ?? task.at).said.push(fact);
  }
  for (const task of tasks) lessonOf(task, task.at);
  const handoff = createHash("sha256").update(file.text).digest("hex");
  return [...lessons.values()].map((lesson) => asLesson(lesson, handoff, file));
}

interface FileLesson {
  readonly task: Task;
  /** When it was said, as far as the file tells. */
  readonly at: number | null;
  readonly said: ImportedFact[];
}

function asLesson({ task, at, said }: FileLesson, handoff: string, { run, path, now }: ImportedFile): Lesson {
  // What was said at another time than that of the task's node is a step of its own.
  const step = at === null || at === task.at ? task.id : `${task.id} ${utcOf(at)}`;
  // Of what the file puts into the future, as of what it has no date for, only the import itself is known.
  const believed = (date: number | null): number => (date === null || date > now ? now : date);
  return {
    source: { run, task: task.id, step, agent: path, handoff, at: believed(at) },
    task: { id: task.id, name: task.name, status: "imported", dependsOn: task.dependsOn, at: believed(task.at) },
    facts: said.map(({ fact }) => ({ ...fact, citation: null })),
    files: [],
    status: "quarantined",
  };
}

const FILE_TASK = "import";

/** Said by no task of the file: then the file itself stands for one. */
function theFile({ path }: ImportedFile): Task {
  return { id: FILE_TASK, name: path, dependsOn: [], at: null };
}

/** It is nobody's task, and so not exported as one. */
function isFile({ run, id, name }: KnownTask): boolean {
  return id === FILE_TASK && run === runOf(name);
}
