import type { Diagnostic, Fix } from "../../protocol/diagnostic.ts";
import type { Position, TextRange } from "../../shared/line-table.ts";
import { printJson } from "../../shared/printable.ts";
import { checkedFiles, type FileReport, type Report, skippedPaths } from "./report.ts";

/** The stable shape of `--json`: every field is named here, so nothing internal leaks into it. */
export function formatJson(report: Report): string {
  const { files, valid, invalid, skipped, errors, warnings } = report.summary;
  const summary = { files, valid, invalid, skipped, errors, warnings };
  return `${printJson({ files: checkedFiles(report).map(fileToJson), summary, skipped: skippedPaths(report) })}\n`;
}

function fileToJson({ path, dialect, valid, handoffs, diagnostics }: FileReport) {
  return { path, dialect, valid, handoffs, diagnostics: diagnostics.map(diagnosticToJson) };
}

export function diagnosticToJson({ code, rule, severity, message, range, hint, fix }: Diagnostic) {
  return { code, rule, severity, message, range: rangeToJson(range), hint, fix: fix === null ? null : fixToJson(fix) };
}

function fixToJson({ title, edits }: Fix) {
  return { title, edits: edits.map(({ range, text }) => ({ range: rangeToJson(range), text })) };
}

export function rangeToJson({ start, end }: TextRange) {
  return { start: positionToJson(start), end: positionToJson(end) };
}

function positionToJson({ line, column, offset }: Position) {
  return { line, column, offset };
}
