import { type JsonRecord, type JsonValue, isRecord, ownValue } from "../../shared/json-value.ts";
import { isIstanbulMap, readIstanbulMap } from "./istanbul.ts";
import { reportList, reportRecord } from "./json-text.ts";
import type { TestCase } from "../test-cases.ts";
import { type Shown, quoted, readCount, refuseReport } from "./report.ts";

/** Jest's `--json` and Vitest's `--reporter=json`. */
export function isJestResult(value: JsonRecord): boolean {
  return ownValue(value, "numTotalTests") !== undefined && Array.isArray(ownValue(value, "testResults"));
}

export function readJestResult(value: JsonRecord): Shown {
  if (ownValue(value, "wasInterrupted") === true) refuseReport("the run was interrupted");
  const counts = { passed: 0, failed: 0, skipped: 0, todo: 0 };
  const cases: TestCase[] = [];
  let brokenFiles = 0;
  for (const file of reportList(value, "testResults")) {
    const before = counts.failed;
    countFile(file, counts, cases);
    if (isRecord(file) && ownValue(file, "status") === "failed" && counts.failed === before) brokenFiles++;
  }
  refuseContradiction(value, counts);
  // A file that could not be run has no failed test, but counts as a failure.
  const failed = counts.failed + brokenFiles;
  const skipped = counts.skipped + counts.todo;
  refuseOtherEnd(value, failed, counts.passed + failed + skipped);
  return { tests: { passed: counts.passed, failed, skipped }, cases, ...coverageIn(value) };
}

type Counts = Record<"passed" | "failed" | "skipped" | "todo", number>;

function countFile(file: JsonValue, counts: Counts, cases: TestCase[]): void {
  if (!isRecord(file)) return refuseReport("an entry of testResults is no record");
  for (const test of reportList(file, "assertionResults")) {
    const status = isRecord(test) ? ownValue(test, "status") : undefined;
    const kind = typeof status === "string" ? STATUSES.get(status) : undefined;
    if (kind === undefined) return refuseReport(`a test has the status ${quoted(status)}`);
    counts[kind]++;
    const ended = kind === "todo" ? "skipped" : kind;
    if (isRecord(test))
      cases.push({ ...namedCase(file, test, "fullName"), status: ended, assertions: assertionsOf(test) });
  }
}

function namedCase(file: JsonRecord, test: JsonRecord, title: string): Pick<TestCase, "group" | "name"> {
  const [group, name] = [
    ownValue(file, "name") ?? ownValue(file, "file"),
    ownValue(test, title) ?? ownValue(test, "title"),
  ];
  return {
    group: typeof group === "string" ? group : "",
    name: typeof name === "string" ? name.slice(0, MAX_NAME) : "",
  };
}

const MAX_NAME = 300;

function assertionsOf(test: JsonRecord): number | null {
  const count = ownValue(test, "numPassingAsserts");
  return typeof count === "number" && count > 0 ? count : null;
}

const STATUSES: ReadonlyMap<string, keyof Counts> = new Map([
  ["passed", "passed"],
  ["failed", "failed"],
  ["skipped", "skipped"],
  ["pending", "skipped"],
  ["disabled", "skipped"],
  ["todo", "todo"],
]);

function refuseContradiction(value: JsonRecord, counts: Counts): void {
  const total = counts.passed + counts.failed + counts.skipped + counts.todo;
  const listed = [
    ["numTotalTests", total],
    ["numPassedTests", counts.passed],
    ["numFailedTests", counts.failed],
    ["numPendingTests", counts.skipped],
    ["numTodoTests", counts.todo],
  ] as const;
  for (const [name, seen] of listed) {
    const said = ownValue(value, name);
    if (said !== undefined && readCount(said, name) !== seen)
      refuseReport(`${name} is ${quoted(said)} and ${seen} are listed`);
  }
}

function refuseOtherEnd(value: JsonRecord, failed: number, total: number): void {
  const success = ownValue(value, "success");
  if (success === true && failed > 0) refuseReport(`it says that the run succeeded and lists ${failed} failed`);
  if (success === false && failed === 0 && total > 0)
    refuseReport("it says that the run failed and lists nothing that failed");
}

/** Jest's `--coverage` puts the coverage into the same file. */
function coverageIn(value: JsonRecord): Pick<Shown, "coverage" | "covered"> {
  const map = ownValue(value, "coverageMap");
  if (!isRecord(map) || !isIstanbulMap(map)) return { coverage: null };
  const { coverage, covered = [] } = readIstanbulMap(map);
  return { coverage, covered };
}

/** Mocha's `--reporter json`. */
export function isMochaResult(value: JsonRecord): boolean {
  return isRecord(ownValue(value, "stats")) && Array.isArray(ownValue(value, "passes"));
}

export function readMochaResult(value: JsonRecord): Shown {
  const stats = reportRecord(value, "stats");
  const [tests = 0, passed = 0, failed = 0, skipped = 0] = LISTS.map((name) => {
    const listed = reportList(value, name).length;
    const said = readCount(ownValue(stats, name), `stats.${name}`);
    return said === listed ? listed : refuseReport(`stats.${name} is ${said} and ${listed} are listed`);
  });
  // A failed hook is among the failures but is no test.
  if (tests > passed + failed + skipped) refuseReport(`${tests} tests are listed, and the results of fewer`);
  const cases = MOCHA_STATUSES.flatMap(([name, status]) =>
    reportList(value, name).flatMap((test): TestCase[] =>
      isRecord(test) ? [{ ...namedCase(test, test, "fullTitle"), status, assertions: null }] : [],
    ),
  );
  return { tests: { passed, failed, skipped }, coverage: null, cases };
}

const MOCHA_STATUSES = [
  ["passes", "passed"],
  ["failures", "failed"],
  ["pending", "skipped"],
] as const;
const LISTS = ["tests", "passes", "failures", "pending"] as const;
