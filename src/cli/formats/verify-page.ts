import { compareDiagnostics } from "../../protocol/diagnostic.ts";
import type { Page, Section, Words } from "../../runtime/operations/report-runs.ts";
import { printDuration } from "../paint.ts";
import { type FileReport, labelDiagnostic } from "./report.ts";
import {
  type VerifyReport,
  baseAdvice,
  describeVerifySummary,
  findingsOf,
  summariseVerification,
} from "./verify-report.ts";

const MOST_FINDINGS = 100;
const LONGEST_WORDS = 500;

/** What verification has found, for the summary of a job: what is wrong first, then the gates. */
export function verifyPage(report: VerifyReport): Page {
  const summary = summariseVerification(report);
  const { refused, invalid, gatesFailed, gatesUnusable, refuted } = summary;
  const isBad = refused + invalid + gatesFailed + gatesUnusable > 0;
  const advice = baseAdvice(report);
  const base = report.verification?.base;
  return {
    title: ["Handoffs"],
    tone: isBad ? "bad" : refuted > 0 ? "warning" : "good",
    status: isBad ? "not accepted" : "accepted",
    facts: [
      { name: "verified", value: [describeVerifySummary(summary)] },
      ...(base === undefined ? [] : [{ name: "changes since", value: [{ said: base.name }] }]),
    ],
    sections: [...findingSection(report), ...gateSection(report)],
    footer: [advice ?? "By baton verify."],
  };
}

function findingSection(report: VerifyReport): Section[] {
  const findings = findingsOf(report).files.flatMap((file) => findingRows(file));
  if (findings.length === 0) return [];
  const shown = findings.slice(0, MOST_FINDINGS);
  const more = findings.length - shown.length;
  const columns = ["where", "severity", "what", "rule"].map((name) => ({ name, isNumber: false }));
  const table = { columns, rows: shown };
  return [{ heading: "Findings", table: more === 0 ? table : { ...table, more: `and ${more} more, in the log` } }];
}

function findingRows({ path, diagnostics }: FileReport): Words[][] {
  return diagnostics
    .toSorted(compareDiagnostics)
    .map((diagnostic) => [
      [{ said: `${path}:${diagnostic.range.start.line}` }],
      [diagnostic.severity],
      [{ said: shortened(diagnostic.message) }],
      [{ said: labelDiagnostic(diagnostic) }],
    ]);
}

function shortened(text: string): string {
  return text.length <= LONGEST_WORDS ? text : `${text.slice(0, LONGEST_WORDS)}…`;
}

function gateSection({ verification }: VerifyReport): Section[] {
  const gates = verification?.gates ?? [];
  if (gates.length === 0) return [];
  const columns = ["gate", "outcome", "took", "message"].map((name) => ({ name, isNumber: name === "took" }));
  const rows = gates.map(({ gate, outcome, milliseconds, message }) => [
    [{ said: gate }],
    [outcome],
    [printDuration(milliseconds)],
    [{ said: shortened(message) }],
  ]);
  return [{ heading: "Gates", table: { columns, rows } }];
}
