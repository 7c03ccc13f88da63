import type { Handoff } from "../../protocol/handoff.ts";
import { ownValue } from "../../shared/json-value.ts";
import type { FailureClass } from "../event.ts";
import { coverageOf } from "./figures.ts";

/** Words that seed 000 gives as reasons of a loop, and the classes of its orchestrator. */
const REASONS: Readonly<Record<string, FailureClass>> = {
  BUGS_IN_CODE: "BUGS_IN_CODE",
  BUGS_FOUND_IN_TESTS: "BUGS_IN_CODE",
  CRITICAL_CODE_QUALITY_ISSUES: "BUGS_IN_CODE",
  CRITICAL_SECURITY_VULNERABILITIES: "BUGS_IN_CODE",
  INSUFFICIENT_TESTS: "INSUFFICIENT_TESTS",
  FLAKY_TESTS: "FLAKY_TESTS",
};

/** Why work has to be done again, out of structured fields only: prose decides nothing. */
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
  const coverage = coverageOf(handoff);
  const wanted = handoff.test_requirements?.coverage ?? ENOUGH_COVERAGE;
  return coverage !== undefined && coverage < wanted;
}

/** Percent of lines, as seed 000's pipeline asks. */
const ENOUGH_COVERAGE = 90;
