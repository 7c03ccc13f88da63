import { compareDiagnostics, type Diagnostic, type Severity } from "../../protocol/diagnostic.ts";
import type { TextRange } from "../../shared/line-table.ts";
import { defuseLogCommands, printable } from "../../shared/printable.ts";
import { count } from "../../shared/count.ts";
import { describeReport, findingsOf, labelDiagnostic, type Report, type VerifyDetails } from "./report.ts";

interface Finding {
  readonly path: string;
  readonly diagnostic: Diagnostic;
}

/** GitHub shows this many annotations of each kind in a step and drops the others silently. */
const SHOWN_PER_KIND = 10;

const KINDS: readonly (readonly [Severity, command: string])[] = [
  ["error", "error"],
  ["warning", "warning"],
  ["info", "notice"],
];

/** Workflow commands for the log of a GitHub action, worst first. */
export function formatGithub(report: Report): string {
  const findings = findingsOf(report).flatMap(({ path, diagnostics }) =>
    diagnostics.toSorted(compareDiagnostics).map((diagnostic): Finding => ({ path, diagnostic })),
  );
  const lister = report.verified === null ? "baton validate" : "baton verify --all";
  const annotations = KINDS.flatMap(([severity, command]) =>
    annotateKind(
      command,
      findings.filter(({ diagnostic }) => diagnostic.severity === severity),
      lister,
    ),
  );
  const lines = [...gateOutput(report.verified), ...annotations, defuseLogCommands(describeReport(report))];
  return lines.map((line) => `${line}\n`).join("");
}

/** An annotation has no room for what a failed gate printed, so it is in the log. */
function gateOutput(verified: VerifyDetails | null): string[] {
  const failed = (verified?.gates ?? []).filter(({ passed, output }) => !passed && output.trim() !== "");
  const lines = failed.flatMap(({ gate, excerpt }) => [
    `gate ${gate} printed:`,
    ...excerpt.map((line) => `    ${line}`),
  ]);
  return lines.map((line) => defuseLogCommands(printable(line)));
}

function annotateKind(command: string, findings: readonly Finding[], lister: string): string[] {
  const annotations = findings.slice(0, SHOWN_PER_KIND).map((finding) => annotate(command, finding));
  const others = findings.slice(SHOWN_PER_KIND);
  if (others.length === 0) return annotations;
  const plain = others.slice(0, MAX_PLAIN).map((finding) => printPlain(command, finding));
  const rest = others.length - plain.length;
  const more = `${count(others.length, `more ${command}`)}, only in this log:`;
  return [...annotations, more, ...plain, ...(rest === 0 ? [] : [`and ${rest} more: ${lister} lists them all`])];
}

/** Findings that are listed in the log of a job, beyond the annotations. */
const MAX_PLAIN = 200;

/** A line of the log that says the same as an annotation. */
function printPlain(command: string, { path, diagnostic }: Finding): string {
  const place = `${printable(path)}:${diagnostic.range.start.line}`;
  const words = `${printable(diagnostic.message)} [${printable(labelDiagnostic(diagnostic))}]`;
  return defuseLogCommands(`${place}: ${command}: ${words}`);
}

function annotate(command: string, { path, diagnostic }: Finding): string {
  const properties = [
    `file=${escapeProperty(path)}`,
    ...locate(diagnostic.range),
    `title=${escapeProperty(labelDiagnostic(diagnostic))}`,
  ];
  const { message, hint } = diagnostic;
  const data = hint === null ? [message] : [message, `hint: ${hint}`];
  return `::${command} ${properties.join(",")}::${data.map(escapeData).join("%0A")}`;
}

/** GitHub refuses columns on an annotation of several lines. */
function locate({ start, end }: TextRange): string[] {
  const lines = [`line=${start.line}`, `endLine=${end.line}`];
  return start.line === end.line ? [...lines, `col=${start.column}`, `endColumn=${end.column}`] : lines;
}

function escapeData(text: string): string {
  return printable(text).replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
