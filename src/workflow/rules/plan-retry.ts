import type { Draft } from "../draft.ts";
import { stillToFix } from "./issue-ledger.ts";

/** The same agent again after a delay that doubles: 1, 2, 4 s. False when its retries are used up. */
export function planRetry(draft: Draft, task: string, most: number, why: string): boolean {
  const { retries } = draft.task(task);
  const { agent, id, reason: before } = draft.step(task);
  const policy = draft.agent(agent).retry;
  if (retries >= Math.min(most, MOST_RETRIES)) return false;
  const until = draft.at + Math.min(policy.delay * 2 ** retries, LONGEST_DELAY);
  const issues = stillToFix(draft.state, before.issues);
  const reason = { kind: "retry", from: agent, note: why, issues, problems: [] } as const;
  draft.record({ kind: "attempt-delayed", task, until, reason });
  draft.record({ kind: "timer-set", timer: { id: `retry:${id}`, dueAt: until, purpose: "retry", subject: task } });
  return true;
}

/** Whatever a workflow or a handoff asks for. */
const MOST_RETRIES = 100;
const LONGEST_DELAY = 3_600_000;
