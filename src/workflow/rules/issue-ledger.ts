import type { Handoff, Outcome } from "../../protocol/handoff.ts";
import type { LoopPolicy } from "../definition.ts";
import type { Draft } from "../draft.ts";
import type { LedgerIssue, RunState } from "../state.ts";

/** Of one task when it is named: parallel tasks do not answer for each other. */
export function openIssues(state: RunState, task?: string): LedgerIssue[] {
  return Object.values(state.ledger).filter(
    (issue) => issue.status === "open" && (task === undefined || issue.task === task),
  );
}

/** What an agent was asked to fix and has not: it is told again with every further try. */
export function stillToFix({ ledger }: RunState, ids: readonly string[]): string[] {
  return ids.filter((id) => Object.hasOwn(ledger, id) && ledger[id]?.status === "open");
}

/** By the workflow's list of severities. What has none was a reason to go back by itself. */
export function isBlocking(issue: LedgerIssue, policy: LoopPolicy): boolean {
  return issue.severity === "" || policy.blocking.some((severity) => isAsSevere(issue, severity));
}

/** What 001 calls important, and what blocks there, is high in the words of the others. */
export function isAsSevere(issue: LedgerIssue, severity: string): boolean {
  return commonWord(issue.severity) === commonWord(severity);
}

function commonWord(severity: string): string {
  return severity === "important" ? "high" : severity;
}

/** Takes what a handoff says about issues into the ledger of the run, whatever dialect said it. */
export function updateLedger(draft: Draft, task: string, agent: string, handoff: Handoff): void {
  const reported = atMost(reportedIssues(handoff, agent, draft.step(task).id), `${agent}-${draft.step(task).id}`);
  const seen = new Set<string>();
  for (const issue of reported) seen.add(enter(draft, task, agent, issue));
  for (const id of handoff.findings?.resolved ?? []) {
    const known = ownIssue(draft.state, task, id) ?? ownIssue(draft.state, task, `${id}@${task}`);
    if (known !== null) close(draft, known, agent, `${agent} says it is resolved`);
  }
  for (const { location } of handoff.findings?.fixes ?? [])
    if (location !== undefined) closeAt(draft, task, location, agent, seen);
  if (hasJudged(handoff)) closeUnseen(draft, task, agent, seen);
}

/** Who fails and lists issues has looked, too. */
function hasJudged(handoff: Handoff): boolean {
  if (JUDGED.includes(handoff.outcome) || isBlockedByTests(handoff)) return true;
  return handoff.outcome === "failed" && (handoff.findings?.issues ?? []).length > 0;
}

/** Outcomes of an agent that has looked at everything it had to look at. */
const JUDGED: readonly Outcome[] = ["done", "done-with-warnings", "needs-fixes", "needs-review"];

/** A handoff may list thousands; the rest stand as one. */
function atMost(reported: readonly Report[], name: string): readonly Report[] {
  if (reported.length <= MOST_ISSUES) return reported;
  const description = `${reported.length - MOST_ISSUES} more issues, which are in the handoff itself`;
  return [...reported.slice(0, MOST_ISSUES), { ...NO_DETAILS, id: `${name}-more`, description, signature: null }];
}

const MOST_ISSUES = 200;

interface Report {
  readonly id: string | null;
  readonly status: "open" | "fixed" | "wontfix";
  readonly severity: string;
  readonly category: string | null;
  readonly location: string | null;
  readonly description: string;
  readonly remediation: string | null;
  readonly signature: string | null;
}

function reportedIssues(handoff: Handoff, agent: string, step: string): Report[] {
  const issues = (handoff.findings?.issues ?? []).map(
    ({ id, status, severity, category, location, description, remediation }) =>
      newReport({
        id: id ?? null,
        status: status === "fixed" || status === "wontfix" ? status : "open",
        severity: severity?.toLowerCase() ?? "",
        category: category ?? null,
        location: location ?? null,
        description: description ?? "",
        remediation: remediation ?? null,
      }),
  );
  const failures = (handoff.findings?.failures ?? []).map(({ type, location, description }) =>
    newReport({ ...NO_DETAILS, category: type ?? null, location: location ?? null, description: description ?? "" }),
  );
  const all = [...issues, ...failures, ...failingTests(handoff)];
  if (all.length > 0 || !asksForWork(handoff)) return all;
  // It wants the work done again and lists nothing: one issue without a signature stands for that.
  const description = handoff.routing?.loop?.reason ?? handoff.summary ?? `${agent} asks for fixes`;
  return [{ ...NO_DETAILS, id: `${agent}-${step}`, description, signature: null }];
}

/** 004 has no list of issues: tests that fail stand among the blockers of blocked work. */
function failingTests(handoff: Handoff): Report[] {
  if (!isBlockedByTests(handoff)) return [];
  return (handoff.blockers ?? []).map(({ type, description, resolution }) =>
    newReport({
      ...NO_DETAILS,
      category: type ?? null,
      description: description ?? "",
      remediation: resolution ?? null,
    }),
  );
}

function isBlockedByTests({ outcome, routing }: Handoff): boolean {
  return outcome === "blocked" && routing?.blocked_reason === "test_failures";
}

const NO_DETAILS = {
  id: null,
  status: "open",
  severity: "",
  category: null,
  location: null,
  remediation: null,
} as const;

function asksForWork(handoff: Handoff): boolean {
  return handoff.outcome === "needs-fixes" || handoff.routing?.loop?.required === true;
}

/** Lines move when code is mended, words of a report less so: file, category and words tell an issue again. */
function newReport(issue: Omit<Report, "signature">): Report {
  const file = issue.location?.replace(/:[\d:-]+$/, "") ?? "";
  const words = issue.description
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
  return { ...issue, signature: `${file}|${issue.category ?? ""}|${words}` };
}

/** Opens, reopens or closes; gives the id under which the ledger knows it. */
function enter(draft: Draft, task: string, agent: string, issue: Report): string {
  const known = findKnown(draft.state, task, agent, issue);
  if (known === null) {
    const id = newId(draft.state, task, agent, issue);
    const { signature, severity, category, location, description, remediation } = issue;
    const history = [{ status: "open", by: agent, at: draft.at } as const];
    const entry = { id, status: "open", severity, category, location, description, remediation, signature } as const;
    draft.record({ kind: "issue-opened", issue: { ...entry, openedBy: agent, task, reopened: 0, history } });
    if (issue.status !== "open") change(draft, id, issue.status, agent, `${agent} reports it as ${issue.status}`);
    return id;
  }
  if (issue.status === "open" && known.status !== "open")
    change(draft, known.id, "reopened", agent, `${agent} found it again`);
  else if (issue.status !== "open" && known.status === "open")
    change(draft, known.id, issue.status, agent, `${agent} reports it as ${issue.status}`);
  return known.id;
}

/** Each task counts its issues from one: what is open in another task is not what is meant here. */
function ownIssue({ ledger }: RunState, task: string, id: string): LedgerIssue | null {
  const known = Object.hasOwn(ledger, id) ? ledger[id] : undefined;
  return known?.task === task ? known : null;
}

/** The same id, unless another agent means something else by it; or the same signature. */
function findKnown(state: RunState, task: string, agent: string, issue: Report): LedgerIssue | null {
  for (const id of issue.id === null ? [] : [issue.id, ...otherNames(issue.id, agent, task)]) {
    const known = ownIssue(state, task, id);
    if (known !== null && (known.openedBy === agent || known.signature === issue.signature || issue.status !== "open"))
      return known;
  }
  if (issue.signature === null || issue.id !== null) return null;
  const own = Object.values(state.ledger).filter((known) => known.task === task);
  return own.find((known) => known.signature === issue.signature) ?? null;
}

/** What an issue is called whose id is taken: by another agent of its task, or in another task. */
function otherNames(id: string, agent: string, task: string): string[] {
  return [`${id}@${agent}`, `${id}@${task}`, `${id}@${agent}.${task}`];
}

/** One that nobody has: an agent may write the id that another would get. */
function newId({ ledger }: RunState, task: string, agent: string, { id }: Report): string {
  if (id !== null && !Object.hasOwn(ledger, id)) return id;
  const [byAgent, ...byTask] = id === null ? [] : otherNames(id, agent, task);
  const names = id !== null && ledger[id]?.task !== task ? byTask : [byAgent];
  const free = names.find((name) => name !== undefined && !Object.hasOwn(ledger, name));
  if (free !== undefined) return free;
  let number = Object.keys(ledger).length + 1;
  while (Object.hasOwn(ledger, `${agent}-${number}`)) number++;
  return `${agent}-${number}`;
}

function change(draft: Draft, id: string, status: "fixed" | "wontfix" | "reopened", by: string, why: string): void {
  draft.record({ kind: "issue-changed", id, status, by, at: draft.at, why });
}

function close(draft: Draft, { id, status }: LedgerIssue, by: string, why: string): void {
  if (status === "open") change(draft, id, "fixed", by, why);
}

/** A fix at the place of an open issue (001-R26). */
function closeAt(draft: Draft, task: string, location: string, agent: string, seen: ReadonlySet<string>): void {
  for (const issue of openIssues(draft.state, task))
    if (issue.location === location && !seen.has(issue.id)) close(draft, issue, agent, `${agent} fixed ${location}`);
}

/** Who reported an issue, looked again and does not report it, says that it is gone. */
function closeUnseen(draft: Draft, task: string, agent: string, seen: ReadonlySet<string>): void {
  for (const issue of openIssues(draft.state, task))
    if (issue.openedBy === agent && !seen.has(issue.id))
      close(draft, issue, agent, `${agent} looked again and no longer reports it`);
}
