import type { Handoff, Outcome } from "../../protocol/handoff.ts";
import { ownValue } from "../../shared/json-value.ts";
import type { Draft } from "../draft.ts";
import type { RunState } from "../state.ts";

/**
 * Compares the tasks that a handoff depends on or affects (002-R09) with those of the run (002-R19). The format does not
 * say which of the two is meant, so a difference is recorded and refuses nothing. A run without named tasks cannot tell.
 */
export function checkDependencies(draft: Draft, task: string, agent: string, handoff: Handoff): void {
  const { state } = draft;
  if (Object.keys(state.tasks).every((id) => id === "main")) return;
  const ids = [...new Set(handoff.depends_on ?? [])].slice(0, MAX_IDS);
  const unknown = ids.filter((id) => taskNamed(state, id) === null);
  const unfinished = ids.filter((id) => {
    const name = taskNamed(state, id);
    return name !== null && name !== task && DONE.includes(handoff.outcome) && isAwaited(state, task, name);
  });
  if (unknown.length + unfinished.length > 0)
    draft.record({ kind: "dependencies-unmet", task, agent, unknown, unfinished });
}

const MAX_IDS = 100;

/** Other work may still wait for the tasks that it names. */
const DONE: readonly Outcome[] = ["done", "done-with-warnings", "needs-review", "skipped"];

/** Handoffs write `task-12` for the task 12. */
function taskNamed({ tasks }: RunState, id: string): string | null {
  return [id, id.replace(/^task-/, "")].find((name) => Object.hasOwn(tasks, name)) ?? null;
}

/** Not complete, and not one that comes after this task: such a one is affected by it. */
function isAwaited(state: RunState, task: string, name: string): boolean {
  return ownValue(state.tasks, name)?.status !== "done" && !tasksBefore(state, name).has(task);
}

function tasksBefore({ tasks }: RunState, name: string): ReadonlySet<string> {
  const before = new Set(ownValue(tasks, name)?.dependsOn ?? []);
  // Iteration over a Set includes elements that are added meanwhile.
  for (const id of before) for (const other of ownValue(tasks, id)?.dependsOn ?? []) before.add(other);
  return before;
}
