import type { TaskDefinition, Workflow } from "../definition.ts";
import { type Follower, findCycles } from "../find-cycles.ts";
import { type Edge, WorkflowGraph } from "./graph.ts";
import { type Problems, clip } from "./problems.ts";

/**
 * Agents that pass work around in a circle need a bound. A `loop` has its limit; a circle through a hub, a
 * failure policy or the blocked table is a matter of judgement each time round, and `budget.steps` ends it.
 */
export function checkAgentCycles(workflow: Workflow, problems: Problems): void {
  const graph = new WorkflowGraph(workflow);
  const isHub = (name: string): boolean => workflow.agents[name]?.hub === true;
  const isPlain = ({ leaf, by }: Edge): boolean =>
    (by === "forward" || by === "gate") && (leaf.kind === "go" || leaf.kind === "choose");
  const following = (name: string): Follower[] =>
    isHub(name)
      ? []
      : graph
          .edges(name)
          .flatMap((edge) =>
            isPlain(edge) ? graph.targets(edge).map((to) => ({ name: to, path: edge.leaf.path })) : [],
          );
  for (const { names, path } of findCycles(graph.names, following))
    problems.add({
      code: "cycle",
      path,
      message: `Work can go round without a bound: ${names.join(" -> ")}.`,
      hint: `Write { loop: ${names.at(-1)} } here, which ends when it gets nowhere.`,
    });
}

/** Nobody can resolve what blocks itself. */
export function checkBlockedSelf(workflow: Workflow, problems: Problems): void {
  const graph = new WorkflowGraph(workflow);
  const told = new Set<string>();
  for (const { from, leaf, by } of graph.allEdges()) {
    if (by !== "blocked" || leaf.to !== from || told.has(from)) continue;
    told.add(from);
    problems.add({
      code: "cycle",
      severity: "warning",
      path: leaf.path,
      message: `When \`${from}\` is blocked for this reason, it is sent to itself.`,
      hint: `Give \`${from}\` a route for \`blocked\` of its own, for example person.`,
    });
  }
}

/** Tasks must be able to start: what they wait for exists, and does not wait for them. */
export function checkTasks(tasks: readonly TaskDefinition[], problems: Problems): void {
  const places = new Map<string, number>();
  for (const [index, { id }] of tasks.entries()) {
    if (places.has(id) && id !== "")
      problems.add({
        code: "duplicate-key",
        path: ["tasks", index, "id"],
        message: `Two tasks are called \`${id}\`.`,
        hint: "Ids are unique.",
      });
    places.set(id, index);
  }
  places.delete("");
  const ids = [...places.keys()];
  for (const [index, task] of tasks.entries())
    for (const [place, id] of task.dependsOn.entries())
      if (!places.has(id)) problems.unknownName("task", id, ids, ["tasks", index, "depends_on", place]);
  const following = (id: string): Follower[] =>
    (tasks[places.get(id) ?? -1]?.dependsOn ?? []).map((name, place) => ({
      name,
      path: ["tasks", places.get(id) ?? 0, "depends_on", place],
    }));
  for (const { names, path } of findCycles(ids, following))
    problems.add({
      code: "cycle",
      path,
      message: `Tasks wait for each other: ${clipCycle(names)}.`,
      hint: "Remove one of the dependencies.",
    });
}

function clipCycle(names: readonly string[]): string {
  const shown = names.length <= 12 ? names : [...names.slice(0, 6), `(${names.length - 11} more)`, ...names.slice(-5)];
  return shown.map(clip).join(" -> ");
}
