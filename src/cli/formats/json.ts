import type { Diagnostic, Fix } from "../../protocol/diagnostic.ts";
import type { Position, TextRange } from "../../shared/line-table.ts";
import { printJson } from "../../shared/printable.ts";
import {
  checkedFiles,
  documentsIn,
  type FileReport,
  type Report,
  type ReportedClaim,
  type ReportedGate,
  skippedPaths,
  type VerifyDetails,
} from "./report.ts";

/** The stable shapes of `--json`: every field is named here, so nothing internal leaks into them. */
export function formatJson(report: Report): string {
  const { verified } = report;
  return `${printJson(verified === null ? readToJson(report) : verifiedToJson(report, verified))}\n`;
}

function readToJson(report: Report) {
  const { files, valid, invalid, skipped, documents, errors, warnings } = report.summary;
  const summary = { files, valid, invalid, skipped, documents, errors, warnings };
  const { trust } = report;
  const skippedFiles = skippedPaths(report);
  const read = {
    files: checkedFiles(report).map(fileToJson),
    summary,
    skipped: skippedFiles,
    documents: documentsIn(report),
  };
  return trust === undefined ? read : { ...read, trust };
}

function verifiedToJson(report: Report, { base, gates, handoffs, summary }: VerifyDetails) {
  const files = checkedFiles(report).map(({ path, dialect, valid, diagnostics }) => ({
    path,
    dialect,
    valid,
    diagnostics: diagnostics.map(diagnosticToJson),
    handoffs: handoffs
      .filter((handoff) => handoff.path === path)
      .map(({ from, claims }) => ({ from, claims: claims.map(claimToJson) })),
  }));
  return {
    base: base === null ? null : { commit: base.commit, name: base.name, guessed: base.isGuessed },
    files,
    gates: gates.map(gateToJson),
    summary: summaryToJson(summary),
  };
}

function summaryToJson(summary: VerifyDetails["summary"]) {
  const { handoffs, claims, confirmed, refuted, refused, unverifiable, ...others } = summary;
  const { invalid, gatesFailed, gatesUnusable, unchanged } = others;
  const gates = { gatesFailed, gatesUnusable };
  return { handoffs, claims, confirmed, refuted, refused, unverifiable, invalid, ...gates, unchanged };
}

function fileToJson({ path, dialect, valid, handoffs, diagnostics }: FileReport) {
  return { path, dialect, valid, handoffs, diagnostics: diagnostics.map(diagnosticToJson) };
}

function diagnosticToJson({ code, rule, severity, message, range, hint, fix }: Diagnostic) {
  return { code, rule, severity, message, range: rangeToJson(range), hint, fix: fix === null ? null : fixToJson(fix) };
}

function fixToJson({ title, edits }: Fix) {
  return { title, edits: edits.map(({ range, text }) => ({ range: rangeToJson(range), text })) };
}

function rangeToJson({ start, end }: TextRange) {
  return { start: positionToJson(start), end: positionToJson(end) };
}

function positionToJson({ line, column, offset }: Position) {
  return { line, column, offset };
}

function claimToJson({ kind, where, says, verdict, refused, procedure, evidence, range }: ReportedClaim) {
  return { kind, where, says, verdict, refused, procedure, evidence, range: rangeToJson(range) };
}

function gateToJson({ gate, command, outcome, passed, message, milliseconds, figures, missing }: ReportedGate) {
  return {
    name: gate,
    command,
    outcome,
    passed,
    message,
    milliseconds,
    tests: figures?.tests ?? null,
    coverage: figures?.coverage ?? null,
    reports: figures?.sources ?? [],
    problems: figures?.problems ?? [],
    missing,
  };
}
