import { compareBySeverity, type Diagnostic } from "../../protocol/diagnostic.ts";
import { attributes, escapeXml } from "../../shared/xml-text.ts";
import { count } from "../../shared/count.ts";
import { checkedFiles, type FileReport, labelDiagnostic, type Report } from "./report.ts";

export { attributes, escapeXml } from "../../shared/xml-text.ts";

/** JUnit XML: a test case for each file, failed when the file is invalid. */
export function formatJunit(report: Report): string {
  const { files, invalid } = report.summary;
  const totals = attributes({ name: "baton", tests: String(files), failures: String(invalid), errors: "0" });
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${totals}>`,
    `  <testsuite${totals}>`,
    ...checkedFiles(report).flatMap(printCase),
    "  </testsuite>",
    "</testsuites>",
  ];
  return lines.map((line) => `${line}\n`).join("");
}

export function printCase(file: FileReport): string[] {
  const diagnostics = file.diagnostics.toSorted(compareBySeverity);
  const errors = diagnostics.filter((diagnostic) => diagnostic.severity === "error");
  const others = diagnostics.filter((diagnostic) => diagnostic.severity !== "error");
  const open = `testcase${attributes({ name: file.path, classname: file.dialect ?? "baton", file: file.path })}`;
  const children = [
    ...(file.valid ? [] : [printFailure(errors)]),
    ...(others.length === 0 ? [] : [`      <system-out>${printList(others)}</system-out>`]),
  ];
  return children.length === 0 ? [`    <${open}/>`] : [`    <${open}>`, ...children, "    </testcase>"];
}

/** One for all errors of the file: many readers keep only the first failure of a case. */
function printFailure(errors: readonly Diagnostic[]): string {
  const [first] = errors;
  const more = errors.length < 2 ? "" : ` (and ${count(errors.length - 1, "more error")})`;
  const message = first === undefined ? "invalid" : `${first.message}${more}`;
  const type = first === undefined ? "invalid" : labelDiagnostic(first);
  return `      <failure${attributes({ message, type })}>${printList(errors)}</failure>`;
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
