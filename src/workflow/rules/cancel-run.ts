import type { Draft } from "../draft.ts";

export function cancelRun(draft: Draft, by: string, reason: string): void {
  for (const { id, step, status } of Object.values(draft.state.tasks)) {
    if (status === "done" || status === "failed") continue;
    if (step?.phase === "working") draft.want({ kind: "stop-agent", attempt: step.attempt });
    draft.record({ kind: "task-finished", task: id, status: "cancelled", reason });
  }
  draft.record({ kind: "run-cancelled", at: draft.at, by, reason });
}
