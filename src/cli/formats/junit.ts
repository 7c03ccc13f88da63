import { compareBySeverity, type Diagnostic } from "../../protocol/diagnostic.ts";
import { count } from "../../shared/count.ts";
import { escapeXml, type JunitCase, type JunitElement, type JunitSuite, printJunit } from "../../shared/xml-text.ts";
import {
  checkedFiles,
  type FileReport,
  labelDiagnostic,
  type Report,
  type ReportedClaim,
  type ReportedGate,
  type VerifyDetails,
} from "./report.ts";

/**
 * JUnit XML. Of files that were read: a case for each file, failed when the file is invalid. Of a verification: a suite
 * for each file with a case for each claim, and one suite for the gates.
 */
export function formatJunit(report: Report): string {
  const { verified } = report;
  if (verified !== null) return printJunit("baton verify", verifySuites(report, verified));
  return printJunit("baton", [{ name: "baton", cases: checkedFiles(report).map(fileCase) }]);
}

function fileCase(file: FileReport): JunitCase {
  const diagnostics = file.diagnostics.toSorted(compareBySeverity);
  const errors = diagnostics.filter((diagnostic) => diagnostic.severity === "error");
  const others = diagnostics.filter((diagnostic) => diagnostic.severity !== "error");
  const elements: JunitElement[] = [
    ...(file.valid ? [] : [failureOf(errors)]),
    ...(others.length === 0 ? [] : [{ tag: "system-out", content: printList(others) } as const]),
  ];
  return { attributes: { name: file.path, classname: file.dialect ?? "baton", file: file.path }, elements };
}

/** One for all errors of the file: many readers keep only the first failure of a case. */
function failureOf(errors: readonly Diagnostic[]): JunitElement {
  const [first] = errors;
  const more = errors.length < 2 ? "" : ` (and ${count(errors.length - 1, "more error")})`;
  const message = first === undefined ? "invalid" : `${first.message}${more}`;
  const type = first === undefined ? "invalid" : labelDiagnostic(first);
  return { tag: "failure", attributes: { message, type }, content: printList(errors) };
}

function printList(diagnostics: readonly Diagnostic[]): string {
  return diagnostics.map((diagnostic) => `\n${printDiagnostic(diagnostic)}`).join("") + "\n";
}

function printDiagnostic(diagnostic: Diagnostic): string {
  const { range, severity, message, hint } = diagnostic;
  const place = `${range.start.line}:${range.start.column}`;
  const advice = hint === null ? "" : `\n  hint: ${escapeXml(hint)}`;
  return `${place} ${severity} ${escapeXml(message)} [${escapeXml(labelDiagnostic(diagnostic))}]${advice}`;
}

function verifySuites(report: Report, { gates, handoffs, baseAdvice }: VerifyDetails): JunitSuite[] {
  const suites = checkedFiles(report).map((file): JunitSuite => {
    const claims = handoffs.flatMap((handoff) => (handoff.path === file.path ? handoff.claims : []));
    const cases = file.valid ? claims.map((claim) => claimCase(file.path, claim, baseAdvice)) : [fileCase(file)];
    return { name: file.path, cases };
  });
  return gates.length === 0 ? suites : [{ name: "gates", cases: gates.map(gateCase) }, ...suites];
}

function gateCase({ gate, milliseconds, outcome, sentence, advice, excerpt }: ReportedGate): JunitCase {
  const attributes = { name: gate, classname: "gate", time: String(milliseconds / 1000) };
  if (outcome === "passed") return { attributes, elements: [] };
  // Behind a stroke a line of a gate is no command for a log that shows this file.
  const lines = [`${sentence} ${advice}`, ...excerpt.map((line) => `| ${line}`)];
  const tag = outcome === "failed" ? "failure" : "error";
  const content = lines.map(escapeXml).join("\n");
  return { attributes, elements: [{ tag, attributes: { message: sentence, type: "failed-gate" }, content }] };
}

/** Refused claims fail, unverifiable ones are skipped; a refuted claim that is only warned of passes and says so. */
function claimCase(file: string, claim: ReportedClaim, advice: string | null): JunitCase {
  const { kind, where, says, range } = claim;
  const attributes = { name: `${where}: ${says}`, classname: `claim.${kind}`, file, line: String(range.start.line) };
  return { attributes, elements: claimElements(claim, advice) };
}

function claimElements(claim: ReportedClaim, advice: string | null): JunitElement[] {
  const { verdict, evidence, procedure, refused } = claim;
  const seen = `${evidence} (${procedure})`;
  const words = advice === null ? seen : `${seen} ${advice}`;
  switch (verdict) {
    case "confirmed":
      return [];
    case "unverifiable":
      return [{ tag: "skipped", attributes: { message: `unverifiable: ${seen}` } }];
    case "refuted": {
      if (!refused) return [{ tag: "system-out", content: escapeXml(`refuted, and not refused: ${words}`) }];
      return [{ tag: "failure", attributes: { message: evidence, type: "refuted" }, content: escapeXml(words) }];
    }
  }
}
