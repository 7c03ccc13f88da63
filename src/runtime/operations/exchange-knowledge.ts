import { createHash } from "node:crypto";
import { exportGraph } from "../../knowledge/export-graph.ts";
import type { Fact, FactStatus } from "../../knowledge/fact.ts";
import type { GraphFile } from "../../knowledge/graph-file.ts";
import { type ImportedGraph, importGraph } from "../../knowledge/import-graph.ts";
import type { Lesson } from "../../ports/knowledge-store.ts";
import type { Machine } from "../../ports/machine.ts";
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
  const tasks = await machine.knowledge.tasks({ most: MOST_TASKS });
  const times = [...facts.flatMap(({ witnesses }) => witnesses), ...tasks].map(({ at }) => at);
  const newest = times.reduce((latest, at) => Math.max(latest, at), 0);
  // The oldest task first: then a later one of the same name does not take its name away.
  return exportGraph(facts, tasks.toReversed(), newest);
}

export interface ImportedKnowledge {
  /** The name under which the import stands among the runs. */
  readonly run: string;
  readonly tasks: number;
  readonly facts: readonly Fact[];
  readonly problems: readonly string[];
}

/** Everything is quarantined, each task of the file a lesson of its own. The same text again changes nothing. */
export async function importKnowledge(machine: Machine, path: string, text: string): Promise<ImportedKnowledge> {
  const graph = importGraph(machine.redact(text));
  const run = `${IMPORT_PREFIX}${path.replaceAll("/", ":")}`;
  const lessons = lessonsIn(graph, { run, path, text, now: machine.clock.now() });
  const facts: Fact[] = [];
  for (let first = 0; first < lessons.length; first += TOGETHER) {
    const some = lessons.slice(first, first + TOGETHER).map((lesson) => machine.knowledge.learn(lesson));
    facts.push(...(await Promise.all(some)).flat());
  }
  return { run, tasks: graph.tasks.length, facts, problems: graph.problems };
}

/** Lessons that are stored at once: one by one, each would wait for the disk. */
const TOGETHER = 200;

interface ImportedFile {
  readonly run: string;
  readonly path: string;
  readonly text: string;
  readonly now: number;
}

function lessonsIn({ tasks, facts }: ImportedGraph, file: ImportedFile): Lesson[] {
  const handoff = createHash("sha256").update(file.text).digest("hex");
  const byTask = new Map<string | null, ImportedGraph["facts"][number][]>();
  for (const fact of facts) {
    const said = byTask.get(fact.task);
    if (said === undefined) byTask.set(fact.task, [fact]);
    else said.push(fact);
  }
  const told = tasks.map((task) => ({ task, said: byTask.get(task.id) ?? [] }));
  const alone = byTask.get(null);
  const nobody = { id: "import", name: file.path, dependsOn: [], at: null };
  return [...told, ...(alone === undefined ? [] : [{ task: nobody, said: alone }])].map(({ task, said }) => ({
    source: { run: file.run, task: task.id, step: task.id, agent: file.path, handoff, at: task.at ?? file.now },
    task: { id: task.id, name: task.name, status: "imported", dependsOn: task.dependsOn },
    facts: said.map(({ fact }) => ({ ...fact, citation: null })),
    files: [],
    status: "quarantined",
  }));
}
