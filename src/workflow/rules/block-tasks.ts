import type { Handoff } from "../../protocol/handoff.ts";
import { ownValue } from "../../shared/json-value.ts";
import type { Draft } from "../draft.ts";

/** Blockers that name tasks hold those tasks up (003-R25) until the task that reported them is done. */
export function blockTasks(draft: Draft, task: string, handoff: Handoff): void {
  for (const { description = "a blocker without description", blocks = [] } of handoff.blockers ?? []) {
    for (const named of blocks) {
      const held = ownValue(draft.state.tasks, named);
      if (held?.status !== "waiting" || held.next !== null) continue;
      if (held.blockers.some((known) => known.by === task && known.description === description)) continue;
      draft.record({ kind: "task-blocked", task: named, blocker: { description, by: task } });
    }
  }
}

export function releaseTasks(draft: Draft, task: string): void {
  for (const held of Object.values(draft.state.tasks)) {
    if (held.blockers.some(({ by }) => by === task)) draft.record({ kind: "task-released", task: held.id, by: task });
  }
}
