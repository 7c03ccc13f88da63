import type { Handoff } from "../../protocol/handoff.ts";
import { shown, isRecord } from "../../shared/json-value.ts";
import { checkName } from "../check-word.ts";
import { type Claim, type ClaimPlace, standsAt, type CoverageMeasure, type TestClaim } from "../claim.ts";
import { quote } from "../wording.ts";
import { type FreeMap, type FreeValue, freeMapsOf, countOf, metricsOf, resultsOf, freeMap } from "./free-maps.ts";
import { readVerdict, readPercent, NO_TESTS, type TestFigure, readTests } from "./stated-results.ts";

/** Tests, coverage and other checks that the agent reports, and the command that is to prove them. */
export function checkClaims(handoff: Handoff): Claim[] {
  const results = resultsOf(handoff);
  const loose = [metricsOf(handoff), ...freeMapsOf(handoff)];
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

function checkClaim(place: ClaimPlace, check: string, passed: boolean): Claim {
  const says = `The check ${check} ${passed ? "passes" : "fails"}.`;
  return { kind: "check", ...place, says, about: { of: "check", check, passed } };
}

/** Null when the value is no result of a check. */
function resultClaim({ name, where, path, value }: FreeValue): Claim | null {
  const place = { where, path };
  const faults = /^(lint|type|build)_errors$/.exec(name)?.[1];
  const count = countOf(value);
  if (faults !== undefined && count !== null) return checkClaim(place, checkName(faults) ?? faults, count === 0);
  const check = checkName(name);
  if (check === null || check === "tests") return null;
  if (name === "vulnerabilities" && count === 0) return checkClaim(place, check, true);
  const passed = readVerdict(value);
  return passed === null ? null : checkClaim(place, check, passed);
}

/** In a dialect's field for results, every value is a claim, also one that cannot be judged. */
function reportedClaims({ values }: FreeMap): Claim[] {
  return values.flatMap((result) => {
    if (isTestName(result.name) || /coverage/.test(result.name) || result.name === "command_output") return [];
    return resultClaim(result) ?? wordsClaim("check", result, `${result.where} is ${inWords(result)}.`);
  });
}

function inWords({ value }: FreeValue): string {
  return quote(shown(value));
}

function wordsClaim(kind: "check" | "command", { where, path }: ClaimPlace, says: string): Claim {
  return { kind, where, path, says, about: { of: "words" } };
}

function failureClaims(handoff: Handoff): Claim[] {
  return (handoff.findings?.failures ?? []).flatMap(({ type }, at) => {
    const check = type === undefined ? null : checkName(type.toLowerCase());
    return check === null ? [] : [checkClaim(standsAt(["findings", "failures", at], "type"), check, false)];
  });
}

function validationClaims(handoff: Handoff): Claim[] {
  const { command, expected_result, checklist = [] } = handoff.checks ?? {};
  const claims: Claim[] = [];
  if (command !== undefined && command.trim() !== "") {
    const expectsFailure = isUnfinished(handoff);
    const says = `The command ${quote(command)} ${expectsFailure ? "may fail, as the work goes back" : "passes"}.`;
    const about = { of: "command", command, expectsFailure } as const;
    claims.push({ kind: "command", ...standsAt(["checks", "command"]), says, about });
  }
  if (expected_result !== undefined && expected_result.trim() !== "")
    claims.push(
      wordsClaim("command", standsAt(["checks", "expected_result"]), `Its result: ${quote(expected_result)}`),
    );
  for (const [at, item] of checklist.entries())
    claims.push(wordsClaim("command", standsAt(["checks", "checklist", at]), `Done: ${quote(item)}`));
  return claims;
}

/** Ruling 30: the command of a handoff that asks for a loop is expected to fail; so is that of unfinished work. */
function isUnfinished({ outcome, routing }: Handoff): boolean {
  return routing?.loop?.required === true || !FINISHED.includes(outcome);
}

const FINISHED: readonly string[] = ["done", "done-with-warnings", "needs-review", "skipped"];

/** Percentages of coverage under any of their names, by one measure or several. */
function coverageClaims({ values }: FreeMap): Claim[] {
  return values.flatMap(coverageClaim);
}

function coverageClaim(figure: FreeValue): Claim[] {
  const measure = MEASURES.get(figure.name);
  if (measure === undefined) return [];
  if (isRecord(figure.value)) return freeMap(figure, figure.value).values.flatMap(claimOfPart);
  const percent = readPercent(figure.value);
  return [claimOf(figure, measure, percent)];
}

function claimOfPart(part: FreeValue): Claim[] {
  const measure = PARTS.get(part.name);
  const percent = readPercent(part.value);
  return measure === undefined || percent === null ? [] : [claimOf(part, measure, percent)];
}

function claimOf({ where, path, value }: FreeValue, measure: CoverageMeasure | null, percent: number | null): Claim {
  const of = measure === null ? "Coverage" : `Coverage of ${measure}`;
  if (percent === null)
    return { kind: "coverage", where, path, says: `${of}: ${quote(shown(value))}.`, about: { of: "words" } };
  return { kind: "coverage", where, path, says: `${of} is ${percent} %.`, about: { of: "coverage", measure, percent } };
}

const PARTS: ReadonlyMap<string, CoverageMeasure | null> = new Map([
  ...(["lines", "branches", "functions", "statements"] as const).map((name) => [name, name] as const),
  ["line", "lines"],
  ["branch", "branches"],
  ["function", "functions"],
  ["statement", "statements"],
  ["total", null],
  ["overall", null],
]);

const MEASURES: ReadonlyMap<string, CoverageMeasure | null> = new Map([
  ...["coverage", "test_coverage", "coverage_percent", "code_coverage", "coverage_percentage"].map(
    (name) => [name, null] as const,
  ),
  ...[...PARTS].flatMap(([name, measure]) =>
    measure === null ? [] : [[`${name}_coverage`, measure] as const, [`coverage_${name}`, measure] as const],
  ),
]);

type TestPart = "passed" | "failed" | "total" | "skipped" | "all";

const TEST_NAMES: ReadonlyMap<string, TestPart> = new Map([
  ...["tests", "test", "test_results", "tests_status", "test_status", "tests_result"].map(
    (name) => [name, "all"] as const,
  ),
  ...["tests_passed", "passed_tests", "tests_passing", "passing_tests", "tests_pass"].map(
    (name) => [name, "passed"] as const,
  ),
  ...["tests_failed", "failed_tests", "tests_failing", "failing_tests", "test_failures"].map(
    (name) => [name, "failed"] as const,
  ),
  ...["tests_total", "total_tests", "tests_run", "test_count", "tests_count"].map((name) => [name, "total"] as const),
  ...["tests_skipped", "skipped_tests"].map((name) => [name, "skipped"] as const),
]);

function isTestName(name: string): boolean {
  return TEST_NAMES.has(name);
}

/** One claim for all numbers of tests in a map, and one for their sum where it can be computed. */
function testClaims({ values }: FreeMap): Claim[] {
  const said = values.filter(({ name }) => TEST_NAMES.has(name));
  const [first] = said;
  if (first === undefined) return [];
  const figure = said.map(readFigure).reduce(together);
  const { where, path } = said.find(({ name }) => TEST_NAMES.get(name) === "passed") ?? first;
  const { skipped: _skipped, ...stated } = figure;
  const about = isNothing(stated) ? ({ of: "words" } as const) : ({ of: "tests", stated } as const);
  return [
    { kind: "test", where, path, says: testsInWords(stated, first), about },
    ...sumClaim({ where, path }, figure),
  ];
}

function readFigure({ name, value }: FreeValue): TestFigure {
  const part = TEST_NAMES.get(name) ?? "all";
  const count = countOf(value);
  if (part !== "all" && count !== null) return { ...NO_TESTS, [part]: count };
  const read = readTests(value);
  // `tests_failed: true` says that they do not pass.
  if (part === "failed") return typeof value === "boolean" ? { ...NO_TESTS, allPassed: !value } : NO_TESTS;
  return part === "all" || part === "passed" ? read : NO_TESTS;
}

function together(left: TestFigure, right: TestFigure): TestFigure {
  return {
    passed: left.passed ?? right.passed,
    failed: left.failed ?? right.failed,
    total: left.total ?? right.total,
    skipped: left.skipped ?? right.skipped,
    allPassed: left.allPassed ?? right.allPassed,
  };
}

function isNothing({ passed, failed, total, allPassed }: TestClaim): boolean {
  return passed === null && failed === null && total === null && allPassed === null;
}

function testsInWords({ passed, failed, total, allPassed }: TestClaim, { where }: FreeValue): string {
  const parts = [
    passed === null ? "" : `${passed} passed`,
    failed === null ? "" : `${failed} failed`,
    total === null ? "" : `${total} in all`,
    allPassed === null ? "" : allPassed ? "all pass" : "not all pass",
  ].filter((part) => part !== "");
  return parts.length === 0 ? `${where} speaks of tests.` : `Tests: ${parts.join(", ")}.`;
}

/** The sum may lack skipped tests. */
function sumClaim(place: ClaimPlace, { passed, failed, total, skipped }: TestFigure): Claim[] {
  if (total === null || passed === null) return [];
  const listed = passed + (failed ?? 0) + (skipped ?? 0);
  const about = {
    of: "count",
    name: "tests",
    stated: total,
    listed,
    isWhole: failed !== null && skipped !== null,
  } as const;
  return [{ kind: "count", ...place, says: `The numbers of tests add up to ${total}.`, about }];
}
