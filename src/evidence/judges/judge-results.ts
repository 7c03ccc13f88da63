import { OF_TESTS, provenName, isSameCommand, isSameText } from "../check-word.ts";
import type { TestClaim, CoverageMeasure } from "../claim.ts";
import type { ObservedGate, TestFigures } from "../observations.ts";
import { NO_FIGURES, addTests } from "../reports/combine-figures.ts";
import { type TestCases, compareTests } from "../test-cases.ts";
import { counted, quote } from "../wording.ts";
import {
  type JudgeContext,
  type ClaimFinding,
  NO_PROCEDURE,
  confirmed,
  refuted,
  unverifiable,
  NOT_OBSERVED,
} from "./judge-context.ts";

/** Compares numbers of tests with the reports of gates that Baton ran; no other source counts. */
export function judgeTests(stated: TestClaim, context: JudgeContext): ClaimFinding {
  const numbers = judgeNumbers(stated, context.gates);
  const verdict =
    stated.allPassed === null ? null : judgeAllPassed(stated.allPassed, context.gates.filter(provesTests));
  if (numbers === null) return verdict ?? unproven(NO_GATE);
  if (verdict === null || verdict.verdict === "confirmed") return numbers;
  return numbers.verdict === "refuted" ? numbers : verdict;
}

const NO_GATE = "No gate that runs the tests has shown it.";

/** People are told at the end of a run. */
function unproven(reason: string): ClaimFinding {
  return { ...unverifiable(NO_PROCEDURE, reason), lacksGate: true };
}

const NO_REPORT = "No gate has left a report of its tests.";

/** Other gates run a part of the tests, such as the unit tests. */
function provesTests({ proves }: ObservedGate): boolean {
  return proves.some((name) => provenName(name) === "tests");
}

function judgeNumbers(stated: TestClaim, gates: readonly ObservedGate[]): ClaimFinding | null {
  if (stated.passed === null && stated.failed === null && stated.total === null) return null;
  const seen = gates.flatMap((gate) => (gate.figures?.tests ? [{ gate, tests: gate.figures.tests }] : []));
  if (seen.length === 0) return unproven(NO_REPORT);
  const sums = seen.length === 1 ? [] : [sumOf(seen)];
  const excess = seen.find(({ tests }) => stated.failed !== null && tests.failed > stated.failed);
  const found =
    excess !== undefined
      ? undefined
      : [...seen.map(({ tests }) => tests), ...sums].find((tests) => agrees(stated, tests));
  const procedure = `read the test report of ${seen.map(({ gate }) => `gate ${quote(gate.gate)}`).join(" and ")}`;
  if (found !== undefined) return confirmed(procedure, `${inWords(found)}.`);
  const evidence = `${seen.map(({ gate, tests }) => `${quote(gate.gate)}: ${inWords(tests)}`).join("; ")}.`;
  const isPlain = seen.some(({ gate, tests }) => provesTests(gate) || exceeds(stated, tests));
  if (isPlain) return refuted(procedure, evidence);
  return unverifiable(procedure, `${evidence} These are a part of the tests.`);
}

/** True if one gate alone reports more than the claim states for all tests. */
function exceeds({ failed, total }: TestClaim, seen: TestFigures): boolean {
  return (failed !== null && seen.failed > failed) || (total !== null && seen.passed + seen.failed > total);
}

function sumOf(seen: readonly { readonly tests: TestFigures }[]): TestFigures {
  return seen.reduce((sum, { tests }) => addTests(sum, tests), NO_FIGURES);
}

/**
 * The total may or may not include skipped tests. Node prints files without a test as passed tests, so who repeats its
 * numbers tells the truth.
 */
function agrees(claim: TestClaim, seen: TestFigures): boolean {
  const { empty = 0 } = seen;
  return hasNumbers(claim, seen) || (empty > 0 && hasNumbers(claim, { ...seen, passed: seen.passed + empty }));
}

function hasNumbers({ passed, failed, total }: TestClaim, seen: TestFigures): boolean {
  const run = seen.passed + seen.failed;
  if (passed !== null && passed !== seen.passed) return false;
  if (failed !== null && failed !== seen.failed) return false;
  return total === null || total === run || total === run + seen.skipped;
}

function inWords({ passed, failed, skipped, empty = 0 }: TestFigures): string {
  const files = empty === 0 ? "" : `, ${counted(empty, "test file")} without a test`;
  return `${passed} passed, ${failed} failed${skipped === 0 ? "" : `, ${skipped} skipped`}${files}`;
}

function judgeAllPassed(allPassed: boolean, gates: readonly ObservedGate[]): ClaimFinding {
  if (gates.length === 0) return allPassed ? unproven(NO_GATE) : unverifiable(NO_PROCEDURE, NO_GATE);
  const procedure = `run ${gates.map(({ gate }) => `gate ${quote(gate)}`).join(" and ")}`;
  const failing = gates.find(hasFailing);
  if (failing !== undefined) {
    const evidence = failureInWords(failing);
    return allPassed ? refuted(procedure, evidence) : confirmed(procedure, evidence);
  }
  if (gates.every(({ figures }) => figures?.tests?.passed === 0))
    return unverifiable(procedure, "It ran no test at all.");
  const evidence = "Every gate that runs the tests passed.";
  return allPassed ? confirmed(procedure, evidence) : refuted(procedure, evidence);
}

/** Some runners exit with 0 although a test has failed; then the report decides. */
function hasFailing({ passed, figures }: ObservedGate): boolean {
  return !passed || (figures?.tests?.failed ?? 0) > 0;
}

function failureInWords({ gate, passed, message, figures }: ObservedGate): string {
  const tests = figures?.tests;
  return passed && tests ? `${quote(gate)}: ${inWords(tests)}.` : `Gate ${quote(gate)} failed: ${quote(message)}`;
}

/** Earlier tests were not counted, so only a number larger than all tests can be refuted. */
export function judgeTestsAdded(count: number, { gates, compared = [] }: JudgeContext): ClaimFinding {
  const seen = gates.flatMap(({ figures }) => figures?.tests ?? []);
  if (seen.length === 0) return unproven(NO_REPORT);
  const { passed, failed, skipped } = sumOf(seen.map((tests) => ({ tests })));
  const all = passed + failed + skipped;
  const procedure = "compare with all tests that the gates report";
  if (count > all) return refuted(procedure, `There ${all === 1 ? "is" : "are"} only ${counted(all, "test")} in all.`);
  const counts = compared.flatMap(({ before, now }) => (before === null ? [] : [newTests(before, now)]));
  if (counts.length === 0 || counts.length < compared.length)
    return unverifiable(procedure, `There are ${all} in all; how many of them are new was not counted.`);
  const [added, more] = [addUp(counts.map((one) => one.added)), addUp(counts.map((one) => one.more))];
  const evidence = `${counted(added, "test")} of ${all} ${added === 1 ? "is" : "are"} new since the state before the work.`;
  if (count === added || count === more) return confirmed("compare with the tests before the work", evidence);
  const found = unverifiable(
    "compare with the tests before the work",
    `${evidence} It may count tests of earlier steps.`,
  );
  return count > Math.max(added, more) ? { ...found, isDoubtful: true } : found;
}

/** New names, and how many more tests there are. */
function newTests(before: TestCases, now: TestCases): { readonly added: number; readonly more: number } {
  return { added: compareTests(before, now).added, more: now.cases.length - before.cases.length };
}

function addUp(counts: readonly number[]): number {
  return counts.reduce((all, count) => all + count, 0);
}

/** Without a measure, lines are meant, or statements, which many tools print first. */
const DEFAULT_MEASURES: readonly CoverageMeasure[] = ["lines", "statements"];
const ROUNDING = 0.05;

/** A claimed coverage is a minimum: true when the measured figure, rounded like the claim, is not below it. */
export function judgeCoverage(measure: CoverageMeasure | null, percent: number, { gates }: JudgeContext): ClaimFinding {
  if (percent < 0 || percent > 100) return refuted(NOT_OBSERVED, "Coverage is between 0 and 100 percent.");
  const wanted = measure === null ? DEFAULT_MEASURES : [measure];
  const seen = gates.flatMap(({ gate, figures }) =>
    wanted.flatMap((name) => {
      const value = figures?.coverage?.[name];
      return value === undefined ? [] : [{ gate, name, value }];
    }),
  );
  if (seen.length === 0) return unproven("No gate has left a report of this coverage.");
  const procedure = `read the coverage report of ${[...new Set(seen.map(({ gate }) => `gate ${quote(gate)}`))].join(" and ")}`;
  const enough = seen.find(({ value }) => reaches(value, isFraction(percent) ? percent * 100 : percent));
  const evidence = (enough === undefined ? seen : [enough])
    .map(({ name, value }) => `${shown(value)} % of ${name} are covered`)
    .join(", ");
  if (enough !== undefined) return confirmed(procedure, `${evidence}.`);
  return isFraction(percent) && seen.some(({ value }) => reaches(value, percent))
    ? unverifiable(procedure, `${evidence}; it does not say whether ${percent} is a percentage or a part of 1.`)
    : refuted(procedure, `Only ${evidence}.`);
}

/** `0.95` may be meant as 95 percent, and `1` as all. */
function isFraction(percent: number): boolean {
  return percent > 0 && percent <= 1;
}

function reaches(measured: number, claimed: number): boolean {
  const decimals = /\.(\d+)$/.exec(String(claimed))?.[1]?.length ?? 0;
  const scale = 10 ** Math.min(decimals, 6);
  return measured >= claimed - ROUNDING || Math.round(measured * scale) / scale >= claimed;
}

function shown(value: number): string {
  return String(Math.round(value * 100) / 100);
}

/** A check passes, or fails, as the gates that prove it did. */
export function judgeCheck(check: string, passed: boolean, { gates }: JudgeContext): ClaimFinding {
  const proving = gates.filter(({ proves }) => proves.some((name) => provenName(name) === check));
  if (proving.length === 0) {
    const found = unverifiable(NO_PROCEDURE, `It is claimed, and no gate that proves ${quote(check)} was run.`);
    return passed && OF_CODE.includes(check) ? { ...found, lacksGate: true } : found;
  }
  const procedure = `run ${proving.map(({ gate }) => `gate ${quote(gate)}`).join(" and ")}`;
  const failed = proving.find((gate) => (OF_TESTS.includes(check) ? hasFailing(gate) : !gate.passed));
  const evidence = failed === undefined ? "It passed." : failureInWords(failed);
  return passed === (failed === undefined) ? confirmed(procedure, evidence) : refuted(procedure, evidence);
}

/** Checks of the code itself, which a gate can prove. Others are about the machine that it was made on. */
const OF_CODE: readonly string[] = ["lint", "build", "typecheck", "audit", "format"];

interface CommandStatement {
  readonly command: string;
  readonly expectsFailure: boolean;
}

/** 000-R37: a command counts only when it equals a gate, or when a person approved running it. */
export function judgeCommand(
  { command, expectsFailure }: CommandStatement,
  { gates, commands }: JudgeContext,
): ClaimFinding {
  const words = command.trim();
  const gate = gates.find((candidate) => isSameCommand(candidate.command, words));
  const run = gate ?? commands.find((candidate) => isSameText(candidate.command, words));
  if (run === undefined) return unverifiable(NO_PROCEDURE, "It is no gate, and no person has approved running it.");
  const procedure = gate === undefined ? "run the command, with approval" : `run gate ${quote(gate.gate)}`;
  if (run.passed) {
    if (!expectsFailure) return confirmed(procedure, "It passed.");
    return unverifiable(procedure, "It passed; work that goes back need not have a command that fails.");
  }
  const evidence = `It failed: ${quote(run.message)}`;
  return expectsFailure
    ? confirmed(procedure, `${evidence} That is expected of work that goes back.`)
    : refuted(procedure, evidence);
}
