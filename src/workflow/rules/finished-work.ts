import type { Draft } from "../draft.ts";

/** Outcomes that lead forward: none of them gets past a gate. */
const GO_ON: readonly string[] = ["done", "done-with-warnings", "needs-review", "skipped"];

/** Work that its author calls unfinished is not worth a gate; its route is known. */
export function isFinished(draft: Draft, task: string): boolean {
  const outcome = draft.step(task).routeAs ?? draft.handoff(task)?.outcome;
  return GO_ON.includes(outcome ?? "");
}
