import type { Handoff } from "../../protocol/handoff.ts";
import type { Claim } from "../claim.ts";
import { quote } from "../wording.ts";
import { type FreeValue, countOf, freeMap, metricsOf } from "./free-maps.ts";
import { readPlace } from "./read-range.ts";

type Issue = NonNullable<NonNullable<Handoff["findings"]>["issues"]>[number];

/** Places of issues and fixes, issues said to be resolved, and counts beside the lists they count. */
export function findingClaims(handoff: Handoff): Claim[] {
  const { issues = [], fixes = [], failures = [], resolved = [], review } = handoff.findings ?? {};
  const own = new Set(issues.flatMap(({ id }) => id ?? []));
  const counts = [...freeMap("findings.review", review).values, ...metricsOf(handoff).values];
  return [
    ...issues.flatMap((issue, at) => issuePlaces(`findings.issues.${at}`, issue)),
    ...failures.flatMap(({ location }, at) => placeClaim(`findings.failures.${at}.location`, location, false)),
    ...fixes.flatMap(({ location }, at) => fixClaim(`findings.fixes.${at}.location`, location)),
    ...resolved.map((id, at) => resolvedClaim(`findings.resolved.${at}`, id, own)),
    ...counts.flatMap((figure) => countClaim(figure, handoff.findings?.issues)),
  ];
}

function issuePlaces(where: string, issue: Issue): Claim[] {
  const isPast = issue.status === "fixed" || issue.status === "wontfix";
  const test = "test_that_failed" in issue ? issue.test_that_failed : undefined;
  return [
    ...placeClaim(`${where}.location`, issue.location, isPast),
    ...placeClaim(`${where}.test_that_failed`, isPlace(test) ? test : undefined, isPast),
  ];
}

/** The field is open text: only `file:line` is a place. */
function isPlace(text: unknown): text is string {
  return typeof text === "string" && /^\S.*[^:\s]:[1-9]\d{0,8}$/.test(text);
}

function placeClaim(where: string, location: string | undefined, isPast: boolean): Claim[] {
  if (location === undefined || location.trim() === "") return [];
  const says = `There is a place ${quote(location)}.`;
  return [{ kind: "place", where, says, about: { of: "place", ...readPlace(location), isPast } }];
}

function fixClaim(where: string, location: string | undefined): Claim[] {
  if (location === undefined) return [];
  const says = `The fix at ${quote(location)} answers a blocking issue of the run.`;
  return [{ kind: "ledger", where, says, about: { of: "fix", location } }];
}

/** What was found and mended in one step is not in the ledger yet. */
function resolvedClaim(where: string, id: string, own: ReadonlySet<string>): Claim {
  const says = `${quote(id)} is an issue of the run, and resolved.`;
  return { kind: "ledger", where, says, about: own.has(id) ? { of: "words" } : { of: "resolved", id } };
}

/** `critical_count`, `high_issues`, `issues_found` beside the issues themselves. */
function countClaim({ name, where, value }: FreeValue, issues: readonly Issue[] | undefined): Claim[] {
  const counts = countedBy(name);
  const stated = countOf(value);
  if (counts === null || stated === null) return [];
  const says = `${where} is ${stated}.`;
  if (issues === undefined && stated > 0) return [{ kind: "count", where, says, about: { of: "words" } }];
  const listed = (issues ?? []).filter(counts).length;
  if (name.startsWith("suggestion") && listed === 0) return [{ kind: "count", where, says, about: { of: "words" } }];
  return [{ kind: "count", where, says, about: { of: "count", name, stated, listed, isWhole: true } }];
}

function countedBy(name: string): ((issue: Issue) => boolean) | null {
  if (ALL_ISSUES.includes(name)) return () => true;
  const severity = /^(critical|important|suggestion|high|medium|low)_(?:count|issues)$/.exec(name)?.[1];
  return severity === undefined ? null : (issue) => issue.severity?.toLowerCase() === severity;
}

const ALL_ISSUES = ["issues_found", "issues_total", "total_issues", "issue_count", "issues_count"];
