import { type Handoff, groupsOf } from "../handoff.ts";
import { unsettledIssues } from "./say-parts.ts";

/** The reasons that output-json gives for stopped work, and the loop reasons of pipeline-json that mean the same. */
type BlockedReason =
  | "security_concern"
  | "architecture_decision"
  | "missing_requirements"
  | "test_failures"
  | "out_of_scope"
  | "unknown";

const MEANT_BY: readonly (readonly [reason: BlockedReason, words: RegExp])[] = [
  ["security_concern", /secur|vulnerab/i],
  ["test_failures", /test|bugs?_found|bug_/i],
  ["missing_requirements", /requirement|clarif|unclear|missing_info|question/i],
  ["architecture_decision", /architect|design|technical_limitation|decision/i],
  ["out_of_scope", /scope/i],
];

/** The reason that a handoff gives or shows; undefined when it does neither. */
export function blockedReasonOf(handoff: Handoff): BlockedReason | undefined {
  const { routing, findings } = groupsOf(handoff);
  const stated = REASONS.find((reason) => reason === routing.blocked_reason);
  if (stated !== undefined) return stated;
  const words = [
    routing.blocked_reason,
    routing.loop?.reason ?? undefined,
    ...unsettledIssues(handoff).map((issue) => issue.category),
    ...(findings.failures ?? []).map((failure) => failure.type),
    ...(handoff.blockers ?? []).map((blocker) => blocker.type),
    handoff.error?.type,
  ];
  const meant = words.flatMap((word) => MEANT_BY.filter(([, pattern]) => word !== undefined && pattern.test(word)));
  if (meant[0] !== undefined) return meant[0][0];
  if (failedTests(handoff) > 0) return "test_failures";
  return handoff.questions?.some((question) => question.blocking === true) === true
    ? "missing_requirements"
    : undefined;
}

const REASONS: readonly BlockedReason[] = [
  "security_concern",
  "architecture_decision",
  "missing_requirements",
  "test_failures",
  "out_of_scope",
  "unknown",
];

const LOOP_REASONS: Readonly<Partial<Record<BlockedReason, string>>> = {
  security_concern: "CRITICAL_SECURITY_VULNERABILITIES",
  test_failures: "BUGS_FOUND_IN_TESTS",
};

/** Why work goes back, in the words of pipeline-json. */
export function loopReasonOf(handoff: Handoff): string {
  const meant = LOOP_REASONS[blockedReasonOf(handoff) ?? "unknown"];
  if (meant !== undefined) return meant;
  return unsettledIssues(handoff).length > 0 ? "CRITICAL_CODE_QUALITY_ISSUES" : "FIXES_REQUIRED";
}

/** The number of tests that failed, as the figures say; 0 when they say nothing. */
function failedTests(handoff: Handoff): number {
  const failed = handoff.metrics?.["tests_failed"];
  return typeof failed === "number" ? failed : 0;
}

/** Percent of lines that tests cover, under any of the names that the formats have for it. */
export function statedCoverage(handoff: Handoff): number | undefined {
  const { metrics = {}, checks = {} } = handoff;
  const stated = [metrics["test_coverage"], checks.results?.["coverage_percent"], metrics["coverage"]];
  for (const value of stated) {
    const number = typeof value === "string" && /^\d+(?:\.\d+)?%$/.test(value) ? Number(value.slice(0, -1)) : value;
    if (typeof number === "number" && number >= 0 && number <= 100) return number;
  }
  return undefined;
}

/** The agent that a handoff sends the work back to. */
export function loopTargetOf(handoff: Handoff): string | undefined {
  const { routing, findings, checks } = groupsOf(handoff);
  if (routing.loop?.required === true) return routing.loop.target ?? undefined;
  if (handoff.outcome !== "needs-fixes") return undefined;
  const isSentToFixer = findings.review?.["status"] === "changes_requested" || checks.status === "failed";
  return routing.on_failure?.route_to ?? (isSentToFixer ? (handoff.to ?? undefined) : undefined);
}
