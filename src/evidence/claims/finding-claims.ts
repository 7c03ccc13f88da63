import type { Handoff } from "../../protocol/handoff.ts";
import type { JsonPath } from "../../shared/json-value.ts";
import { type Claim, standsAt } from "../claim.ts";
import { quote, readPlace } from "../wording.ts";
import { type FreeValue, countOf, freeMap, metricsOf } from "./free-maps.ts";

type Issue = NonNullable<NonNullable<Handoff["findings"]>["issues"]>[number];

/** Places of issues and fixes, issues claimed as resolved, and numbers beside the lists that they count. */
export function findingClaims(handoff: Handoff): Claim[] {
  const { issues = [], fixes = [], failures = [], resolved = [], review } = handoff.findings ?? {};
  const own = new Set(issues.flatMap(({ id }) => id ?? []));
  const counts = [...freeMap(standsAt(["findings", "review"]), review).values, ...metricsOf(handoff).values];
  return [
    ...issues.flatMap((issue, at) => issuePlaces(["findings", "issues", at], issue)),
    ...failures.flatMap(({ location }, at) => placeClaim(["findings", "failures", at, "location"], location, false)),
    ...fixes.flatMap(({ location }, at) => fixClaim(["findings", "fixes", at, "location"], location)),
    ...resolved.map((id, at) => resolvedClaim(["findings", "resolved", at], id, own)),
    ...counts.flatMap((figure) => countClaim(figure, handoff.findings?.issues)),
  ];
}

function issuePlaces(path: JsonPath, issue: Issue): Claim[] {
  const isPast = issue.status === "fixed" || issue.status === "wontfix";
  const test = "test_that_failed" in issue ? issue.test_that_failed : undefined;
  return [
    ...placeClaim([...path, "location"], issue.location, isPast),
    ...placeClaim([...path, "test_that_failed"], isPlace(test) ? test : undefined, isPast),
  ];
}

/** The field is free text; only `file:line` is a place. */
function isPlace(text: unknown): text is string {
  return typeof text === "string" && /^\S.*[^:\s]:[1-9]\d{0,8}$/.test(text);
}

function placeClaim(path: JsonPath, location: string | undefined, isPast: boolean): Claim[] {
  if (location === undefined || location.trim() === "") return [];
  const says = `There is a place ${quote(location)}.`;
  return [{ kind: "place", ...standsAt(path), says, about: { of: "place", ...readPlace(location), isPast } }];
}

function fixClaim(path: JsonPath, location: string | undefined): Claim[] {
  if (location === undefined) return [];
  const says = `An issue was fixed at ${quote(location)}.`;
  return [{ kind: "fix", ...standsAt(path), says, about: { of: "fix", location } }];
}

function resolvedClaim(path: JsonPath, id: string, own: ReadonlySet<string>): Claim {
  const says = `${quote(id)} is an issue of the run, and resolved.`;
  return { kind: "ledger", ...standsAt(path), says, about: { of: "resolved", id, isListed: own.has(id) } };
}

/** `critical_count`, `high_issues`, `issues_found` beside the issues themselves. */
function countClaim({ name, where, path, value }: FreeValue, issues: readonly Issue[] | undefined): Claim[] {
  const counts = countedBy(name);
  const stated = countOf(value);
  if (counts === null || stated === null) return [];
  const claim = { kind: "count", where, path, says: `${where} is ${stated}.` } as const;
  if (issues === undefined && stated > 0) return [{ ...claim, about: { of: "words" } }];
  const listed = (issues ?? []).filter(counts).length;
  if (name.startsWith("suggestion") && listed === 0) return [{ ...claim, about: { of: "words" } }];
  return [{ ...claim, about: { of: "count", name, stated, listed, isWhole: true } }];
}

function countedBy(name: string): ((issue: Issue) => boolean) | null {
  if (ALL_ISSUES.includes(name)) return () => true;
  const severity = /^(critical|important|suggestion|high|medium|low)_(?:count|issues)$/.exec(name)?.[1];
  return severity === undefined ? null : (issue) => issue.severity?.toLowerCase() === severity;
}

const ALL_ISSUES = ["issues_found", "issues_total", "total_issues", "issue_count", "issues_count"];
