import { ownValue } from "../../shared/json-value.ts";
import { judgeCondition } from "../../shared/condition.ts";
import { distanceToFalse } from "../distance-to-false.ts";
import type { LoopPolicy } from "../definition.ts";
import type { Draft } from "../draft.ts";
import type { LoopVerdict } from "../event.ts";
import type { LedgerIssue, LoopRecord } from "../state.ts";
import { advance } from "./advance.ts";
import { escalate } from "./ask-person.ts";
import { factsOf } from "./facts.ts";
import { isBlocking, isToFix, openIssues } from "./issue-ledger.ts";
import { NOTHING, type ActionReason, type NextRule } from "./next-rule.ts";
import { loopRoutes } from "./take-route.ts";

/**
 * Back to an earlier agent, with the issues to fix. Every loop starts another round of its task and of the run
 * (ruling 2); the agents from the target to the asker then run again by their own routes. A loop route that holds
 * always loops, until the loop gets nowhere or its task has had all its rounds.
 */
export function loopBack(draft: Draft, task: string, target: string, occasion: ActionReason): NextRule {
  const { why, details = [] } = occasion;
  const { agent: asker } = draft.step(task);
  const policy = draft.agent(asker).loop;
  const open = openIssues(draft.state, task);
  const now = measureLoop(draft, task, target, open, policy);
  const verdict = occasion.isGranted === true ? null : judgeLoop(draft, task, policy, open, now);
  if (verdict !== null) return endLoop(draft, task, target, policy, verdict, occasion);
  const issues = toFix(open.filter(isToFix), policy).map((issue) => issue.id);
  const loop: LoopRecord = { iteration: draft.state.iteration + 1, task, asker, target, ...now };
  draft.record({ kind: "loop-began", loop, issues, why });
  advance(draft, task, target, draft.task(task).callers, { why, details }, { kind: "loop", issues });
  return NOTHING;
}

/** The blocking issues; where none blocks, all that are open, because something asked for this loop. */
function toFix(open: readonly LedgerIssue[], policy: LoopPolicy): readonly LedgerIssue[] {
  const blocking = open.filter((issue) => isBlocking(issue, policy));
  return blocking.length > 0 ? blocking : open;
}

type Measured = Pick<LoopRecord, "open" | "signatures" | "distance">;

/** What tells whether a loop makes progress: open blocking issues, and the figure of the condition that asks for it. */
function measureLoop(
  draft: Draft,
  task: string,
  target: string,
  open: readonly LedgerIssue[],
  policy: LoopPolicy,
): Measured {
  const counted = open.filter((issue) => isToFix(issue) && isBlocking(issue, policy) && issue.signature !== null);
  const agent = draft.agent(draft.step(task).agent);
  const facts = factsOf(draft.state, draft.task(task), draft.handoff(task), agent.loop);
  const route = loopRoutes(agent, target).find(({ when }) => when !== null && judgeCondition(when, facts) === true);
  const when = route?.when ?? null;
  const distance = when === null ? null : distanceToFalse(when, facts);
  return {
    open: counted.length,
    signatures: counted.flatMap(({ signature }) => signature ?? []),
    ...(distance !== null && { distance }),
  };
}

interface Verdict {
  readonly end: LoopVerdict;
  readonly why: string;
}

function judgeLoop(
  draft: Draft,
  task: string,
  policy: LoopPolicy,
  open: readonly LedgerIssue[],
  now: Measured,
): Verdict | null {
  const { agent: asker } = draft.step(task);
  const loops = draft.state.loops.filter((loop) => loop.task === task);
  const blocking = open.filter((issue) => isBlocking(issue, policy));
  const back = findReopened(blocking, draft.task(task).before);
  if (back !== null)
    return { end: "recurring", why: `An issue that was closed is open again: ${back.id} ${back.description}` };
  const [first, second] = loops.filter((loop) => loop.asker === asker).slice(-2);
  if (first !== undefined && second !== undefined && isIdle(first, second) && isIdle(second, now))
    return { end: "not-falling", why: describeIdle(first, second, now) };
  const { round, granted } = draft.task(task);
  if (round - granted < policy.limit) return null;
  const whose = task === "main" ? "The run" : `Task ${task}`;
  const more = granted === 0 ? "" : ` and ${granted} that a person granted`;
  return { end: "capped", why: `${whose} is in its round ${round}, of at most ${policy.limit}${more}.` };
}

/** An issue that was closed, and that was found again since the last loop began. */
function findReopened(
  open: readonly LedgerIssue[],
  before: Readonly<Record<string, number>> | null,
): LedgerIssue | null {
  if (before === null) return null;
  return open.find(({ id, reopened }) => reopened > (ownValue(before, id) ?? 0)) ?? null;
}

type Progress = Pick<LoopRecord, "open" | "distance">;

/** Whether a round brought nothing. Where there is neither an issue nor a figure, nothing can be said. */
function isIdle(before: Progress, after: Progress): boolean {
  if (after.open < before.open) return false;
  if (after.distance === undefined) return after.open > 0;
  return before.distance === undefined ? after.open > 0 : after.distance >= before.distance;
}

function describeIdle(...rounds: readonly Progress[]): string {
  const counts = `open blocking issues ${rounds.map(({ open }) => open).join(", ")}`;
  const isFigure = rounds.every(({ distance }) => distance !== undefined);
  const figures = isFigure
    ? `; distance of the route's condition from false ${rounds.map(({ distance }) => distance).join(", ")}`
    : "";
  return `Two rounds in a row have brought no progress (${counts}${figures}).`;
}

/**
 * Ends a loop that gets nowhere or has had all its rounds. The workflow decides what follows; work that a gate refused
 * continues only if a person says so.
 */
function endLoop(
  draft: Draft,
  task: string,
  target: string,
  policy: LoopPolicy,
  { end, why }: Verdict,
  occasion: ActionReason,
): NextRule {
  const { agent: asker, gateFailed } = draft.step(task);
  const choice = end === "capped" ? policy.capped : policy.stuck;
  const goesOn = choice === "continue" && !gateFailed;
  draft.record({ kind: "loop-ended", task, asker, end, goesOn, why });
  if (goesOn) return { do: "pass-gates" };
  if (choice === "fail") draft.record({ kind: "task-finished", task, status: "failed", reason: why });
  else escalate(draft, task, why, [occasion.why, ...(occasion.details ?? [])], target);
  return NOTHING;
}
