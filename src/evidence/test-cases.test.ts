import { describe, expect, it } from "vitest";
import { readReport } from "./reports/read-report.ts";
import { type ComparedGate, type TestCase, compareTests, lossesInWords } from "./test-cases.ts";

function cases(...names: (string | Partial<TestCase>)[]): TestCase[] {
  return names.map((name) => ({
    group: "cart.test.js",
    name: "",
    status: "passed",
    assertions: null,
    ...(typeof name === "string" ? { name } : name),
  }));
}

function compared(before: TestCase[], now: TestCase[], uncovered: string[] = []): ComparedGate {
  return {
    gate: "tests",
    why: "",
    before: { cases: before, covered: [] },
    now: { cases: now, covered: [] },
    uncovered,
  };
}

const losses = (before: TestCase[], now: TestCase[]): string => lossesInWords(compared(before, now)).join(" ");

describe("tests are kept", () => {
  it.each([
    ["all of them are there", cases("adds", "removes"), cases("adds", "removes")],
    ["some were added", cases("adds"), cases("adds", "removes", "counts")],
    ["their file was renamed", cases("adds"), cases({ name: "adds", group: "basket.test.js" })],
    ["one got a similar name", cases("adds one item to the cart"), cases("adds one item to the full cart")],
    ["a skipped one is gone", cases("adds", { name: "later", status: "skipped" }), cases("adds")],
    ["a failing one passes", cases({ name: "adds", status: "failed" }), cases("adds")],
    ["they make more assertions", cases({ name: "adds", assertions: 2 }), cases({ name: "adds", assertions: 3 })],
    ["the runner does not tell assertions any more", cases({ name: "adds", assertions: 2 }), cases("adds")],
  ])("when %s", (_when, before, now) => {
    expect(losses(before, now)).toBe("");
  });
});

describe("tests are weakened", () => {
  it.each([
    ["one is removed", cases("adds", "removes"), cases("adds"), "1 test is not there any more: removes"],
    [
      "one is replaced by another",
      cases("rejects an unknown coupon"),
      cases("is true"),
      "1 test is not there any more: rejects an unknown coupon",
    ],
    ["one is skipped", cases("adds"), cases({ name: "adds", status: "skipped" }), "1 test is now skipped: adds"],
    ["one of two with the same name is gone", cases("adds", "adds"), cases("adds"), "1 test is not there any more"],
    [
      "one makes fewer assertions",
      cases({ name: "adds", assertions: 4 }),
      cases({ name: "adds", assertions: 1 }),
      "makes 1 assertions instead of 4",
    ],
  ])("when %s", (_when, before, now, says) => {
    expect(losses(before, now)).toContain(says);
  });

  it("when the coverage of a file that is still there is not measured any more", () => {
    expect(lossesInWords(compared([], [], ["src/hard.js"])).join()).toContain("src/hard.js");
  });
});

it("new tests are counted", () => {
  expect(
    compareTests({ cases: cases("a one"), covered: [] }, { cases: cases("a one", "b", "c"), covered: [] }).added,
  ).toBe(2);
});

describe("every format of test reports names its tests", () => {
  it.each([
    [
      "a.tap",
      "TAP version 13\n# Subtest: suite\n    ok 1 - adds\n    ok 2 - later # SKIP no\n    1..2\nok 1 - suite\n1..1\n",
      ["suite > adds", "suite > later"],
    ],
    [
      "a.xml",
      '<testsuites><testsuite name="suite"><testcase name="adds" assertions="3"/><testcase name="later"><skipped/></testcase></testsuite></testsuites>',
      ["suite > adds", "suite > later"],
    ],
    [
      "a.json",
      '{"numTotalTests":2,"success":true,"testResults":[{"name":"/w/a.js","status":"passed","assertionResults":[{"fullName":"suite adds","status":"passed","numPassingAsserts":3},{"fullName":"suite later","status":"pending"}]}]}',
      ["suite adds", "suite later"],
    ],
    [
      "b.json",
      '{"stats":{"tests":2,"passes":1,"pending":1,"failures":0},"tests":[{},{}],"passes":[{"fullTitle":"suite adds","file":"/w/a.js"}],"pending":[{"fullTitle":"suite later"}],"failures":[]}',
      ["suite adds", "suite later"],
    ],
  ])("%s", (path, text, names) => {
    const { cases: found = [], problem } = readReport(text, path);
    expect(problem).toBeNull();
    expect(found.map(({ name }) => name)).toEqual(names);
    expect(found.map(({ status }) => status)).toEqual(["passed", "skipped"]);
  });
});
