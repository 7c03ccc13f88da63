import type { LoopPolicy } from "../definition.ts";
import type { Draft } from "../draft.ts";
import type { LoopVerdict } from "../event.ts";
import type { LedgerIssue, LoopRecord } from "../state.ts";
import { advance } from "./advance.ts";
import { escalate } from "./ask-person.ts";
import { isBlocking, openIssues } from "./issue-ledger.ts";
import { NOTHING, type ActionReason, type NextRule } from "./next-rule.ts";

/**
 * Back to an earlier agent, with the issues to fix. Every loop raises the run's iteration (ruling 2);
 * the agents from the target to the asker then run again by their own routes. It goes on only while it
 * converges: open blocking issues fall, and none comes back after a loop that was meant to fix it.
 */
export function loopBack(draft: Draft, task: string, target: string, occasion: ActionReason): NextRule {
  const { why, details = [] } = occasion;
  const { agent: asker } = draft.step(task);
  const policy = draft.agent(asker).loop;
  const open = openIssues(draft.state, task).filter((issue) => isBlocking(issue, policy));
  const isUnusable = occasion.isUnusable === true;
  const hasConverged = open.length === 0 && !isUnusable && !hasStopped(draft, task);
  const verdict = hasConverged ? CONVERGED : judgeLoop(draft, task, asker, policy, open);
  if (verdict !== null) return endLoop(draft, task, policy, verdict, occasion);
  const issues = open.map((issue) => issue.id);
  const loop: LoopRecord = {
    iteration: draft.state.iteration + 1,
    task,
    asker,
    target,
    open: open.length,
    signatures: signaturesOf(open),
  };
  draft.record({ kind: "loop-began", loop, issues, why });
  advance(draft, task, target, draft.task(task).callers, { why, details }, { kind: "loop", issues });
  return NOTHING;
}

function signaturesOf(issues: readonly LedgerIssue[]): string[] {
  return issues.flatMap(({ signature }) => (signature === null ? [] : [signature]));
}

interface Verdict {
  readonly end: LoopVerdict;
  readonly why: string;
}

const CONVERGED: Verdict = { end: "converged", why: "No blocking issue is open." };

function judgeLoop(
  draft: Draft,
  task: string,
  asker: string,
  policy: LoopPolicy,
  open: readonly LedgerIssue[],
): Verdict | null {
  const { state } = draft;
  const earlier = state.loops.filter((loop) => loop.task === task && loop.asker === asker);
  // An issue of another agent stays open until that agent reviews it again.
  const again = recurring(
    earlier,
    open.filter(({ openedBy }) => openedBy === asker),
  );
  if (again !== null)
    return { end: "recurring", why: `The same issue is open again after a loop: ${again.id} ${again.description}` };
  const counts = [...earlier.slice(-2).map((loop) => loop.open), open.length];
  if (counts.length === 3 && isNotFalling(counts))
    return {
      end: "not-falling",
      why: `The number of open blocking issues has not fallen in two loops: ${counts.join(", ")}.`,
    };
  if (state.iteration >= policy.limit)
    return { end: "capped", why: `The run is in its round ${state.iteration} of at most ${policy.limit}.` };
  return null;
}

/** Work that failed, is blocked, did not pass a gate or has no handoff has not converged, even without an issue. */
function hasStopped(draft: Draft, task: string): boolean {
  const outcome = draft.handoff(task)?.outcome ?? "failed";
  return outcome === "failed" || outcome === "blocked" || draft.step(task).gateFailed;
}

/** Finds an issue that was open when an earlier loop began and is open as often now. */
function recurring(earlier: readonly LoopRecord[], open: readonly LedgerIssue[]): LedgerIssue | null {
  const now = signaturesOf(open);
  const count = (list: readonly string[], wanted: string): number => list.filter((item) => item === wanted).length;
  const isBack = (signature: string): boolean =>
    earlier.some(({ signatures: then }) => then.includes(signature) && count(now, signature) >= count(then, signature));
  return open.find(({ signature }) => signature !== null && isBack(signature)) ?? null;
}

function isNotFalling(counts: readonly number[]): boolean {
  return counts.every((count, index) => count >= (counts[index - 1] ?? 0));
}

/**
 * Ends a loop. Only a converged loop is a success; the workflow decides what follows otherwise. Work that a gate or a
 * reviewer refused continues only if a person says so.
 */
function endLoop(
  draft: Draft,
  task: string,
  policy: LoopPolicy,
  { end, why }: Verdict,
  occasion: ActionReason,
): NextRule {
  const { agent: asker, gateFailed } = draft.step(task);
  const choice = end === "capped" ? policy.capped : policy.stuck;
  const goesOn = (end === "converged" || choice === "continue") && !gateFailed && occasion.isUnusable !== true;
  draft.record({ kind: "loop-ended", task, asker, end, goesOn, why });
  if (goesOn) return { do: "pass-gates" };
  if (choice === "fail") draft.record({ kind: "task-finished", task, status: "failed", reason: why });
  else escalate(draft, task, why, [occasion.why, ...(occasion.details ?? [])]);
  return NOTHING;
}
