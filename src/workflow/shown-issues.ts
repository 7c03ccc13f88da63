import { shorten } from "./shorten.ts";
import type { LedgerIssue, RunState, StepReason, TaskState } from "./state.ts";

/** Issues of a prompt: those that are in it, and those that do not fit. */
export interface IssueList {
  readonly shown: readonly LedgerIssue[];
  readonly leftOut: readonly LedgerIssue[];
}

/**
 * Issues that the agent of a step is to fix, and the other open issues of its task and of those that it depends on. The
 * first prompts had no issues that stood in a handoff beside them: `unless` names the authors of these handoffs.
 */
export function issuesForPrompt(
  state: RunState,
  task: TaskState,
  { issues }: Pick<StepReason, "issues">,
  unless: readonly string[] | null = null,
): { readonly toFix: IssueList; readonly others: IssueList } {
  const tasks = unless === null ? [task.id, ...task.dependsOn] : [task.id];
  const toFix = issues.flatMap((id) => (Object.hasOwn(state.ledger, id) ? [state.ledger[id]] : []));
  const others = Object.values(state.ledger).filter(
    (issue) =>
      issue.status === "open" &&
      tasks.includes(issue.task) &&
      !issues.includes(issue.id) &&
      unless?.includes(issue.openedBy) !== true,
  );
  return { toFix: fitList(toFix.filter((issue) => issue !== undefined)), others: fitList(others) };
}

/**
 * Ids of the issues that the prompt of the task's present step shows. Only of these can an agent mean that they are gone
 * when it reports them no more.
 */
export function shownIssueIds(state: RunState, task: TaskState): ReadonlySet<string> {
  if (task.step === null) return new Set();
  const { toFix, others } = issuesForPrompt(state, task, task.step.reason);
  return new Set([...toFix.shown, ...others.shown].map(({ id }) => id));
}

/** The most severe first, whole issues only, as many as fit. */
function fitList(issues: readonly LedgerIssue[]): IssueList {
  const bySeverity = issues.toSorted((left, right) => rankOf(left) - rankOf(right));
  let length = 0;
  const end = bySeverity.findIndex((issue) => (length += printIssue(issue).length + 2) > MAX_LENGTH);
  return end === -1
    ? { shown: bySeverity, leftOut: [] }
    : { shown: bySeverity.slice(0, end), leftOut: bySeverity.slice(end) };
}

/** Less than an envelope takes. */
const MAX_LENGTH = 19_000;

const SEVERITIES: readonly string[] = ["critical", "high", "important", "", "medium", "low"];

function rankOf({ severity }: LedgerIssue): number {
  const rank = SEVERITIES.indexOf(severity);
  return rank === -1 ? SEVERITIES.length : rank;
}

/** As it stands in a list of issues. */
export function printIssue(issue: LedgerIssue): string {
  return JSON.stringify(shorten(structured(issue)).value, null, 2).replaceAll(/^/gm, "  ");
}

/** The fields that 000's orchestrator passes on, with file and line apart. */
export function structured(issue: LedgerIssue) {
  const { id, severity, category, location, description, remediation, openedBy, claimed } = issue;
  const [, file = location ?? "", line = null] = /^(.*?):(\d+)/.exec(location ?? "") ?? [];
  return {
    id,
    severity,
    category,
    file,
    line: line === null ? null : Number(line),
    description,
    remediation,
    found_by: openedBy,
    ...(claimed !== undefined && { [CLAIMED[claimed.status]]: claimed.by }),
  };
}

const CLAIMED = { fixed: "said_to_be_fixed_by", wontfix: "will_not_be_fixed_by" } as const;
