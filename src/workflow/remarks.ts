import { count } from "../shared/count.ts";
import { CLAIM_TRAITS } from "../evidence/claim.ts";
import { answerTo } from "../evidence/policy.ts";
import type { Workflow } from "./definition.ts";
import { isSameClaim } from "./rules/ask-about-claims.ts";
import { isBlocking, openIssues, reporterOf } from "./rules/issue-ledger.ts";
import {
  type JudgedClaim,
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
    ...unprovenRemarks(workflow, state),
    ...uncheckedRemarks(state),
  ]
    .filter(({ text }, at, all) => all.findIndex((other) => other.text === text) === at)
    .sort((left, right) => REMARK_KINDS.indexOf(left.kind) - REMARK_KINDS.indexOf(right.kind));
}

export function countRemarks(remarks: readonly Pick<Remark, "kind">[]): RemarkCounts {
  const counts = { open: 0, waived: 0, refuted: 0, unknown: 0, unproven: 0, undeclared: 0, unchecked: 0 };
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
  unproven: (found) => `${count(found, "claim")} unproven`,
  undeclared: (found) => `changed files missing from ${count(found, "handoff")}`,
  unchecked: (found) => `${found} not checked`,
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
    .map((issue) => {
      const { id, severity, description, waivedBy, task } = issue;
      const name = `${severity === "" ? "issue" : `${severity} issue`} ${id}${on(task)}`;
      const what = `${name} is open: ${claimInWords(issue)}${description}`;
      return waivedBy === undefined ? remark("open", what) : remark("waived", `${what} (waived by ${waivedBy})`);
    });
}

/** What an agent that did not report the issue says about it. */
function claimInWords(issue: LedgerIssue): string {
  const { claimed } = issue;
  if (claimed === undefined) return "";
  const words = claimed.status === "fixed" ? "says that it is fixed" : "will not fix it";
  return `${claimed.by} ${words}, and ${reporterOf(issue)} has not looked again: `;
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
  return Object.values(state.tasks).flatMap(({ id, refuted, acceptedClaims }) =>
    Object.values(refuted).flatMap(({ agent, claims }) => {
      const policy = workflow.agents[agent]?.verify ?? null;
      const told = claims.filter(({ kind }) => policy !== null && answerTo(policy, kind) !== "record");
      return told.map((claim) => {
        const by = acceptedClaims.find((one) => one.agent === agent && isSameClaim(one, claim))?.by;
        const what = describeRefuted(`${agent}${on(id)}`, claim);
        return by === undefined ? remark("refuted", what) : remark("waived", `${what} (accepted by ${by})`);
      });
    }),
  );
}

/** Agents that come with Baton run their checks themselves. */
function unprovenRemarks(workflow: Workflow, state: RunState): Remark[] {
  return Object.values(state.tasks).flatMap(({ id, unproven = {} }) =>
    Object.values(unproven).flatMap(({ agent, claims }) =>
      workflow.agents[agent]?.runner.kind === "builtin"
        ? []
        : Object.values(claims).flatMap((claim) => unprovenRemark(workflow, `${agent}${on(id)}`, agent, claim)),
    ),
  );
}

function describeRefuted(agent: string, { isImplied, says, evidence }: JudgedClaim): string {
  return isImplied === true ? `${agent}: ${evidence}` : `${agent} claims what is not true: ${says} ${evidence}`;
}

function unprovenRemark(workflow: Workflow, who: string, agent: string, claim: JudgedClaim): Remark[] {
  const { kind, says, evidence } = claim;
  if (CLAIM_TRAITS[kind].judgedBy === "gate")
    return [remark("unproven", `${who} claims it, and no gate proves it: ${says}`)];
  const policy = workflow.agents[agent]?.verify ?? null;
  if (policy === null || answerTo(policy, kind) === "record") return [];
  if (kind !== "undeclared" && kind !== "workspace")
    return [remark("unproven", `${who} claims it, and nothing that is known fits it: ${says} ${evidence}`)];
  return [remark("undeclared", `${who} does not name all that it changed: ${evidence}`)];
}

/** What of a session was not checked: the client ended it, and nothing shows that its work is good. */
function uncheckedRemarks({ observed, tasks, status }: RunState): Remark[] {
  if (observed === undefined) return [];
  const all = Object.values(tasks);
  if (all.length === 0)
    return status === "completed"
      ? [remark("unchecked", "no agent of the session handed over: nothing was checked")]
      : [];
  return all.flatMap(({ id, name, status: word, reason }) =>
    word === "cancelled" ? [remark("unchecked", `${name}${on(id)}: ${reason ?? "no handoff was read"}`)] : [],
  );
}
