import type { Handoff } from "../../protocol/handoff.ts";
import { shown } from "../../shared/json-value.ts";
import { checkName } from "../check-word.ts";
import type { Claim } from "../claim.ts";
import { quote } from "../wording.ts";
import { coverageClaims } from "./coverage-claims.ts";
import { type FreeMap, type FreeValue, besidesOf, countOf, metricsOf, resultsOf } from "./free-maps.ts";
import { readVerdict } from "./stated-results.ts";
import { isTestName, testClaims } from "./test-claims.ts";

/** Tests, coverage and other checks as the agent reports them; the command that is to show it, and what it promises. */
export function checkClaims(handoff: Handoff): Claim[] {
  const results = resultsOf(handoff);
  const loose = [metricsOf(handoff), ...besidesOf(handoff)];
  const maps = [...loose, ...results];
  return [
    ...maps.flatMap(testClaims),
    ...maps.flatMap(coverageClaims),
    ...loose.flatMap(({ values }) => values.flatMap((result) => resultClaim(result) ?? [])),
    ...results.flatMap(reportedClaims),
    ...failureClaims(handoff),
    ...validationClaims(handoff),
  ];
}

function checkClaim(where: string, check: string, passed: boolean): Claim {
  const says = `The check ${check} ${passed ? "passes" : "fails"}.`;
  return { kind: "check", where, says, about: { of: "check", check, passed } };
}

/** Null when it is no result of a check. */
function resultClaim({ name, where, value }: FreeValue): Claim | null {
  const faults = /^(lint|type|build)_errors$/.exec(name)?.[1];
  const count = countOf(value);
  if (faults !== undefined && count !== null) return checkClaim(where, checkName(faults) ?? faults, count === 0);
  const check = checkName(name);
  if (check === null || check === "tests") return null;
  if (name === "vulnerabilities" && count === 0) return checkClaim(where, check, true);
  const passed = readVerdict(value);
  return passed === null ? null : checkClaim(where, check, passed);
}

/** Where a dialect keeps results, everything is one: what cannot be judged is shown as that. */
function reportedClaims({ values }: FreeMap): Claim[] {
  return values.flatMap((result) => {
    if (isTestName(result.name) || /coverage/.test(result.name) || result.name === "command_output") return [];
    return resultClaim(result) ?? wordsClaim("check", result.where, `${result.where} is ${inWords(result)}.`);
  });
}

function inWords({ value }: FreeValue): string {
  return quote(shown(value));
}

function wordsClaim(kind: "check" | "command", where: string, says: string): Claim {
  return { kind, where, says, about: { of: "words" } };
}

function failureClaims(handoff: Handoff): Claim[] {
  return (handoff.findings?.failures ?? []).flatMap(({ type }, at) => {
    const check = type === undefined ? null : checkName(type.toLowerCase());
    return check === null ? [] : [checkClaim(`findings.failures.${at}`, check, false)];
  });
}

function validationClaims(handoff: Handoff): Claim[] {
  const { command, expected_result, checklist = [] } = handoff.checks ?? {};
  const claims: Claim[] = [];
  if (command !== undefined && command.trim() !== "") {
    const expectsFailure = isUnfinished(handoff);
    const says = `The command ${quote(command)} ${expectsFailure ? "may fail, as the work goes back" : "passes"}.`;
    claims.push({ kind: "command", where: "checks.command", says, about: { of: "command", command, expectsFailure } });
  }
  if (expected_result !== undefined && expected_result.trim() !== "")
    claims.push(wordsClaim("command", "checks.expected_result", `Its result: ${quote(expected_result)}`));
  for (const [at, item] of checklist.entries())
    claims.push(wordsClaim("command", `checks.checklist.${at}`, `Done: ${quote(item)}`));
  return claims;
}

/** Ruling 30: the command of a handoff that asks for a loop is expected to fail; so is that of unfinished work. */
function isUnfinished({ outcome, routing }: Handoff): boolean {
  return routing?.loop?.required === true || !FINISHED.includes(outcome);
}

const FINISHED: readonly string[] = ["done", "done-with-warnings", "needs-review", "skipped"];
