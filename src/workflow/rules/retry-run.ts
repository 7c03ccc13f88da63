import type { Draft } from "../draft.ts";
import type { Next, TaskState } from "../state.ts";
import { isBlocking, openIssues } from "./issue-ledger.ts";

/** A person sends a failed run on: each failed task again at the agent where it failed. */
export function retryRun(draft: Draft, by: string, note: string | null): void {
  draft.record({ kind: "run-reopened", at: draft.at, by });
  const { wall } = draft.workflow.budget;
  if (wall !== null) {
    const timer = { id: "wall", dueAt: draft.state.startedAt + wall, purpose: "wall", subject: "" } as const;
    draft.record({ kind: "timer-set", timer });
  }
  for (const task of Object.values(draft.state.tasks)) {
    if (task.status !== "failed") continue;
    const next = task.next === null ? nextTry(draft, task, by, note) : withNote(task.next, note);
    draft.record({ kind: "task-advanced", task: task.id, next, callers: task.callers });
  }
}

/** One that was not let start is asked about again: what came before it is done. */
function withNote(next: Next, note: string | null): Next {
  const notes = [next.reason.note, note].filter((text) => text !== null);
  return { ...next, reason: { ...next.reason, note: notes.length === 0 ? null : notes.join("\n") } };
}

function nextTry(draft: Draft, { id, trail, start }: TaskState, by: string, note: string | null): Next {
  const agent = trail.at(-1) ?? start ?? draft.workflow.start;
  const issues = issuesOfLoop(draft, id, agent);
  return { agent, reason: { kind: "person", from: by, note, issues, problems: [] }, approved: false };
}

/** It may have failed while it fixed what a loop had sent it. */
function issuesOfLoop(draft: Draft, task: string, agent: string): string[] {
  const loop = draft.state.loops.findLast((one) => one.task === task);
  if (loop?.target !== agent) return [];
  const policy = draft.agent(loop.asker).loop;
  return openIssues(draft.state, task).flatMap((issue) => (isBlocking(issue, policy) ? [issue.id] : []));
}
