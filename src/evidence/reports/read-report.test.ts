import { describe, expect, it } from "vitest";
import { MAX_REPORT_BYTES } from "./report.ts";
import { readReport } from "./read-report.ts";
import { SAMPLE_REPORTS } from "../../../test/truth/sample-reports.ts";

const sample = (name: string): string => SAMPLE_REPORTS.find((report) => report.name === name)!.text;

/** The sample with one piece of it written differently. */
function changed(name: string, from: string, to: string): string {
  const text = sample(name);
  expect(text).toContain(from);
  return text.replace(from, to);
}

describe("a whole report", () => {
  it.each(SAMPLE_REPORTS)("in $name shows its figures", ({ path, text, tests, coverage }) => {
    expect(readReport(text, path)).toMatchObject({ tests, coverage, problem: null });
  });

  it.each(SAMPLE_REPORTS)("in $name is recognised by its content alone", ({ text, tests, coverage }) => {
    expect(readReport(`\ufeff${text.replaceAll("\n", "\r\n")}`, "report")).toMatchObject({ tests, coverage });
  });

  it("without any test shows 0 tests", () => {
    const none = { passed: 0, failed: 0, skipped: 0 };
    expect(readReport("TAP version 14\n1..0 # SKIP nothing to do\n", "a.tap").tests).toEqual(none);
    expect(readReport("<testsuites/>", "a.xml").tests).toEqual(none);
    expect(readReport('{"numTotalTests":0,"success":true,"testResults":[]}', "a.json").tests).toEqual(none);
  });

  it("counts a suite that failed in its setup, though all its tests passed", () => {
    const tap = "    ok 1 - a\n    1..1\nnot ok 1 - suite\n1..1\n";
    expect(readReport(tap, "a.tap").tests).toEqual({ passed: 1, failed: 1, skipped: 0 });
    const junit = '<testsuite name="s"><testcase name="a"/><error>setup</error></testsuite>';
    expect(readReport(junit, "a.xml").tests).toEqual({ passed: 1, failed: 1, skipped: 0 });
  });

  it("does not count an empty suite of Node as a test", () => {
    const tap = "ok 1 - empty\n  ---\n  type: 'suite'\n  ...\nok 2 - a\n  ---\n  type: 'test'\n  ...\n1..2\n";
    expect(readReport(tap, "a.tap").tests).toEqual({ passed: 1, failed: 0, skipped: 0 });
  });

  it("does not count a file without a test as a passed test, which Node numbers among the files", () => {
    const point = (text: string): string => `${text}\n  ---\n  type: 'test'\n  ...\n`;
    const tap = `${point("ok 1 - a")}${point("ok 2 - b")}${point("ok 2 - test/empty.test.mjs")}1..3\n`;
    const tests = { passed: 2, failed: 0, skipped: 0, empty: 1 };
    expect(readReport(tap, "a.tap").tests).toEqual(tests);
    const file = (name: string): string => `<testcase name="${name}" classname="test" file="/w/test/empty.test.mjs"/>`;
    const junit = `<testsuites>${file("a")}${file("b")}${file("test/empty.test.mjs")}</testsuites>`;
    expect(readReport(junit, "a.xml").tests).toEqual(tests);
    const failed = tap.replace("ok 2 - test/", "not ok 2 - test/");
    expect(readReport(failed, "a.tap").tests).toEqual({ passed: 2, failed: 1, skipped: 0 });
  });

  it("takes a brace for a name where no subtests follow", () => {
    expect(readReport("ok 1 - parses {\nok 2 - parses }\n1..2\n", "a.tap").tests?.passed).toBe(2);
  });

  it("does not take an escaped hash for a directive", () => {
    expect(readReport("ok 1 - issue \\# skip\nok 2 - b # time=1ms\n1..2\n", "a.tap").tests?.passed).toBe(2);
  });

  it("counts tests that a tool marks as not run as skipped", () => {
    const text = '<testsuite><testcase name="a" status="notrun"/><testcase name="b" status="run"/></testsuite>';
    expect(readReport(text, "a.xml").tests).toEqual({ passed: 1, failed: 0, skipped: 1 });
  });

  it("counts a line of a file that stands in several records once", () => {
    const text = "SF:a\nDA:1,0\nDA:2,0\nend_of_record\nSF:a\nDA:2,3\nend_of_record\n";
    expect(readReport(text, "lcov.info").coverage).toEqual({ lines: { hit: 1, found: 2 } });
  });

  it("takes the sums of an lcov that has nothing else", () => {
    const text = "SF:a\nLF:10\nLH:7\nBRF:4\nBRH:1\nend_of_record\n";
    expect(readReport(text, "lcov.info").coverage).toEqual({
      lines: { hit: 7, found: 10 },
      branches: { hit: 1, found: 4 },
    });
  });

  it("of Jest may hold the coverage too", () => {
    const text = `{"numTotalTests":0,"testResults":[],"coverageMap":${sample("Istanbul")}}`;
    expect(readReport(text, "jest.json").coverage?.functions).toEqual({ hit: 1, found: 2 });
  });
});

describe("a report that contradicts itself is a problem", () => {
  it.each([
    ["a plan of 10 with 3 tests", "1..10\nok 1\nok 2\nok 3\n", "plan says 10 tests, 3 are there"],
    ["a plan of 1 with 2 tests", "1..1\nok 1\nok 2\n", "plan says 1 tests, 2 are there"],
    ["tests without a plan", "TAP version 13\nok 1\nok 2\n", "no plan"],
    ["subtests without a plan", "    ok 1\nok 1 - a\n1..1\n", "without a plan"],
    ["subtests without their test", "1..1\nok 1\n    ok 1\n    1..1\n", "without the test they belong to"],
    ["two plans", "1..1\nok 1\n1..1\n", "two plans"],
    ["a plan in the middle", "ok 1\n1..2\nok 2\n", "behind the plan"],
    ["a test number twice", "1..2\nok 1\nok 1\n", "stands there twice"],
    ["a test number beyond the plan", "1..2\nok 1\nok 7\n", "not in the plan"],
    ["a bail out", "1..2\nok 1\nok 2\nBail out! no database\n", "given up"],
    ["two TAP reports in one file", "TAP version 13\n1..1\nok 1\nTAP version 13\n1..1\nok 1\n", "several reports"],
    ["a test whose line was cut off", "1..2\nok 1\nok 2 - later # SK", "inside the line"],
    ["details that were cut off", "1..1\nok 1\n  ---\n  type: 'su", "inside the details"],
    ["an unknown version", "TAP version 99\n1..1\nok 1\n", "version is not known"],
  ])("in TAP: %s", (_name, text, reason) => {
    expect(readReport(text, "a.tap")).toMatchObject({ tests: null, coverage: null });
    expect(readReport(text, "a.tap").problem).toContain(reason);
  });

  it.each([
    ["more tests than it lists", changed("JUnit", 'name="b" tests="1"', 'name="b" tests="2"'), "lists 1"],
    [
      "failures that it does not list",
      changed("JUnit", 'tests="1" failures="0" errors="0"', 'failures="3" errors="0"'),
      "lists no failure",
    ],
    [
      "failures that it denies",
      changed("JUnit", 'failures="1" errors="1" skipped', 'failures="0" errors="0" skipped'),
      "none failed",
    ],
    ["a test case in a test case", "<testsuite><testcase><testcase/></testcase></testsuite>", "inside"],
    ["a suite in a test case", "<testsuite><testcase><testsuite/></testcase></testsuite>", "inside"],
    ["a negative count", changed("JUnit", 'tests="5"', 'tests="-5"'), "no count"],
    ["NaN", changed("JUnit", 'failures="1"', 'failures="NaN"'), "no count"],
    ["1e308", changed("JUnit", 'errors="1"', 'errors="1e308"'), "no count"],
  ])("in JUnit: %s", (_name, text, reason) => {
    expect(readReport(text, "junit.xml")).toMatchObject({ tests: null, coverage: null, format: "junit" });
    expect(readReport(text, "junit.xml").problem).toContain(reason);
  });

  it("in JUnit of Node: totals that hide a failure are not believed, the cases are", () => {
    const text = changed("JUnit of Node", "<!-- pass 3 -->\n\t<!-- fail 1 -->", "<!-- pass 4 -->\n\t<!-- fail 0 -->");
    expect(readReport(text, "a.xml").tests).toEqual({ passed: 2, failed: 1, skipped: 1 });
  });

  it.each([
    ["Jest", '"numPassedTests":2', '"numPassedTests":20', "numPassedTests"],
    ["Jest", '"numPassedTests":2', '"numPassedTests":-2', "no count"],
    ["Jest", '"numPassedTests":2', '"numPassedTests":1e308', "no count"],
    ["Jest", '"success":false', '"success":true', "succeeded"],
    ["Jest", '"status":"todo"', '"status":"great"', "status"],
    ["Jest", '"status":"todo"', '"status":["passed"]', "status"],
    ["Jest", '"success":false', '"success":false,"wasInterrupted":true', "interrupted"],
    ["Jest", '"success":false', '"success":false,"numFailedTests":0', "twice"],
    ["Jest", '"success":false', '"success":false,"__proto__":{"a":1}', "__proto__"],
    ["Mocha", '"passes":2,', '"passes":3,', "stats.passes"],
    ["Mocha", '"failures":1}', '"failures":0}', "stats.failures"],
    ["lcov", "LF:4", "LF:40", "LF:40"],
    ["lcov", "LF:4\nLH:3", "LF:4\nLH:5", "LH:5"],
    ["lcov", "DA:1,1", "DA:1,-1", "no count"],
    ["lcov", "DA:1,1", "DA:1,NaN", "no count"],
    ["lcov", "DA:1,1", "DA:1e308,1", "no count"],
    ["lcov", "end_of_record", "", "cut off"],
    ["lcov", "LF:4", "Here are 4 lines", "no line of lcov"],
    ["Cobertura", 'line-rate="0.75" branch-rate', 'line-rate="1" branch-rate', "line rate"],
    ["Cobertura", 'line-rate="0.75" branch-rate', 'line-rate="75" branch-rate', "line rate"],
    ["Cobertura", "(1/2)", "(3/2)", "branches"],
    ["Cobertura", 'hits="7"', 'hits="-7"', "no count"],
    ["Cobertura", 'hits="7"', "", "no count"],
    ["Istanbul", '"s":{"0":0,', '"s":{"0":-1,', "no count"],
    ["Istanbul", '"s":{"0":0,', '"s":{"0":1e308,', "no count"],
    ["Istanbul", '"s":{"0":0,', '"s":{', "not the same entries"],
    ["Istanbul", '"b":{"0":[1,0]}', '"b":{"0":7}', "no list"],
    ["Istanbul summary", '"covered":2', '"covered":3', "percent"],
    ["Istanbul summary", '"covered":2', '"covered":30', "30 of 3"],
    ["Istanbul summary", '"pct":66.66', '"pct":"Unknown"', "percent"],
    ["Istanbul summary", '"total":4,"covered":2', '"total":8,"covered":4', "its total says"],
  ])("in %s: %s written as %s", (name, from, to, reason) => {
    const reading = readReport(changed(name, from, to), "report");
    expect(reading).toMatchObject({ tests: null, coverage: null });
    expect(reading.problem).toContain(reason);
  });
});

describe("a report that is none", () => {
  const bomb = '<!DOCTYPE a [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>';
  it.each([
    ["nothing", "", "empty"],
    ["spaces", " \n\t\n", "empty"],
    ["prose", "All 42 tests passed, coverage is 100 %.\nok then\n", "no report"],
    ["the output of a tool", " Tests  42 passed (42)\n", "no report"],
    ["another XML", "<html><testcase/></html>", "no report"],
    ["another JSON", '{"tests":42,"passed":42}', "no report"],
    ["a JSON list", "[1,2]", "no report"],
    ["an empty coverage", "{}", "no report"],
    ["entities", `${bomb}<testsuites><testcase name="&b;"/></testsuites>`, "DOCTYPE"],
    ["entities in a Cobertura", `${bomb.replace("a [", "coverage [")}<coverage/>`, "DOCTYPE"],
    ["any DOCTYPE in JUnit", '<!DOCTYPE testsuites SYSTEM "a.dtd"><testsuites/>', "DOCTYPE"],
    ["an entity without a definition", '<testsuites name="&a;"/>', "entity"],
    ["deep XML", `${"<testsuite>".repeat(70)}${"</testsuite>".repeat(70)}`, "deeper than 64"],
    ["deep JSON", `{"testResults":${"[".repeat(70)}${"]".repeat(70)}}`, "deeper than 64"],
    ["very deep JSON", `{"a":${"[".repeat(2_000_000)}`, "deeper than 64"],
    [
      "deep TAP",
      Array.from({ length: 70 }, (_, level) => `${" ".repeat(4 * level)}ok 1\n`).join("") + "1..1\n",
      "deeper",
    ],
    ["comments without end", "#\n".repeat(2_000_000), "no report"],
    ["blank lines without end", `${"\n".repeat(2_000_000)}TN:\n`, "no report"],
    ["a coverage of nothing", "TN:\n", "measures nothing"],
    ["a Cobertura of nothing", "<coverage/>", "measures nothing"],
  ])("%s", (_name, text, reason) => {
    const reading = readReport(text, "report");
    expect(reading).toMatchObject({ tests: null, coverage: null });
    expect(reading.problem).toContain(reason);
  });

  it("because it is too large", () => {
    expect(readReport(`1..1\nok 1 ${"x".repeat(MAX_REPORT_BYTES)}\n`, "a.tap").problem).toContain("larger than");
  });
});
