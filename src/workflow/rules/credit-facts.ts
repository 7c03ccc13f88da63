import type { Draft } from "../draft.ts";

/**
 * What a step was given to know has helped when its work goes on as done: its author says so, no claim of it is
 * refuted and no gate is against it. A step goes on once, so its facts are credited once.
 */
export function creditFacts(draft: Draft, task: string): void {
  const { id, given, gateFailed, claims } = draft.step(task);
  const outcome = draft.handoff(task)?.outcome;
  const wentWell = (outcome === "done" || outcome === "done-with-warnings") && !gateFailed && claims.refuted === 0;
  if (wentWell && given.length > 0) draft.record({ kind: "facts-helped", task, step: id, facts: given });
}
