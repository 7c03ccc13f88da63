import { readFileSync } from "node:fs";
import { join } from "node:path";
import { combineFigures } from "../../src/evidence/reports/combine-figures.ts";
import { readReport } from "../../src/evidence/reports/read-report.ts";
import type { Figures, ObservedGate, Evidence } from "../../src/evidence/observations.ts";
import { type Plant, holds, holdsUnseen, lies, liesUnseen } from "./plant.ts";
import { openShop } from "./shop-worlds.ts";
import * as says from "./statements.ts";
import { type Place, type Workbench, type World, lines } from "./workbench.ts";

const NOW = Date.parse("2026-03-09T14:30:00Z");
const STARTED = Date.parse("2026-03-09T14:00:00Z");

/** Gates that ran, with the report files they left. */
type Ran = "passed" | "failed" | "not run";

/** A step of a run, with a ledger of issues, a phase, and gates that passed, failed, or were not run. */
export async function stepWorld(bench: Workbench, ran: Ran): Promise<World> {
  const name = `step, gates ${ran}`;
  const place = bench.directory(`${name}/shop`);
  openShop(place);
  const base = await bench.mark(place);
  place.write("src/cart/total.ts", lines(60, "line", [31]));
  const scene: Partial<Evidence> = {
    now: NOW,
    step: { startedAt: STARTED, phase: "testing" },
    ledger: [
      { id: "BUG-1", status: "open", location: "src/cart/total.ts:31", isBlocking: true },
      { id: "STYLE-1", status: "open", location: "src/cart/tax.ts:3", isBlocking: false },
    ],
    gates: ran === "not run" ? [] : gatesOf(bench.directory(`${name}/gates`), ran === "passed"),
    commands: [{ command: "make smoke", passed: ran === "passed", message: "exit 2" }],
  };
  const plants = [...ofTheStep(), ...(ran === "not run" ? unproven() : proven(ran === "passed"))];
  return { name, directory: place.path, base, changed: ["src/cart/total.ts"], created: [], plants, scene };
}

function gatesOf(place: Place, isPassing: boolean): ObservedGate[] {
  place.write("junit.xml", junit(25, isPassing ? 0 : 2));
  place.write("lcov.info", lcov(1000, isPassing ? 924 : 610));
  place.write("coverage-summary.json", summary(isPassing ? 924 : 610));
  const figures = (...files: string[]): Figures =>
    combineFigures(files.map((file) => readReport(readFileSync(join(place.path, file), "utf8"), file)));
  const message = isPassing ? "" : "exit code 1";
  return [
    {
      gate: "test",
      proves: ["tests"],
      command: ["npm", "test"],
      passed: isPassing,
      message,
      figures: figures("junit.xml"),
    },
    {
      gate: "cover",
      proves: [],
      command: ["npm", "run", "cover"],
      passed: true,
      message: "",
      figures: figures("lcov.info", "coverage-summary.json"),
    },
    { gate: "lint", proves: ["lint"], command: ["npm", "run", "lint"], passed: isPassing, message, figures: null },
    { gate: "types", proves: ["type_check"], command: ["npx", "tsc"], passed: true, message: "", figures: null },
  ];
}

function junit(count: number, failures: number): string {
  const cases = Array.from({ length: count }, (_, at) =>
    at < failures
      ? `<testcase classname="cart" name="case ${at}" time="0.01"><failure message="wrong">x</failure></testcase>`
      : `<testcase classname="cart" name="case ${at}" time="0.01"/>`,
  );
  return `<?xml version="1.0"?>\n<testsuites><testsuite name="cart" tests="${count}" failures="${failures}" errors="0" skipped="0">${cases.join("\n")}</testsuite></testsuites>\n`;
}

function lcov(found: number, hit: number): string {
  const records = Array.from({ length: found }, (_, at) => `DA:${at + 1},${at < hit ? 1 : 0}`);
  return `TN:\nSF:src/cart/total.ts\n${records.join("\n")}\nLF:${found}\nLH:${hit}\nend_of_record\n`;
}

function summary(hit: number): string {
  const of = (covered: number): object => ({ total: 1000, covered, skipped: 0, pct: covered / 10 });
  const total = { lines: of(hit), statements: of(hit - 4), functions: of(hit), branches: of(hit - 100) };
  return JSON.stringify({ total, "src/cart/total.ts": total });
}

function ofTheStep(): Plant[] {
  return [
    holds(says.writtenAt("2026-03-09T14:05:07.000Z")),
    holds(says.writtenAt("2026-03-09T15:05:07+01:00")),
    holdsUnseen(says.writtenAt("2026-03-09T09:05:07")),
    lies(says.writtenAt("2026-03-09T00:00:00Z")),
    lies(says.writtenAt("2025-01-06T14:30:00Z")),
    lies(says.writtenAt("2026-03-09T18:30:00Z")),
    holds(says.phase("testing")),
    lies(says.phase("architecture")),
    holdsUnseen(says.resolved("BUG-1")),
    lies(says.resolved("BUG-99")),
    holds(says.fixAt("src/cart/total.ts:33")),
    lies(says.fixAt("src/old.ts:3", "ledger")),
    holdsUnseen(says.fixAt("src/cart/tax.ts:3")),
    holds(says.reviewCount("critical_count", 2, ["critical", "critical", "important"])),
    lies(says.reviewCount("critical_count", 2, ["critical"])),
    lies(says.reviewCount("important_count", 0, ["critical", "important"])),
    lies(says.tests({ tests_passed: "30/25" }, "count")),
    holds(says.modified("src/cart/total.ts", "31-31")),
    holdsUnseen(says.skill("writing-tests")),
  ];
}

/** What gates can show; the same claims are true in one world and false in the other. */
function proven(isPassing: boolean): Plant[] {
  const good = isPassing ? holds : lies;
  const bad = isPassing ? lies : holds;
  return [
    good(says.tests({ tests_passed: 25, tests_failed: 0, tests_total: 25 })),
    good(says.tests({ tests_passed: "25/25" })),
    good(says.tests({ tests_passed: true })),
    good(says.result("test", "tests", "passed (25/25)")),
    good(says.result("test", "tests", "all tests pass")),
    good(says.result("test", "tests_passed", true)),
    bad(says.tests({ tests_passed: 23, tests_failed: 2 })),
    bad(says.tests({ tests_passed: 23, tests_failed: 2, tests_total: 25 })),
    bad(says.result("test", "tests", "2 failed")),
    bad(says.result("test", "tests_passed", false)),
    lies(says.tests({ tests_passed: 156, tests_failed: 0 })),
    lies(says.result("test", "tests", "passed (212/212)")),
    good(says.metric("coverage", "test_coverage", 92)),
    good(says.metric("coverage", "coverage", "92.4%")),
    good(says.metric("coverage", "coverage", { lines: "92%" }, ".lines")),
    good(says.metric("coverage", "coverage", { branches: 82.4 }, ".branches")),
    good(says.result("coverage", "coverage_percent", 90)),
    holds(says.metric("coverage", "test_coverage", 61)),
    // Of a part of 1 nobody can tell whether it is not a percentage.
    (isPassing ? holds : liesUnseen)(says.metric("coverage", "coverage", 0.92)),
    liesUnseen(says.metric("coverage", "coverage", 0.97)),
    lies(says.metric("coverage", "coverage", "93%")),
    lies(says.metric("coverage", "branch_coverage", 92)),
    lies(says.result("coverage", "coverage_percent", 100)),
    lies(says.metric("coverage", "coverage", "140%")),
    good(says.result("check", "lint", "passed")),
    good(says.result("check", "lint_passed", true)),
    good(says.metric("check", "lint_errors", 0)),
    bad(says.result("check", "lint", "3 errors")),
    bad(says.failure("lint")),
    bad(says.failure("test")),
    holds(says.result("check", "type_check", "passed")),
    lies(says.result("check", "type_check", "failed")),
    lies(says.failure("type_check")),
    holdsUnseen(says.result("check", "build_success", true)),
    liesUnseen(says.result("check", "security", "no vulnerabilities")),
    holdsUnseen(says.result("check", "patterns_referenced", true)),
    good(says.command("npm test")),
    good(says.command("make smoke")),
    liesUnseen(says.command("npm test && npm run deploy")),
    isPassing ? holdsUnseen(says.command("npm test", true)) : holds(says.command("npm test", true)),
    lies(says.metric("test", "tests_added", 40)),
    holdsUnseen(says.metric("test", "tests_added", 4)),
  ];
}

/** The same without a gate: nothing is believed, and nothing refused. */
function unproven(): Plant[] {
  return [
    holdsUnseen(says.tests({ tests_passed: 25, tests_failed: 0 })),
    liesUnseen(says.tests({ tests_passed: 999 })),
    holdsUnseen(says.result("test", "tests_passed", true)),
    holdsUnseen(says.metric("coverage", "coverage", "92%")),
    liesUnseen(says.metric("coverage", "coverage", "100%")),
    holdsUnseen(says.result("check", "lint", "passed")),
    holdsUnseen(says.command("npm test")),
    lies(says.command("make smoke")),
    holdsUnseen(says.metric("test", "tests_added", 4)),
  ];
}
