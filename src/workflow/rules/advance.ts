import type { Draft } from "../draft.ts";
import type { StepReason } from "../state.ts";
import type { ActionReason } from "./next-rule.ts";

/** Sets the agent that runs next in a task; it starts when a slot is free. */
export function advance(
  draft: Draft,
  task: string,
  agent: string,
  callers: readonly string[],
  occasion: ActionReason,
  more: Partial<StepReason> = {},
): void {
  const from = draft.task(task).step?.agent ?? null;
  const note = [occasion.why, ...(occasion.details ?? [])].join("\n");
  const reason: StepReason = { kind: reasonOf(occasion), from, note, issues: [], problems: [], ...more };
  draft.record({ kind: "task-advanced", task, next: { agent, reason, approved: false }, callers });
}

function reasonOf(occasion: ActionReason): StepReason["kind"] {
  if (occasion.isGate === true) return "gate";
  if (occasion.isBlocked === true) return "unblock";
  return occasion.isFailure === true ? "failure" : "forward";
}
