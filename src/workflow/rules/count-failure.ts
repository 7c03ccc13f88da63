import type { Handoff } from "../../protocol/handoff.ts";
import type { Draft } from "../draft.ts";
import { classifyFailure } from "./classify-failure.ts";

export function countFailure(draft: Draft, task: string, handoff: Handoff | null, why: string): void {
  const { agent } = draft.step(task);
  const kind = handoff === null ? "UNKNOWN" : classifyFailure(handoff);
  draft.record({ kind: "failure-counted", task, agent, class: kind, why });
}
