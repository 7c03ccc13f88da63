import { count } from "../shared/count.ts";
import type { Workflow } from "./definition.ts";
import { isBlocking, openIssues, reporterOf } from "./rules/issue-ledger.ts";
import {
  type LedgerIssue,
  REMARK_KINDS,
  type RemarkCounts,
  type RemarkKind,
  type RunState,
  type Waiver,
} from "./state.ts";

interface Remark {
  readonly kind: RemarkKind;
  readonly text: string;
}

/** The remarks on a run as it stands, worst first. */
export function remarksOf(workflow: Workflow, state: RunState): readonly Remark[] {
  return [
    ...issueRemarks(workflow, state),
    ...state.waived.map((waiver) => remark("waived", describeWaiver(waiver))),
    ...refutedRemarks(workflow, state),
    ...state.unknowns.map(({ condition, agent, task }) =>
      remark("unknown", `it is not known whether ${condition} holds after ${agent}${on(task)}`),
    ),
  ]
    .filter(({ text }, at, all) => all.findIndex((other) => other.text === text) === at)
    .sort((left, right) => REMARK_KINDS.indexOf(left.kind) - REMARK_KINDS.indexOf(right.kind));
}

export function countRemarks(remarks: readonly Pick<Remark, "kind">[]): RemarkCounts {
  const counts = { open: 0, waived: 0, refuted: 0, unknown: 0 };
  for (const { kind } of remarks) counts[kind]++;
  return counts;
}

/** Shown with the end of a run, in one line; empty when there are none. */
export function summariseRemarks(counts: RemarkCounts): string {
  return REMARK_KINDS.flatMap((kind) => (counts[kind] === 0 ? [] : [PHRASES[kind](counts[kind])])).join(", ");
}

const PHRASES: Readonly<Record<RemarkKind, (found: number) => string>> = {
  open: (found) => `${count(found, "blocking issue")} open`,
  waived: (found) => `${found} waived`,
  refuted: (found) => `${count(found, "claim")} refuted`,
  unknown: (found) => `${count(found, "condition")} unknown`,
};

function remark(kind: RemarkKind, text: string): Remark {
  return { kind, text };
}

function on(task: string): string {
  return task === "main" ? "" : ` on ${task}`;
}

function issueRemarks(workflow: Workflow, state: RunState): Remark[] {
  return openIssues(state)
    .filter((issue) => blocksEnd(workflow, issue))
    .map(({ id, severity, description, waivedBy, task }) => {
      const what = `${severity === "" ? "issue" : `${severity} issue`} ${id}${on(task)} is open: ${description}`;
      return waivedBy === undefined ? remark("open", what) : remark("waived", `${what} (waived by ${waivedBy})`);
    });
}

/** An agent's own policy is for the loops that it asks for; at the end the strictest one counts. */
function blocksEnd(workflow: Workflow, issue: LedgerIssue): boolean {
  const agents = [issue.openedBy, reporterOf(issue)].map((name) => workflow.agents[name]?.loop);
  return [workflow.loop, ...agents].some((policy) => policy !== undefined && isBlocking(issue, policy));
}

function describeWaiver({ task, agent, what, name, by }: Waiver): string {
  switch (what) {
    case "gate":
      return `gate ${name} of ${agent}${on(task)} was waived by ${by ?? "the workflow"}`;
    case "loop":
      return `the workflow let the work continue after the loop of ${agent}${on(task)} ended: ${name}`;
    case "failure":
      return `the workflow ended the task${on(task)} although ${agent} did not finish: ${name}`;
    case "question":
      return `${by ?? "the workflow"} let the work of ${agent}${on(task)} continue: ${name}`;
  }
}

/** Claims whose policy is `record` are only stored. */
function refutedRemarks(workflow: Workflow, state: RunState): Remark[] {
  return Object.values(state.tasks).flatMap(({ id, refuted }) =>
    Object.values(refuted).flatMap(({ agent, claims }) => {
      const policy = workflow.agents[agent]?.verify ?? null;
      const told = claims.filter(({ kind }) => policy !== null && policy[kind] !== "record");
      return told.map(({ says, evidence }) =>
        remark("refuted", `${agent}${on(id)} claims what is not true: ${says} ${evidence}`),
      );
    }),
  );
}
