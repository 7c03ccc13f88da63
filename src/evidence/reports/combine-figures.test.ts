import { describe, expect, it } from "vitest";
import { combineFigures } from "./combine-figures.ts";
import { readReport, unreadableReport } from "./read-report.ts";

const tap = (passed: number, path: string): ReturnType<typeof readReport> =>
  readReport(`1..${passed}\n${"ok\n".repeat(passed)}`, path);
const junit = (passed: number): ReturnType<typeof readReport> =>
  readReport(`<testsuite>${"<testcase/>".repeat(passed)}</testsuite>`, "junit.xml");
const lcov = (hit: number, path: string): ReturnType<typeof readReport> =>
  readReport(`SF:${path}\nLF:100\nLH:${hit}\nend_of_record\n`, path);
const cobertura = (hit: number): ReturnType<typeof readReport> => {
  const lines = Array.from({ length: 100 }, (_, at) => `<line number="${at + 1}" hits="${at < hit ? 1 : 0}"/>`);
  return readReport(`<coverage><class filename="a"><lines>${lines.join("")}</lines></class></coverage>`, "c.xml");
};

describe("figures of several reports", () => {
  it("add tests up, and say where they come from", () => {
    expect(combineFigures([tap(2, "a.tap"), tap(3, "b.tap"), junit(4)])).toEqual({
      tests: { passed: 9, failed: 0, skipped: 0 },
      coverage: null,
      sources: ["a.tap (TAP)", "b.tap (TAP)", "junit.xml (JUnit XML)"],
      problems: [],
    });
  });

  it("count a file that is named twice once", () => {
    expect(combineFigures([tap(2, "a.tap"), tap(2, "a.tap")]).tests?.passed).toBe(2);
  });

  it("do not count the same run in two formats twice", () => {
    const figures = combineFigures([tap(2, "a.tap"), junit(2)]);
    expect(figures.tests).toBeNull();
    expect(figures.problems[0]).toContain("only once");
  });

  it("weigh coverage by what was found", () => {
    expect(combineFigures([lcov(50, "a"), lcov(100, "b")]).coverage).toEqual({ lines: 75 });
  });

  it("keep coverage on which formats agree, and leave out what they do not", () => {
    expect(combineFigures([lcov(50, "a"), cobertura(50)]).coverage).toEqual({ lines: 50 });
    const figures = combineFigures([lcov(90, "a"), cobertura(50)]);
    expect(figures.coverage).toEqual({});
    expect(figures.problems[0]).toContain("do not agree");
  });

  it("are not given without a report that could not be used", () => {
    const figures = combineFigures([tap(2, "a.tap"), readReport("1..9\nok 1\n", "b.tap"), lcov(50, "a")]);
    expect(figures).toMatchObject({ tests: null, coverage: { lines: 50 } });
    expect(figures.problems[0]).toContain("b.tap: the plan says 9 tests, 1 are there");
    const missing = combineFigures([tap(2, "a.tap"), lcov(50, "a"), unreadableReport("x", "it is not there")]);
    expect(missing).toMatchObject({ tests: null, coverage: null, problems: ["x: it is not there"] });
  });

  it("lose only what the name of a report that is not there says", () => {
    const without = (path: string): string[] => {
      const figures = combineFigures([tap(2, "a.tap"), lcov(50, "a"), unreadableReport(path, "it is not there")]);
      expect(figures.problems).toEqual([`${path}: it is not there`]);
      return [figures.tests === null ? "" : "tests", figures.coverage === null ? "" : "coverage"].filter(Boolean);
    };
    for (const path of ["reports/junit.xml", "out.tap", "coverage/junit.xml", "test-results.json"])
      expect(without(path), path).toEqual(["coverage"]);
    for (const path of ["lcov.info", "test/lcov.info", "cobertura.xml", "coverage/coverage-final.json", "clover.xml"])
      expect(without(path), path).toEqual(["tests"]);
    for (const path of ["coverage/summary.json", "coverage/index.xml"]) expect(without(path), path).toEqual(["tests"]);
    for (const path of ["report.xml", "reports/out.json", "test-coverage.xml"]) expect(without(path), path).toEqual([]);
  });

  it("round down: 99.999 is not 100", () => {
    const text = "SF:a\nLF:100000\nLH:99999\nend_of_record\n";
    expect(combineFigures([readReport(text, "lcov.info")]).coverage).toEqual({ lines: 99.99 });
  });

  it("of nothing are nothing", () => {
    expect(combineFigures([])).toEqual({ tests: null, coverage: null, sources: [], problems: [] });
  });
});
