import { createHash } from "node:crypto";
import type { Fact, FactStatus } from "../../knowledge/fact.ts";
import {
  type GraphFile,
  exportGraph,
  type ImportedFact,
  type ImportedGraph,
  type ImportedTask,
  importGraph,
  isKnownFact,
  knownTaskTest,
} from "../../knowledge/graph-file.ts";
import type { KnownTask, LearnedBatch } from "../../ports/knowledge-store.ts";
import type { Ports } from "../../ports/ports.ts";
import { utcOf } from "../../shared/utc-time.ts";
import { IMPORT_PREFIX } from "./search-knowledge.ts";

export { MAX_GRAPH_FILE } from "../../knowledge/graph-file.ts";

const PAGE = 1_000;
const MAX_TASKS = 1_000_000;

/** The `knowledge_graph.json` of 003. The same knowledge gives the same bytes. */
export async function exportKnowledge(ports: Ports, statuses: readonly FactStatus[]): Promise<GraphFile> {
  const facts: Fact[] = [];
  for (let after: string | null = null; ;) {
    const page: readonly Fact[] = await ports.knowledge.page(after, PAGE);
    facts.push(...page.filter(({ status }) => statuses.includes(status)));
    after = page.at(-1)?.id ?? null;
    if (after === null || page.length < PAGE) break;
  }
  const tasks = (await ports.knowledge.tasks({ max: MAX_TASKS })).filter((task) => !isFile(task));
  const times = [...facts.flatMap(({ witnesses }) => witnesses), ...tasks].map(({ at }) => at);
  const newest = times.reduce((latest, at) => Math.max(latest, at), 0);
  // Oldest task first, so that a later task of the same name does not replace it.
  return exportGraph(facts, tasks.toReversed(), newest);
}

export interface ImportedKnowledge {
  /** The name under which the import is listed among the runs. */
  readonly run: string;
  /** Number of imported tasks. */
  readonly tasks: number;
  /** Imported facts, in their present form. */
  readonly facts: readonly Fact[];
  /** Tasks and facts that were skipped, because the same content already has the same id here. */
  readonly known: { readonly tasks: number; readonly facts: number };
  readonly problems: readonly string[];
}

/**
 * Imports everything as quarantined, one batch per task of the file. Facts that are already known under their id are
 * skipped, so importing our own export, or the same text again, changes nothing.
 */
export async function importKnowledge(ports: Ports, path: string, text: string): Promise<ImportedKnowledge> {
  const read = importGraph(ports.redact(text));
  const graph = await withoutKnown(ports, read);
  const run = runOf(path);
  const batches = lessonsIn(read, graph, { run, path, text, now: ports.clock.now() });
  const facts: Fact[] = [];
  for (let first = 0; first < batches.length; first += TOGETHER) {
    const some = batches.slice(first, first + TOGETHER).map((batch) => ports.knowledge.learn(batch));
    facts.push(...(await Promise.all(some)).flat());
  }
  const known = {
    tasks: read.tasks.length - graph.tasks.length,
    facts: read.facts.length - graph.facts.length,
  };
  return { run, tasks: graph.tasks.length, facts, known, problems: read.problems };
}

/** Number of batches stored together: one by one, each would wait for the disk. */
const TOGETHER = 200;

function runOf(path: string): string {
  return `${IMPORT_PREFIX}${path.replaceAll("/", ":")}`;
}

async function withoutKnown({ knowledge, redact }: Ports, graph: ImportedGraph): Promise<ImportedGraph> {
  const facts: ImportedFact[] = [];
  for (const told of graph.facts) {
    const { id } = told.fact;
    const known = id === null ? null : await knowledge.find(id);
    if (!isKnownFact(told, known, redact)) facts.push(told);
  }
  const here = graph.tasks.length === 0 ? [] : await knowledge.tasks({ max: MAX_TASKS });
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

/** The batches for the new facts and new tasks of a file, including tasks without facts. */
function lessonsIn(read: ImportedGraph, { tasks, facts }: ImportedGraph, file: ImportedFile): LearnedBatch[] {
  const batches = new Map<string, FileLesson>();
  const lessonOf = (task: Task, at: number | null): FileLesson => {
    const key = JSON.stringify([task.id, at]);
    const batch = batches.get(key) ?? { task, at, said: [] };
    batches.set(key, batch);
    return batch;
  };
  const byId = new Map(read.tasks.map((task) => [task.id, task]));
  for (const fact of facts) {
    const task = byId.get(fact.task ?? "") ?? theFile(file);
    lessonOf(task, fact.at ?? task.at).said.push(fact);
  }
  for (const task of tasks) lessonOf(task, task.at);
  const handoff = createHash("sha256").update(file.text).digest("hex");
  return [...batches.values()].map((batch) => asLesson(batch, handoff, file));
}

interface FileLesson {
  readonly task: Task;
  /** The time that the file states; null when it states none. */
  readonly at: number | null;
  readonly said: ImportedFact[];
}

function asLesson({ task, at, said }: FileLesson, handoff: string, { run, path, now }: ImportedFile): LearnedBatch {
  // Facts with a different time than their task become a step of their own.
  const step = at === null || at === task.at ? task.id : `${task.id} ${utcOf(at)}`;
  // For a missing or future date, the time of the import is used.
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

/** Facts that belong to no task of the file are attributed to the file itself. */
function theFile({ path }: ImportedFile): Task {
  return { id: FILE_TASK, name: path, dependsOn: [], at: null };
}

/** The file itself is not a task, so it is not exported as one. */
function isFile({ run, id, name }: KnownTask): boolean {
  return id === FILE_TASK && run === runOf(name);
}
