import type { Handoff, Outcome } from "../../protocol/handoff.ts";
import { checkName, provenName } from "../../evidence/check-word.ts";
import { ownValue } from "../../shared/json-value.ts";
import type { GateDefinition, LoopPolicy } from "../definition.ts";
import type { Draft } from "../draft.ts";
import { shownIssueIds } from "../shown-issues.ts";
import type { LedgerIssue, RunState } from "../state.ts";

/** Open issues, of one task if it is named; parallel tasks do not share issues. */
export function openIssues(state: RunState, task?: string): LedgerIssue[] {
  return Object.values(state.ledger).filter(
    (issue) => issue.status === "open" && (task === undefined || issue.task === task),
  );
}

/** Whether there is something to fix: an issue that is said to be fixed waits for its reporter. */
export function isToFix({ status, claimed }: LedgerIssue): boolean {
  return status === "open" && claimed === undefined;
}

/** Issues an agent was asked to fix and has not called fixed; every further attempt gets them again. */
export function stillToFix({ ledger }: RunState, ids: readonly string[]): string[] {
  return ids.filter((id) => {
    const issue = ownValue(ledger, id);
    return issue !== undefined && isToFix(issue);
  });
}

/** Whether an issue blocks, by the workflow's list of severities. An issue without a severity blocks. */
export function isBlocking(issue: LedgerIssue, policy: LoopPolicy): boolean {
  return issue.severity === "" || policy.blocking.some((severity) => isAsSevere(issue, severity));
}

/** 001's `important` and blocking issues count as `high`. */
export function isAsSevere(issue: LedgerIssue, severity: string): boolean {
  return commonWord(issue.severity) === commonWord(severity);
}

function commonWord(severity: string): string {
  return severity === "important" ? "high" : severity;
}

/** Who hands over, in which task, and the files as they are then. */
interface Author {
  readonly task: string;
  readonly agent: string;
  readonly tree?: string;
}

/** An author of issues, and whether it sends the work back to another agent that is to fix them. */
interface Finder extends Author {
  readonly sendsBack: boolean;
}

function sendsBack({ workflow }: Draft, agent: string, { outcome }: Handoff): boolean {
  const routes = outcome === "needs-fixes" || outcome === "failed" ? workflow.agents[agent]?.routes[outcome] : [];
  return (routes ?? []).some(({ action }) => action.kind === "loop" && action.to !== agent);
}

/** Enters the issues of a handoff into the ledger of the run, in any format. */
export function updateLedger(draft: Draft, author: Author, handoff: Handoff): void {
  const { task, agent } = author;
  const reported = atMost(reportedIssues(handoff, agent, draft.step(task).id), `${agent}-${draft.step(task).id}`);
  const known = matchKnown(draft.state, task, reported);
  const shown = shownIssueIds(draft.state, draft.task(task));
  const finder = { ...author, sendsBack: sendsBack(draft, agent, handoff) };
  const seen = new Set(reported.map((issue, at) => enter(draft, finder, issue, known[at] ?? null)));
  for (const id of handoff.findings?.resolved ?? []) {
    const resolved = ownIssue(draft.state, task, id);
    if (resolved !== null) settle(draft, resolved, "fixed", agent, `${agent} says that it is resolved`);
  }
  for (const { location } of handoff.findings?.fixes ?? [])
    if (location !== undefined) settleAt(draft, task, location, agent, seen);
  if (hasJudged(handoff)) closeUnseen(draft, task, agent, new Set([...shown].filter((id) => !seen.has(id))));
}

/** An agent that fails and lists issues has reviewed the work, too. */
function hasJudged(handoff: Handoff): boolean {
  if (JUDGED.includes(handoff.outcome) || isBlockedByTests(handoff)) return true;
  return handoff.outcome === "failed" && (handoff.findings?.issues ?? []).length > 0;
}

/** Outcomes of an agent that has reviewed everything it had to review. */
const JUDGED: readonly Outcome[] = ["done", "done-with-warnings", "needs-fixes", "needs-review"];

/** A handoff may list thousands of issues; those over the limit become one. */
function atMost(reported: readonly Report[], name: string): readonly Report[] {
  if (reported.length <= MAX_ISSUES) return reported;
  const description = `${reported.length - MAX_ISSUES} more issues, which are in the handoff itself`;
  return [...reported.slice(0, MAX_ISSUES), { ...NO_DETAILS, id: `${name}-more`, description, signature: null }];
}

const MAX_ISSUES = 200;

interface Report {
  readonly id: string | null;
  readonly status: "open" | "fixed" | "wontfix";
  readonly severity: string;
  readonly category: string | null;
  readonly location: string | null;
  readonly description: string;
  readonly remediation: string | null;
  readonly signature: string | null;
  /** The check that failed. */
  readonly check?: string;
}

/** Whether a handoff reports issues, so that they can be fixed from then on. */
export function reportsIssues(handoff: Handoff): boolean {
  return reportedIssues(handoff, "", "").some(({ status }) => status === "open");
}

function reportedIssues(handoff: Handoff, agent: string, step: string): Report[] {
  const { issues: listed = [], new_issues: news = [], failures: failed = [] } = handoff.findings ?? {};
  const issues = listed.map(({ id, status, severity, category, location, description, remediation }) =>
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
  const brought = news.map((description) => newReport({ ...NO_DETAILS, id: null, description }));
  const failures = failed.map(({ type, location, description }) => {
    const check = type === undefined ? null : checkName(type.toLowerCase());
    return newReport({
      ...NO_DETAILS,
      category: type ?? null,
      location: location ?? null,
      description: description ?? "",
      ...(check !== null && { check }),
    });
  });
  const all = [...issues, ...brought, ...failures, ...failingTests(handoff)];
  if (all.length > 0 || !asksForWork(handoff)) return all;
  // A loop request without issues becomes one issue without a signature.
  const description = handoff.routing?.loop?.reason ?? handoff.summary ?? `${agent} asks for fixes`;
  return [{ ...NO_DETAILS, id: `${agent}-${step}`, description, signature: null }];
}

/** 004 has no list of issues; failing tests are among the blockers of blocked work. */
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

/** Identifies an issue by file, category and words, because line numbers move when code changes. */
function newReport(issue: Omit<Report, "signature">): Report {
  const { file } = placeOf(issue.location);
  const words = issue.description
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
  return { ...issue, signature: `${file}|${issue.category ?? ""}|${words}` };
}

interface Place {
  readonly file: string;
  readonly line: number | null;
}

function placeOf(location: string | null): Place {
  const [, file = location ?? "", line = null] = /^(.*?):(\d+)[\d:-]*$/.exec(location ?? "") ?? [];
  return { file, line: line === null ? null : Number(line) };
}

/**
 * The issue of the ledger that each report is about, within its task, whichever agent reports it: the one with the same
 * id, else with the same words, else of the same category at nearly the same place. No issue is matched twice, so two
 * problems of one report stay two.
 */
function matchKnown(state: RunState, task: string, reports: readonly Report[]): readonly (LedgerIssue | null)[] {
  const own = Object.values(state.ledger).filter((issue) => issue.task === task);
  const matches: (LedgerIssue | null)[] = reports.map(({ id, description }) =>
    id === null ? ownIssue(state, task, description) : ownIssue(state, task, id),
  );
  const taken = new Set(matches.map((issue) => issue?.id));
  for (const distance of [bySignature, byPlace])
    for (const [at, report] of reports.entries()) {
      if (matches[at] !== null) continue;
      const free = own.filter((issue) => !taken.has(issue.id));
      const near = free
        .map((issue) => ({ issue, apart: distance(report, issue) }))
        .filter(({ apart }) => apart < Infinity)
        .sort((left, right) => left.apart - right.apart)[0];
      if (near === undefined) continue;
      matches[at] = near.issue;
      taken.add(near.issue.id);
    }
  return matches;
}

function bySignature({ signature }: Report, known: LedgerIssue): number {
  return signature !== null && known.signature === signature ? 0 : Infinity;
}

/**
 * Lines between two reports of one category in one file; too far apart, they are two issues. Reports with an id and
 * without a category are told apart by their ids.
 */
function byPlace({ id, location, category }: Report, known: LedgerIssue): number {
  if (id !== null && category === null) return Infinity;
  const [one, other] = [placeOf(location), placeOf(known.location)];
  if (one.line === null || other.line === null || one.file !== other.file || category !== known.category)
    return Infinity;
  const apart = Math.abs(one.line - other.line);
  return apart <= NEARBY ? apart : Infinity;
}

const NEARBY = 10;

/** Enters one issue of a handoff; returns its id in the ledger. */
function enter(draft: Draft, author: Finder, issue: Report, known: LedgerIssue | null): string {
  if (known === null) return open(draft, author, issue);
  const { agent } = author;
  if (issue.status === "open") reportAgain(draft, author, known);
  else settle(draft, known, issue.status, agent, `${agent} reports it as ${issue.status}`);
  return known.id;
}

function open(draft: Draft, { task, agent, tree }: Author, { status, id: given, ...issue }: Report): string {
  const id = newId(draft.state, task, agent, given);
  const history = [{ status: "open", by: agent, at: draft.at } as const];
  const entry = { ...issue, id, status: "open", openedBy: agent, task, reopened: 0, history } as const;
  draft.record({ kind: "issue-opened", issue: { ...entry, ...(tree !== undefined && { tree }) } });
  if (status !== "open") change(draft, id, status, agent, `${agent} reports it as ${status}`);
  return id;
}

/**
 * An issue that was closed is open again; of one that is open, its reporter and the state of its files may be news.
 * Another agent becomes the reporter of an open issue only when it sends the work back: one that goes on with the work
 * repeats what it was told.
 */
function reportAgain(draft: Draft, { agent, tree, sendsBack: isBack }: Finder, known: LedgerIssue): void {
  const { id, status, claimed } = known;
  const at = tree === undefined ? {} : { tree };
  const isClosed = status !== "open";
  if (isClosed) {
    const why = `${agent} found it again`;
    draft.record({ kind: "issue-changed", id, status: "reopened", by: agent, at: draft.at, why, ...at });
  }
  if (reporterOf(known) !== agent) {
    const isFinder = (isClosed || isBack) && !isFixer(draft, agent, known);
    if (isFinder) draft.record({ kind: "issue-seen", id, by: agent, ...at });
  } else if (!isClosed && (claimed !== undefined || (tree !== undefined && tree !== known.tree)))
    draft.record({ kind: "issue-seen", id, by: agent, ...at });
}

/**
 * An agent that has called the issue fixed, or to which loops or its reporter send what is to be fixed: its report is no
 * finding of its own.
 */
function isFixer({ state, workflow }: Draft, agent: string, issue: LedgerIssue): boolean {
  if (issue.history.some(({ status, by }) => status === "claimed" && by === agent)) return true;
  if (state.loops.some(({ task, target }) => task === issue.task && target === agent)) return true;
  const { "needs-fixes": fixes = [], failed = [] } = workflow.agents[reporterOf(issue)]?.routes ?? {};
  return [...fixes, ...failed].some(({ action }) => action.kind === "go" && action.to === agent);
}

/** The agent that reported an issue last: only that one can say that it is gone. */
export function reporterOf({ seenBy, openedBy }: LedgerIssue): string {
  return seenBy ?? openedBy;
}

/** Finds an issue within its own task, because each task numbers its issues from one. */
function ownIssue({ ledger }: RunState, task: string, id: string): LedgerIssue | null {
  const names = [id, `${id}@${task}`];
  return names.map((name) => ownValue(ledger, name)).find((issue) => issue?.task === task) ?? null;
}

/** An id that is still free. One that another task uses gets the name of the task. */
function newId({ ledger }: RunState, task: string, agent: string, id: string | null): string {
  const free = (id === null ? [] : [id, `${id}@${task}`]).find((name) => !Object.hasOwn(ledger, name));
  if (free !== undefined) return free;
  let number = Object.keys(ledger).length + 1;
  while (Object.hasOwn(ledger, `${agent}-${number}`)) number++;
  return `${agent}-${number}`;
}

function change(draft: Draft, id: string, status: "fixed" | "wontfix", by: string, why: string): void {
  draft.record({ kind: "issue-changed", id, status, by, at: draft.at, why });
}

/** The word of the agent that reported an issue closes it. Another agent's word is noted, and the issue stays open. */
function settle(draft: Draft, issue: LedgerIssue, status: "fixed" | "wontfix", by: string, why: string): void {
  const { id, claimed } = issue;
  if (issue.status !== "open") return;
  if (reporterOf(issue) === by) change(draft, id, status, by, why);
  else if (claimed?.by !== by || claimed.status !== status)
    draft.record({ kind: "fix-claimed", id, status, by, at: draft.at, why });
}

/** A fix at the place of an open issue (001-R26). */
function settleAt(draft: Draft, task: string, location: string, agent: string, seen: ReadonlySet<string>): void {
  for (const issue of openIssues(draft.state, task))
    if (issue.location === location && !seen.has(issue.id))
      settle(draft, issue, "fixed", agent, `${agent} says that it fixed ${location}`);
}

/**
 * An agent that reviews again and no longer reports an issue that it reported last has closed it, if its prompt told it
 * of the issue.
 */
function closeUnseen(draft: Draft, task: string, agent: string, unreported: ReadonlySet<string>): void {
  for (const issue of openIssues(draft.state, task))
    if (reporterOf(issue) === agent && unreported.has(issue.id))
      change(draft, issue.id, "fixed", agent, `${agent} looked again and no longer reports it`);
}

/** A gate that has passed closes the failures of the checks that it proves. */
export function closeProven(draft: Draft, task: string, { name, proves }: GateDefinition): void {
  const proven = new Set(proves.map(provenName));
  for (const { id, check } of openIssues(draft.state, task))
    if (check !== undefined && proven.has(check))
      change(draft, id, "fixed", `gate ${name}`, `gate ${name} proves ${check} and passed`);
}
