import { compareBySeverity, compareDiagnostics, type Diagnostic, type Severity } from "../../protocol/diagnostic.ts";
import type { TextRange } from "../../shared/line-table.ts";
import { printable, printJson } from "../../shared/printable.ts";
import { count } from "../../shared/count.ts";
import { findingsOf, type FormatOptions, type Report } from "./report.ts";

interface Finding {
  readonly path: string;
  readonly diagnostic: Diagnostic;
}

/** GitHub rejects a whole upload with more results than this. */
const MAX_RESULTS = 25_000;

const LEVELS: Record<Severity, string> = { error: "error", warning: "warning", info: "note" };

/** SARIF 2.1.0, for code scanning. */
export function formatSarif(report: Report, options: Pick<FormatOptions, "describeRule" | "version">): string {
  const all = findingsOf(report).flatMap(({ path, diagnostics }) =>
    diagnostics.toSorted(compareDiagnostics).map((diagnostic): Finding => ({ path, diagnostic })),
  );
  const findings = keepWorst(all);
  const ruleIds = [...new Set(findings.map(({ diagnostic }) => ruleId(diagnostic)))];
  const ruleIndexes = new Map(ruleIds.map((id, index) => [id, index]));
  const rules = ruleIds.map((id) => toRule(id, options.describeRule));
  const run = {
    // A version that is not known is left out: JSON has no undefined.
    tool: { driver: { name: "baton", semanticVersion: options.version, rules } },
    columnKind: "utf16CodeUnits",
    invocations: [toInvocation(all.length - findings.length, unusableGates(report))],
    results: findings.map((finding) => toResult(finding, ruleIndexes)),
  };
  return `${printJson({ $schema: "https://json.schemastore.org/sarif-2.1.0.json", version: "2.1.0", runs: [run] })}\n`;
}

function keepWorst(findings: readonly Finding[]): readonly Finding[] {
  if (findings.length <= MAX_RESULTS) return findings;
  return findings.toSorted((left, right) => compareBySeverity(left.diagnostic, right.diagnostic)).slice(0, MAX_RESULTS);
}

function ruleId(diagnostic: Diagnostic): string {
  return diagnostic.rule ?? diagnostic.code;
}

function toRule(id: string, describeRule: FormatOptions["describeRule"]) {
  const described = describeRule(id);
  if (described === null) return { id, shortDescription: { text: id } };
  return { id, shortDescription: { text: described.title }, help: { text: described.help } };
}

/** Why the check is not complete, if it is not. */
function unusableGates({ verified }: Report): string[] {
  return (verified?.gates ?? []).flatMap(({ outcome, sentence }) => (outcome === "unusable" ? [sentence] : []));
}

function toInvocation(leftOut: number, trouble: readonly string[]) {
  const dropped = `${count(leftOut, "more result")} left out: the limit is ${MAX_RESULTS}`;
  const notifications = [
    ...trouble.map((text) => ({ level: "error", message: { text: plainText(text) } })),
    ...(leftOut === 0 ? [] : [{ level: "warning", message: { text: dropped } }]),
  ];
  const executionSuccessful = trouble.length === 0;
  if (notifications.length === 0) return { executionSuccessful };
  return { executionSuccessful, toolExecutionNotifications: notifications };
}

function toResult({ path, diagnostic }: Finding, ruleIndexes: ReadonlyMap<string, number>) {
  const id = ruleId(diagnostic);
  const { severity, message, range, hint } = diagnostic;
  const text = hint === null ? plainText(message) : `${plainText(message)}\nhint: ${plainText(hint)}`;
  return {
    ruleId: id,
    ruleIndex: ruleIndexes.get(id),
    level: LEVELS[severity],
    message: { text },
    locations: [{ physicalLocation: { artifactLocation: { uri: toUri(path) }, region: toRegion(range) } }],
    ...toFixes(path, diagnostic),
  };
}

function toFixes(path: string, { fix }: Diagnostic) {
  if (fix === null || fix.edits.length === 0) return {};
  const replacements = fix.edits.map(({ range, text }) => ({
    deletedRegion: toRegion(range),
    insertedContent: { text },
  }));
  const artifactChanges = [{ artifactLocation: { uri: toUri(path) }, replacements }];
  return { fixes: [{ description: { text: plainText(fix.title) }, artifactChanges }] };
}

function toRegion({ start, end }: TextRange) {
  return { startLine: start.line, startColumn: start.column, endLine: end.line, endColumn: end.column };
}

/** SARIF reads `[text](target)` in a plain message as a link; agents do not get to place links. */
function plainText(text: string): string {
  return printable(text).replaceAll("](", "] (");
}

/** Relative to the root of the repository, as code scanning wants it; encoded, so `a:b` is no scheme. */
function toUri(path: string): string {
  const encoded = path
    .replace(/\p{Cs}/gu, "\ufffd")
    .split("/")
    .map(encodeURIComponent)
    .join("/");
  return encoded.startsWith("/") ? `file://${encoded}` : encoded;
}
