import type { CoverageMeasure } from "../claim.ts";
import type { Figures, TestFigures } from "../observations.ts";
import { OF_TESTS, provenName } from "../check-word.ts";
import { printable } from "../../shared/printable.ts";
import {
  type CoverageCounts,
  REPORT_FORMATS,
  type ReportFormat,
  type ReportReading,
  COVERAGE_MEASURES,
  addShares,
  percentOf,
  withEmpty,
} from "./report.ts";

/**
 * The figures of several reports. Tests of all reports are added up; coverage in several formats must agree. A report
 * that cannot be used removes the figures it might have had, because a sum without it would be wrong.
 */
export function combineFigures(named: readonly ReportReading[]): Figures {
  const readings = [...new Map(named.map((reading) => [reading.path, reading])).values()];
  const problems = readings.flatMap(({ path, problem }) =>
    problem === null ? [] : [`${printable(path)}: ${problem}`],
  );
  const tests = combineTests(readings, problems);
  const coverage = combineCoverage(readings, problems);
  const sources = readings.flatMap(({ path, format, problem }) =>
    problem === null && format !== null ? [`${printable(path)} (${REPORT_FORMATS[format].name})`] : [],
  );
  return { tests, coverage, sources, problems };
}

/**
 * What is missing of the proof that a gate was to give; null when nothing is. Whoever declares a test report for a gate
 * that proves tests wants to see tests: at least one report must show one that was run.
 */
export function missingProof(proves: readonly string[], readings: readonly ReportReading[]): string | null {
  if (readings.length === 0 || !proves.some((name) => OF_TESTS.includes(provenName(name)))) return null;
  const usable = readings.filter(({ problem }) => problem === null);
  const seen = usable.flatMap(({ tests }) => tests ?? []);
  if (seen.some(({ passed, failed }) => passed + failed > 0)) return null;
  if (seen.length > 0) return "its test report shows no test that was run";
  const problems = readings.flatMap(({ path, problem }) =>
    problem === null ? [] : [`${printable(path)}: ${problem}`],
  );
  const isDeclared = readings.some((reading) => mayHaveShown(reading, "tests"));
  if (isDeclared) return `it wrote no test report that can be used (${problems.join("; ")})`;
  return usable.length > 0 ? null : `it wrote no report that can be used (${problems.join("; ")})`;
}

type Shows = "tests" | "coverage";

function mayHaveShown({ path, format, problem }: ReportReading, what: Shows): boolean {
  if (problem === null) return false;
  return format === null ? namedAs(path).includes(what) : REPORT_FORMATS[format].shows === what;
}

/** The kind of an unreadable report, by the name of its file, then of its folder; without a hint, both kinds. */
function namedAs(path: string): readonly Shows[] {
  for (const name of [path.slice(path.lastIndexOf("/") + 1), path]) {
    const found = NAMES.flatMap(([pattern, what]) => (pattern.test(name) ? [what] : []));
    if (found.length > 0) return found;
  }
  return ["tests", "coverage"];
}

const NAMES: readonly (readonly [RegExp, Shows])[] = [
  [/lcov|\.info$|cobertura|coverage|clover/i, "coverage"],
  [/junit|\btap\b|test|spec/i, "tests"],
];

function combineTests(readings: readonly ReportReading[], problems: string[]): TestFigures | null {
  if (readings.some((reading) => mayHaveShown(reading, "tests"))) return null;
  const sums = new Map<ReportFormat, TestFigures>();
  for (const { format, tests } of readings)
    if (format !== null && tests !== null) sums.set(format, addTests(sums.get(format) ?? NO_FIGURES, tests));
  const [first, ...others] = sums.values();
  if (first === undefined) return null;
  if (others.some((other) => sameTests(first, other) && countTests(first) > 0)) {
    problems.push("reports of different formats show the same numbers of tests: name the tests of a run only once");
    return null;
  }
  return others.reduce(addTests, first);
}

export const NO_FIGURES: TestFigures = { passed: 0, failed: 0, skipped: 0 };

export function addTests(left: TestFigures, right: TestFigures): TestFigures {
  const sum = {
    passed: left.passed + right.passed,
    failed: left.failed + right.failed,
    skipped: left.skipped + right.skipped,
  };
  return withEmpty(sum, (left.empty ?? 0) + (right.empty ?? 0));
}

function sameTests(left: TestFigures, right: TestFigures): boolean {
  return left.passed === right.passed && left.failed === right.failed && left.skipped === right.skipped;
}

function countTests({ passed, failed, skipped }: TestFigures): number {
  return passed + failed + skipped;
}

function combineCoverage(readings: readonly ReportReading[], problems: string[]): Figures["coverage"] {
  if (readings.some((reading) => mayHaveShown(reading, "coverage"))) return null;
  const sums = new Map<ReportFormat, CoverageCounts>();
  for (const { format, coverage } of readings)
    if (format !== null && coverage !== null) sums.set(format, addShares(sums.get(format) ?? {}, coverage));
  if (sums.size === 0) return null;
  const combined: Partial<Record<CoverageMeasure, number>> = {};
  for (const measure of COVERAGE_MEASURES) {
    const percents = [...sums.values()].flatMap((counts) => (counts[measure] ? [percentOf(counts[measure])] : []));
    const [first] = percents;
    if (first === undefined) continue;
    if (percents.every((percent) => Math.abs(percent - first) <= AGREEMENT)) combined[measure] = first;
    else problems.push(`the reports do not agree on covered ${measure}: ${percents.join(", ")} percent`);
  }
  return combined;
}

/** Tolerance in percent: formats count lines and branches in slightly different ways. */
const AGREEMENT = 1;
