import type { Draft } from "../draft.ts";

/** Ends the run and stops every agent that is still working. */
export function failRun(draft: Draft, reason: string): void {
  stopAgents(draft);
  draft.record({ kind: "run-failed", at: draft.at, reason });
}

function stopAgents(draft: Draft): void {
  for (const { id, step, status } of Object.values(draft.state.tasks)) {
    if (step === null && status !== "asking") continue;
    if (step?.phase === "working") draft.want({ kind: "stop-agent", attempt: step.attempt });
    draft.record({ kind: "task-finished", task: id, status: "failed", reason: "the run ended" });
  }
}
