import type { TaskDefinition } from "../definition.ts";

/** Tasks that wait for each other, in a sentence; null when there is no such circle. */
export function explainCycle(tasks: readonly Pick<TaskDefinition, "id" | "dependsOn">[]): string | null {
  const dependencies = new Map(tasks.map((task) => [task.id, task.dependsOn]));
  const finished = new Set<string>();
  for (const { id } of tasks) {
    const cycle = followFrom(id, dependencies, finished);
    if (cycle !== null) return `These tasks wait for each other: ${cycle.join(" needs ")}.`;
  }
  return null;
}

/** Depth first, without recursion: a chain of tasks may be long. */
function followFrom(
  start: string,
  dependencies: ReadonlyMap<string, readonly string[]>,
  finished: Set<string>,
): string[] | null {
  const path: { readonly id: string; next: number }[] = [{ id: start, next: 0 }];
  const onPath = new Set([start]);
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const needed = finished.has(top.id) ? undefined : dependencies.get(top.id)?.[top.next++];
    if (needed === undefined) {
      finished.add(top.id);
      onPath.delete(top.id);
      path.pop();
    } else if (onPath.has(needed)) {
      return [...path.slice(path.findIndex((place) => place.id === needed)).map((place) => place.id), needed];
    } else {
      path.push({ id: needed, next: 0 });
      onPath.add(needed);
    }
  }
  return null;
}
