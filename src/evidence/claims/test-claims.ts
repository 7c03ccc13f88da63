import type { Claim, TestClaim } from "../claim.ts";
import { type FreeMap, type FreeValue, countOf } from "./free-maps.ts";
import { NO_TESTS, type TestFigure, readTests } from "./stated-results.ts";

type Part = "passed" | "failed" | "total" | "skipped" | "all";

const NAMES: ReadonlyMap<string, Part> = new Map([
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

export function isTestName(name: string): boolean {
  return NAMES.has(name);
}

/** One claim from all that a map says of its tests, and one more when its numbers can be added up. */
export function testClaims({ values }: FreeMap): Claim[] {
  const said = values.filter(({ name }) => NAMES.has(name));
  const [first] = said;
  if (first === undefined) return [];
  const figure = said.map(readFigure).reduce(together);
  const where = (said.find(({ name }) => NAMES.get(name) === "passed") ?? first).where;
  const { skipped: _skipped, ...stated } = figure;
  const about = isNothing(stated) ? ({ of: "words" } as const) : ({ of: "tests", stated } as const);
  return [{ kind: "test", where, says: inWords(stated, first), about }, ...sumClaim(where, figure)];
}

function readFigure({ name, value }: FreeValue): TestFigure {
  const part = NAMES.get(name) ?? "all";
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

function inWords({ passed, failed, total, allPassed }: TestClaim, { where }: FreeValue): string {
  const parts = [
    passed === null ? "" : `${passed} passed`,
    failed === null ? "" : `${failed} failed`,
    total === null ? "" : `${total} in all`,
    allPassed === null ? "" : allPassed ? "all pass" : "not all pass",
  ].filter((part) => part !== "");
  return parts.length === 0 ? `${where} speaks of tests.` : `Tests: ${parts.join(", ")}.`;
}

/** Tests that were skipped may be missing from the sum. */
function sumClaim(where: string, { passed, failed, total, skipped }: TestFigure): Claim[] {
  if (total === null || passed === null) return [];
  const listed = passed + (failed ?? 0) + (skipped ?? 0);
  const about = {
    of: "count",
    name: "tests",
    stated: total,
    listed,
    isWhole: failed !== null && skipped !== null,
  } as const;
  return [{ kind: "count", where, says: `The numbers of tests add up to ${total}.`, about }];
}
