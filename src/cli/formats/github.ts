import { compareDiagnostics, type Diagnostic, type Severity } from "../../protocol/diagnostic.ts";
import type { TextRange } from "../../shared/line-table.ts";
import { defuseLogCommands, printable } from "../../shared/printable.ts";
import { count } from "../../shared/count.ts";
import { checkedFiles, describeReport, labelDiagnostic, type Report } from "./report.ts";

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
export function formatGithub(report: Report, { lister, summary }: GithubWords = wordsOf(report)): string {
  const findings = checkedFiles(report).flatMap(({ path, diagnostics }) =>
    diagnostics.toSorted(compareDiagnostics).map((diagnostic): Finding => ({ path, diagnostic })),
  );
  const lines = KINDS.flatMap(([severity, command]) =>
    annotateKind(
      command,
      findings.filter(({ diagnostic }) => diagnostic.severity === severity),
      lister,
    ),
  );
  return [...lines, defuseLogCommands(summary)].map((line) => `${line}\n`).join("");
}

export interface GithubWords {
  /** The command that shows what was left out. */
  readonly lister: string;
  readonly summary: string;
}

function wordsOf(report: Report): GithubWords {
  return { lister: "baton validate", summary: describeReport(report) };
}

function annotateKind(command: string, findings: readonly Finding[], lister: string): string[] {
  const annotations = findings.slice(0, SHOWN_PER_KIND).map((finding) => annotate(command, finding));
  const others = findings.slice(SHOWN_PER_KIND);
  if (others.length === 0) return annotations;
  const plain = others.slice(0, MOST_PLAIN).map((finding) => printPlain(command, finding));
  const rest = others.length - plain.length;
  const more = `${count(others.length, `more ${command}`)}, only in this log:`;
  return [...annotations, more, ...plain, ...(rest === 0 ? [] : [`and ${rest} more: ${lister} lists them all`])];
}

/** A log of a job that goes on for ever is read by nobody. */
const MOST_PLAIN = 200;

/** For whoever opens the log: no annotation, but no less said. */
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
