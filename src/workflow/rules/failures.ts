import type { Handoff } from "../../protocol/handoff.ts";
import { type JsonRecord, isRecord, ownValue } from "../../shared/json-value.ts";
import type { FailureClass } from "../event.ts";
import type { Draft } from "../draft.ts";
import { stillToFix } from "./issue-ledger.ts";

/** Words that seed 000 gives as reasons of a loop, and the classes of its orchestrator. */
const REASONS: Readonly<Record<string, FailureClass>> = {
  BUGS_IN_CODE: "BUGS_IN_CODE",
  BUGS_FOUND_IN_TESTS: "BUGS_IN_CODE",
  CRITICAL_CODE_QUALITY_ISSUES: "BUGS_IN_CODE",
  CRITICAL_SECURITY_VULNERABILITIES: "BUGS_IN_CODE",
  INSUFFICIENT_TESTS: "INSUFFICIENT_TESTS",
  FLAKY_TESTS: "FLAKY_TESTS",
};

/** Classifies why work must be repeated, from structured fields only: prose decides nothing. */
export function classifyFailure(handoff: Handoff): FailureClass {
  const reason = ownValue(REASONS, handoff.routing?.loop?.reason ?? "");
  if (reason !== undefined) return reason;
  return (
    classifyIssues(handoff.findings?.issues?.filter(isOpen) ?? []) ??
    (lacksCoverage(handoff) ? "INSUFFICIENT_TESTS" : "UNKNOWN")
  );
}

function classifyIssues(issues: readonly { readonly category?: string | undefined }[]): FailureClass | null {
  if (issues.some(needsCode)) return "BUGS_IN_CODE";
  if (issues.length > 0 && issues.every(isFlaky)) return "FLAKY_TESTS";
  if (issues.some(({ category = "" }) => IN_CODE.includes(category))) return "BUGS_IN_CODE";
  return null;
}

const IN_CODE = ["bug", "security"];

function isOpen({ status }: { readonly status?: string | undefined }): boolean {
  return status === undefined || status === "open";
}

function isFlaky({ category }: { readonly category?: string | undefined }): boolean {
  return category === "flaky";
}

function needsCode(issue: object): boolean {
  return "requires_code_change" in issue && issue.requires_code_change === true;
}

function lacksCoverage(handoff: Handoff): boolean {
  const coverage = coverageFigure(handoff);
  const wanted = handoff.test_requirements?.coverage ?? ENOUGH_COVERAGE;
  return coverage !== undefined && coverage < wanted;
}

/** Percent of lines, as seed 000's pipeline asks. */
const ENOUGH_COVERAGE = 90;

/** Percent, wherever a dialect keeps it; `96%` is 96. */
export function coverageFigure(handoff: Handoff | null): number | undefined {
  const results = handoff?.checks?.results;
  const found =
    fromMap(handoff?.metrics, ["test_coverage", "coverage", "coverage_percent"]) ??
    fromMap(results, ["coverage", "coverage_percent", "test_coverage"]);
  return figureOf(isRecord(found) ? fromMap(found, ["lines"]) : found);
}

export function fromMap(map: JsonRecord | undefined, names: readonly string[]): unknown {
  if (map === undefined) return undefined;
  for (const name of names) {
    const value = ownValue(map, name);
    if (value !== undefined && value !== null) return value;
  }
  return undefined;
}

export function figureOf(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  const match = typeof value === "string" ? /^\s*(\d+(?:\.\d+)?)\s*%?\s*$/.exec(value) : null;
  return match === null ? undefined : Number(match[1]);
}

export function countFailure(draft: Draft, task: string, handoff: Handoff | null, why: string): void {
  const { agent } = draft.step(task);
  const kind = handoff === null ? "UNKNOWN" : classifyFailure(handoff);
  draft.record({ kind: "failure-counted", task, agent, class: kind, why });
}

/** Plans a retry of the same agent after a delay that doubles: 1, 2, 4 s. False when its retries are used up. */
export function planRetry(draft: Draft, task: string, most: number, why: string): boolean {
  const { retries } = draft.task(task);
  const { agent, id, reason: before } = draft.step(task);
  const policy = draft.agent(agent).retry;
  if (retries >= Math.min(most, MAX_RETRIES)) return false;
  const until = draft.at + Math.min(policy.delay * 2 ** retries, MAX_DELAY);
  const issues = stillToFix(draft.state, before.issues);
  const reason = { kind: "retry", from: agent, note: why, issues, problems: [] } as const;
  draft.record({ kind: "attempt-delayed", task, until, reason });
  draft.record({ kind: "timer-set", timer: { id: `retry:${id}`, dueAt: until, purpose: "retry", subject: task } });
  return true;
}

/** Upper bounds, whatever a workflow or a handoff asks for. */
const MAX_RETRIES = 100;
const MAX_DELAY = 3_600_000;
