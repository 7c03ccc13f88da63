import type { Draft } from "../draft.ts";
import type { Problem, ReportAttempt } from "../input.ts";
import { noteOverruns } from "./budget.ts";
import { failAttempt } from "./fail-attempt.ts";
import { noteJudgements } from "./judge-handoff.ts";
import type { Turn } from "./turn.ts";
import { carryOut } from "./carry-out.ts";

/** An agent has ended, one way or another. Only the attempt that is at work counts: an older one is fenced off. */
export function endAttempt(draft: Draft, report: ReportAttempt): void {
  const task = Object.values(draft.state.tasks).find(
    ({ step }) => step?.phase === "working" && step.attempt === report.attempt,
  );
  if (task === undefined) {
    const why = `Attempt ${report.attempt} is not the one at work.`;
    draft.record({ kind: "input-ignored", input: report.kind, why });
    return;
  }
  const { attempt, end, message, usage, session, record } = report;
  const told = { attempt, end, message, usage, session, ...(record !== undefined && { record }) };
  draft.record({ kind: "attempt-ended", task: task.id, ...told, at: draft.at });
  noteOverruns(draft);
  noteJudgements(draft, task.id, null, report.judgements);
  carryOut(draft, task.id, afterAttempt(draft, task.id, report));
}

function afterAttempt(draft: Draft, task: string, report: ReportAttempt): Turn {
  if (report.end === "finished") return takeDelivery(report);
  // Whoever watched it died: nobody's fault, so it is not counted.
  if (report.end === "lost") {
    const { reason, session } = draft.step(task);
    return { do: "start-attempt", reason, session: reason.kind === "repair" ? session : null };
  }
  return failAttempt(draft, task, report);
}

function takeDelivery({ delivery, problems, judgements }: ReportAttempt): Turn {
  if (delivery !== null && problems.length === 0) return { do: "accept", delivery, judgements };
  return { do: "send-back", problems: problems.length > 0 ? problems : [NO_HANDOFF] };
}

const NO_HANDOFF: Problem = {
  message: "There is no handoff in the answer.",
  hint: "End with a handoff in the format that was described.",
  where: null,
  rule: null,
};
