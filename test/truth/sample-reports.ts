import type { CoverageCounts } from "../../src/evidence/reports/report.ts";
import type { TestFigures } from "../../src/evidence/observations.ts";

/** A whole report of each format in the shape its tools write, and what it shows. */
interface SampleReport {
  readonly name: string;
  readonly path: string;
  readonly text: string;
  readonly tests: TestFigures | null;
  readonly coverage: CoverageCounts | null;
}

const NODE_TAP = `TAP version 13
# Subtest: math
    # Subtest: adds
    ok 1 - adds
      ---
      duration_ms: 0.8
      type: 'test'
      ...
    # Subtest: divides
    not ok 2 - divides
      ---
      duration_ms: 0.8
      type: 'test'
      error: '1 == 2'
      stack: |-
        at math (file:///a.mjs:2:90)
        ok 9 - not a test
      ...
    # Subtest: later
    ok 3 - later # SKIP
      ---
      type: 'test'
      ...
    1..3
not ok 1 - math
  ---
  type: 'suite'
  failureType: 'subtestsFailed'
  ...
# Subtest: outer
    # Subtest: inner
    ok 1 - inner
      ---
      type: 'test'
      ...
    1..1
ok 2 - outer
  ---
  type: 'test'
  ...
not ok 3 - some day # TODO
  ---
  type: 'test'
  ...
1..3
# tests 6
# suites 1
# pass 3
# fail 1
# cancelled 0
# skipped 1
# todo 1
`;

const BRACE_TAP = `TAP version 13
1..2
not ok 1 - t/a.test.ts # time=12.32ms {
    1..2
    not ok 1 - math # time=10.25ms {
        1..4
        ok 1 - adds # time=2.23ms
        not ok 2 - fails # time=7.34ms
            ---
            error:
                name: "AssertionError"
            at: "t/a.test.ts:2:93"
            ...
        ok 3 - skips # SKIP
        ok 4 - todo # TODO
    }
    ok 2 - works # time=0.93ms
}
not ok 2 - t/b.test.ts
    ---
    error:
        name: "Error"
    ...
`;

const JUNIT = `<?xml version="1.0" encoding="UTF-8" ?>
<testsuites name="all" tests="5" failures="1" errors="1" time="0.01">
  <testsuite name="a" tests="4" failures="1" errors="1" skipped="1">
    <properties><property name="x" value="1"/></properties>
    <testcase classname="a" name="adds &gt; one"/>
    <testcase classname="a" name="fails"><failure message="no">at a.ts:1</failure></testcase>
    <testcase classname="a" name="skips"><skipped/></testcase>
    <testsuite name="inner" tests="1" failures="0" errors="1">
      <testcase classname="a" name="breaks"><error type="E"><![CDATA[<testcase name="no"/>]]></error></testcase>
    </testsuite>
    <system-out>&lt;testcase/&gt;</system-out>
  </testsuite>
  <testsuite name="b" tests="1" failures="0" errors="0"><testcase name="works"></testcase></testsuite>
</testsuites>
`;

const NODE_JUNIT = `<?xml version="1.0" encoding="utf-8"?>
<testsuites>
	<testsuite name="math" time="0.004" disabled="0" errors="0" tests="2" failures="1" skipped="0">
		<testcase name="adds" time="0.000864" classname="math"/>
		<testcase name="fails" classname="math" failure="1 == 2"><failure message="1 == 2">Error</failure></testcase>
	</testsuite>
	<testsuite name="outer" time="0.001" disabled="0" errors="0" tests="1" failures="0" skipped="0">
		<testcase name="inner" classname="outer"/>
	</testsuite>
	<testcase name="some day" classname="test" failure="x">
		<skipped type="todo" message="true"/>
		<failure message="x">Error</failure>
	</testcase>
	<!-- tests 5 -->
	<!-- suites 1 -->
	<!-- pass 3 -->
	<!-- fail 1 -->
	<!-- cancelled 0 -->
	<!-- skipped 0 -->
	<!-- todo 1 -->
	<!-- duration_ms 88.002401 -->
</testsuites>
`;

const JEST = JSON.stringify({
  numTotalTests: 5,
  numPassedTests: 2,
  numFailedTests: 1,
  numPendingTests: 1,
  numTodoTests: 1,
  success: false,
  testResults: [
    {
      name: "a.test.ts",
      status: "failed",
      message: "",
      assertionResults: [
        { fullName: "a adds", status: "passed" },
        { fullName: "a fails", status: "failed" },
        { fullName: "a skips", status: "pending" },
        { fullName: "a todo", status: "todo" },
        { fullName: "a works", status: "passed" },
      ],
    },
    { name: "b.test.ts", status: "failed", message: "boom", assertionResults: [] },
  ],
});

const MOCHA = JSON.stringify({
  stats: { suites: 1, tests: 4, passes: 2, pending: 1, failures: 1 },
  tests: [{ title: "a" }, { title: "b" }, { title: "c" }, { title: "d" }],
  pending: [{ title: "c" }],
  failures: [{ title: "d", err: { message: "no" } }],
  passes: [{ title: "a" }, { title: "b" }],
});

const LCOV = `TN:
SF:src/a.ts
FN:1,f
FN:2,g
FNDA:1,f
FNDA:0,g
FNF:2
FNH:1
BRDA:1,0,0,1
BRDA:1,0,1,-
BRF:2
BRH:1
DA:1,1
DA:2,1
DA:3,0
DA:4,18446744073709551615
LF:4
LH:3
end_of_record
`;

const COBERTURA = `<?xml version="1.0" ?>
<!DOCTYPE coverage SYSTEM "http://cobertura.sourceforge.net/xml/coverage-04.dtd">
<coverage lines-valid="4" lines-covered="3" line-rate="0.75" branch-rate="0.5" version="0.1">
  <sources><source>/a</source></sources>
  <packages><package name="main"><classes>
    <class name="a.ts" filename="src/a.ts" line-rate="0.75">
      <methods><method name="f" hits="1"><lines><line number="9" hits="1"/></lines></method></methods>
      <lines>
        <line number="1" hits="1" branch="true" condition-coverage="50% (1/2)"/>
        <line number="2" hits="7" branch="false"/>
        <line number="3" hits="0" branch="false"/>
        <line number="4" hits="1" branch="false"/>
      </lines>
    </class>
  </classes></package></packages>
</coverage>
`;

const place = (line: number): object => ({ start: { line, column: 0 }, end: { line, column: 9 } });
const ISTANBUL = JSON.stringify({
  "/a/src/a.ts": {
    path: "/a/src/a.ts",
    statementMap: { "0": place(1), "1": place(1), "2": place(2), "3": place(3) },
    fnMap: { "0": { name: "f" }, "1": { name: "g" } },
    branchMap: { "0": { type: "if" } },
    s: { "0": 0, "1": 5, "2": 1, "3": 0 },
    f: { "0": 1, "1": 0 },
    b: { "0": [1, 0] },
  },
});

const part = (total: number, covered: number, pct: number): object => ({ total, covered, skipped: 0, pct });
const summary = {
  lines: part(3, 2, 66.66),
  statements: part(4, 2, 50),
  functions: part(2, 1, 50),
  branches: part(0, 0, 100),
};
const ISTANBUL_SUMMARY = JSON.stringify({ total: summary, "/a/src/a.ts": summary });

const share = (hit: number, found: number): { hit: number; found: number } => ({ hit, found });

export const SAMPLE_REPORTS: readonly SampleReport[] = [
  tests("TAP of Node", "node.tap", NODE_TAP, [3, 1, 2]),
  tests("TAP with braces", "vitest.tap", BRACE_TAP, [2, 2, 2]),
  tests("JUnit", "junit.xml", JUNIT, [2, 2, 1]),
  tests("JUnit of Node", "node.xml", NODE_JUNIT, [3, 1, 1]),
  tests("Jest", "jest.json", JEST, [2, 2, 2]),
  tests("Mocha", "mocha.json", MOCHA, [2, 1, 1]),
  covers("lcov", "lcov.info", LCOV, { lines: share(3, 4), branches: share(1, 2), functions: share(1, 2) }),
  covers("Cobertura", "cobertura.xml", COBERTURA, { lines: share(3, 4), branches: share(1, 2) }),
  covers("Istanbul", "coverage-final.json", ISTANBUL, {
    lines: share(2, 3),
    statements: share(2, 4),
    functions: share(1, 2),
    branches: share(1, 2),
  }),
  covers("Istanbul summary", "coverage-summary.json", ISTANBUL_SUMMARY, {
    lines: share(2, 3),
    statements: share(2, 4),
    functions: share(1, 2),
  }),
];

function tests(name: string, path: string, text: string, counts: readonly [number, number, number]): SampleReport {
  const [passed, failed, skipped] = counts;
  return { name, path, text, tests: { passed, failed, skipped }, coverage: null };
}

function covers(name: string, path: string, text: string, coverage: CoverageCounts): SampleReport {
  return { name, path, text, tests: null, coverage };
}
