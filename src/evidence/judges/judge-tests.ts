import { provenName } from "../check-word.ts";
import type { TestClaim } from "../claim.ts";
import type { GateSighting, TestFigures } from "../sightings.ts";
import { counted, quote } from "../wording.ts";
import { type Court, type Finding, NO_PROCEDURE, confirmed, refuted, unverifiable } from "./finding.ts";

/** Numbers of tests, out of the reports of gates that we ran; nothing else counts. */
export function judgeTests(stated: TestClaim, court: Court): Finding {
  const numbers = judgeNumbers(stated, court.gates);
  const verdict = stated.allPassed === null ? null : judgeAllPassed(stated.allPassed, court.gates.filter(provesTests));
  if (numbers === null) return verdict ?? unverifiable(NO_PROCEDURE, NO_GATE);
  if (verdict === null || verdict.verdict === "confirmed") return numbers;
  return numbers.verdict === "refuted" ? numbers : verdict;
}

const NO_GATE = "No gate that runs the tests has shown it.";

/** Others run a part of them: unit tests, say. */
function provesTests({ proves }: GateSighting): boolean {
  return proves.some((name) => provenName(name) === "tests");
}

function judgeNumbers(stated: TestClaim, gates: readonly GateSighting[]): Finding | null {
  if (stated.passed === null && stated.failed === null && stated.total === null) return null;
  const seen = gates.flatMap((gate) => (gate.figures?.tests ? [{ gate, tests: gate.figures.tests }] : []));
  if (seen.length === 0) return unverifiable(NO_PROCEDURE, "No gate has left a report of its tests.");
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

/** A part of the tests that is more than what is said of all. */
function exceeds({ failed, total }: TestClaim, seen: TestFigures): boolean {
  return (failed !== null && seen.failed > failed) || (total !== null && seen.passed + seen.failed > total);
}

function sumOf(seen: readonly { readonly tests: TestFigures }[]): TestFigures {
  const sum = { passed: 0, failed: 0, skipped: 0 };
  for (const { tests } of seen) {
    sum.passed += tests.passed;
    sum.failed += tests.failed;
    sum.skipped += tests.skipped;
  }
  return sum;
}

/** Some count skipped tests among all, some do not. */
function agrees({ passed, failed, total }: TestClaim, seen: TestFigures): boolean {
  const run = seen.passed + seen.failed;
  if (passed !== null && passed !== seen.passed) return false;
  if (failed !== null && failed !== seen.failed) return false;
  return total === null || total === run || total === run + seen.skipped;
}

function inWords({ passed, failed, skipped }: TestFigures): string {
  return `${passed} passed, ${failed} failed${skipped === 0 ? "" : `, ${skipped} skipped`}`;
}

function judgeAllPassed(allPassed: boolean, gates: readonly GateSighting[]): Finding {
  if (gates.length === 0) return unverifiable(NO_PROCEDURE, NO_GATE);
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

/** Some runners end with 0 although a test has failed; then the report tells. */
export function hasFailing({ passed, figures }: GateSighting): boolean {
  return !passed || (figures?.tests?.failed ?? 0) > 0;
}

export function failureInWords({ gate, passed, message, figures }: GateSighting): string {
  const tests = figures?.tests;
  return passed && tests ? `${quote(gate)}: ${inWords(tests)}.` : `Gate ${quote(gate)} failed: ${quote(message)}`;
}

/** What was there before nobody counted: only more than there are is plainly wrong. */
export function judgeTestsAdded(count: number, { gates }: Court): Finding {
  const seen = gates.flatMap(({ figures }) => figures?.tests ?? []);
  if (seen.length === 0) return unverifiable(NO_PROCEDURE, "No gate has left a report of its tests.");
  const { passed, failed, skipped } = sumOf(seen.map((tests) => ({ tests })));
  const all = passed + failed + skipped;
  const procedure = "compare with all tests that the gates report";
  if (count > all) return refuted(procedure, `There ${all === 1 ? "is" : "are"} only ${counted(all, "test")} in all.`);
  return unverifiable(procedure, `There are ${all} in all; how many of them are new was not counted.`);
}
