import type { TaskDefinition } from "../definition.ts";
import type { Draft } from "../draft.ts";
import { findCycles } from "../find-cycles.ts";
import type { StartRun } from "../input.ts";
import { failRun } from "./fail-run.ts";

/** A run without tasks of its own is one task, `main`. */
export function startRun(draft: Draft, { kind: _kind, ...input }: StartRun): void {
  draft.record({ ...input, kind: "run-started", at: draft.at });
  const tasks = [...draft.workflow.tasks, ...input.tasks];
  for (const task of tasks.length === 0 ? [MAIN] : tasks) {
    if (Object.hasOwn(draft.state.tasks, task.id)) return failRun(draft, `Two tasks have the id ${task.id}.`);
    draft.record({ kind: "task-added", task });
  }
  const { wall } = draft.workflow.budget;
  if (wall !== null) {
    const timer = { id: "wall", dueAt: draft.at + wall, purpose: "wall", subject: "" } as const;
    draft.record({ kind: "timer-set", timer });
  }
  const unknown = tasks.find((task) => task.dependsOn.some((id) => !Object.hasOwn(draft.state.tasks, id)));
  if (unknown !== undefined) return failRun(draft, `Task ${unknown.id} depends on a task that does not exist.`);
  const needs = (id: string) => (draft.state.tasks[id]?.dependsOn ?? []).map((name) => ({ name, path: [] }));
  const [cycle] = findCycles(
    tasks.map((task) => task.id),
    needs,
  );
  if (cycle !== undefined) failRun(draft, `These tasks wait for each other: ${cycle.names.join(" needs ")}.`);
}

const MAIN: TaskDefinition = { id: "main", name: "main", priority: "medium", dependsOn: [], start: null, brief: "" };
