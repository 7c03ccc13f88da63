import type { Draft } from "../draft.ts";
import type { Problem, ReportAttempt, AttemptEnd } from "../input.ts";
import { noteOverruns } from "./budget.ts";
import { noteJudgements } from "./accept-handoff.ts";
import { type ActionReason, type NextRule, NOTHING } from "./next-rule.ts";
import { runRules } from "./run-rules.ts";
import { countFailure, planRetry } from "./failures.ts";
import { askAboutFiles } from "./ask-person.ts";

/** Handles the end of an attempt. Only the current attempt counts; reports of older ones are ignored. */
export function endAttempt(draft: Draft, report: ReportAttempt): void {
  const task = Object.values(draft.state.tasks).find(
    ({ step }) => step?.phase === "working" && step.attempt === report.attempt,
  );
  if (task === undefined) {
    const why = `Attempt ${report.attempt} is not the one at work.`;
    draft.record({ kind: "input-ignored", input: report.kind, why });
    return;
  }
  const { attempt, end, message, usage, session, isRepositoryGone, heads, record } = report;
  const more = {
    ...(isRepositoryGone && { isRepositoryGone }),
    ...(heads !== undefined && { heads }),
    ...(record !== undefined && { record }),
  };
  const told = { attempt, end, message, usage, session, ...more };
  draft.record({ kind: "attempt-ended", task: task.id, ...told, at: draft.at });
  noteOverruns(draft);
  noteJudgements(draft, task.id, null, report.judgements);
  runRules(draft, task.id, afterAttempt(draft, task.id, report));
}

function afterAttempt(draft: Draft, task: string, report: ReportAttempt): NextRule {
  if (report.isRepositoryGone === true) return { do: "act", action: { kind: "person" }, occasion: goneBy(draft, task) };
  if (report.untrusted !== undefined) {
    askAboutFiles(draft, task, report.untrusted, null);
    return NOTHING;
  }
  if (report.end === "finished") return takeDelivery(report);
  // The baton process died, so this does not count as a failure of the agent.
  if (report.end === "lost") {
    const { reason, session } = draft.step(task);
    return { do: "start-attempt", reason, session: reason.kind === "repair" ? session : null };
  }
  return failAttempt(draft, task, report);
}

/** Another attempt would start from nothing and could not be verified, so a person decides. */
function goneBy(draft: Draft, task: string): ActionReason {
  return {
    why: `The repository is gone: git cannot read .git any more after ${draft.step(task).agent} worked.`,
    details: ["Restore .git first, as from a clone or a backup: without it no work can be verified."],
  };
}

function takeDelivery({ delivery, problems, judgements, tree }: ReportAttempt): NextRule {
  if (delivery !== null && problems.length === 0)
    return { do: "accept", delivery, judgements, ...(tree !== undefined && { tree }) };
  return { do: "send-back", problems: problems.length > 0 ? problems : [NO_HANDOFF] };
}

const NO_HANDOFF: Problem = {
  message: "There is no handoff in the answer.",
  hint: "End with a handoff in the format that was described.",
  where: null,
  rule: null,
};

/**
 * The agent itself failed, so its output is not used. It is retried after a delay unless the failure is permanent,
 * then the failed route.
 */
function failAttempt(draft: Draft, task: string, { end, message, isPermanent }: ReportAttempt): NextRule {
  const why = `${draft.step(task).agent} ${ENDS[end]}${message === "" ? "" : `: ${message}`}`;
  countFailure(draft, task, null, why);
  const broken = { do: "take-route", outcome: "failed", why, isUnusable: true } as const;
  if (isPermanent === true) return { ...broken, isPermanent };
  if (planRetry(draft, task, draft.agent(draft.step(task).agent).retry.most, why)) return NOTHING;
  return broken;
}

const ENDS: Readonly<Record<AttemptEnd, string>> = {
  finished: "finished",
  crashed: "crashed",
  "timed-out": "took too long",
  flooded: "printed too much",
  "could-not-start": "could not be started",
  lost: "was lost",
  stopped: "was stopped",
};
