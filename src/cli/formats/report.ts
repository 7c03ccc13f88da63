import type { Diagnostic } from "../../protocol/diagnostic.ts";
import type { DocumentKind } from "../../protocol/document-kind.ts";
import type { PlacedJudgement, VerifyBase } from "../../runtime/operations/verify-files.ts";
import type { GateRun } from "../../runtime/operations/verify-gates.ts";
import { count } from "../../shared/count.ts";
import { printable } from "../../shared/printable.ts";

/**
 * Findings on files: what is wrong with a text, and what a text claims that is not true. `baton validate`,
 * `baton check` and `baton verify` make one, and every format prints it.
 */
export interface Report {
  readonly files: readonly FileReport[];
  readonly summary: Summary;
  /** What `baton verify` adds; null when the files were only read. */
  readonly verified: VerifyDetails | null;
  /** What `baton check` adds: the hash for `--trust`; null for a workflow that cannot be run. */
  readonly trust?: string | null;
}

export interface FileReport {
  /** As shown to people: relative where possible, with `/` on every system. */
  readonly path: string;
  readonly dialect: string | null;
  readonly valid: boolean;
  /** Not a handoff and not asked for by name: counted and named, never judged. */
  readonly skipped: boolean;
  /** Skipped because it shows or describes handoffs, or speaks of one in prose. */
  readonly document?: DocumentKind;
  readonly handoffs: number;
  readonly diagnostics: readonly Diagnostic[];
  /** The source, for code frames; "" when it could not be read. */
  readonly text: string;
}

/** `files` are those that were checked: `valid` and `invalid` add up to it, `skipped` and `documents` come on top. */
interface Summary {
  readonly files: number;
  readonly valid: number;
  readonly invalid: number;
  readonly skipped: number;
  readonly documents: number;
  readonly errors: number;
  readonly warnings: number;
}

export interface VerifyDetails {
  /** Null when no file is valid, so that nothing was compared. */
  readonly base: VerifyBase | null;
  readonly gates: readonly ReportedGate[];
  readonly handoffs: readonly ReportedHandoff[];
  /** Diagnostics, refuted claims, failed gates and handoffs without claims, by paths from the root. */
  readonly findings: readonly FileFindings[];
  /** Handoffs without any claim that could be checked. */
  readonly withoutClaims: readonly string[];
  /** Said when claims are refuted and the base was a guess. */
  readonly baseAdvice: string | null;
  readonly summary: VerifySummary;
}

export interface ReportedHandoff {
  readonly path: string;
  /** As it says itself. */
  readonly from: string | null;
  readonly claims: readonly ReportedClaim[];
}

export interface ReportedClaim extends PlacedJudgement {
  /** Refuted, and the policy refuses that. */
  readonly refused: boolean;
}

export interface ReportedGate extends GateRun {
  /** How it went, in a sentence. */
  readonly sentence: string;
  /** What can be done when it did not pass. */
  readonly advice: string;
  /** The lines of its output that are shown. */
  readonly excerpt: readonly string[];
}

export interface VerifySummary {
  readonly handoffs: number;
  readonly claims: number;
  readonly confirmed: number;
  readonly refuted: number;
  /** Of the refuted ones, those that fail the check. */
  readonly refused: number;
  readonly unverifiable: number;
  /** Files that are not valid. */
  readonly invalid: number;
  /** Gates that did not pass. */
  readonly gatesFailed: number;
  /** Gates that could not start, or whose report cannot be used. */
  readonly gatesUnusable: number;
  /** Files that were left out because they have not changed. */
  readonly unchanged: number;
}

export interface FormatOptions {
  readonly colour: boolean;
  /** Columns of the terminal; less than 20 counts as 20. */
  readonly width: number;
  /** Where sentences are broken; nowhere when it is not given. */
  readonly room?: number;
  /** List every claim, also those that were confirmed. */
  readonly all?: boolean;
  /** Takes a rule of a format, or a diagnostic code where no rule was broken. */
  readonly describeRule: (id: string) => RuleDescription | null;
  /** Of baton itself; SARIF names it. */
  readonly version?: string;
}

export interface RuleDescription {
  readonly title: string;
  readonly help: string;
}

export interface FileFindings {
  readonly path: string;
  readonly diagnostics: readonly Diagnostic[];
}

export function reportFiles(files: readonly FileReport[]): Report {
  return { files, summary: summarise(files), verified: null };
}

function summarise(files: readonly FileReport[]): Summary {
  const checked = files.filter((file) => !file.skipped);
  const valid = checked.filter((file) => file.valid).length;
  const told = files.filter((file) => !file.skipped || file.document !== undefined);
  const severities = told.flatMap((file) => file.diagnostics.map((diagnostic) => diagnostic.severity));
  return {
    files: checked.length,
    valid,
    invalid: checked.length - valid,
    skipped: files.filter((file) => file.skipped && file.document === undefined).length,
    documents: files.filter((file) => file.document !== undefined).length,
    errors: severities.filter((severity) => severity === "error").length,
    warnings: severities.filter((severity) => severity === "warning").length,
  };
}

export function checkedFiles(report: Report): readonly FileReport[] {
  return report.files.filter((file) => !file.skipped);
}

export function skippedPaths(report: Report): string[] {
  return report.files.flatMap(({ path, skipped, document }) => (skipped && document === undefined ? [path] : []));
}

/** Files that show or describe handoffs, with what they are. */
export function documentsIn(report: Report): { path: string; kind: DocumentKind }[] {
  return report.files.flatMap(({ path, document }) => (document === undefined ? [] : [{ path, kind: document }]));
}

/** The files with something to tell: a document may have a remark, too. */
export function toldFiles(report: Report): readonly FileReport[] {
  return report.files.filter((file) => !file.skipped || (file.document !== undefined && file.diagnostics.length > 0));
}

/** All that is to be told of each file, for formats that list findings and nothing else. */
export function findingsOf(report: Report): readonly FileFindings[] {
  return report.verified?.findings ?? toldFiles(report);
}

/** `3 files: 2 valid, 1 invalid; 4 errors, 1 warning; 1 skipped (README.md); 1 document (tester.md: prompt)` */
export function describeReport(report: Report): string {
  const { summary, verified } = report;
  if (verified !== null) return describeVerified(verified.summary);
  const passed = describePassedOver(report);
  if (summary.files === 0) return passed === "" ? "No files to check." : `No handoff found: ${passed}.`;
  const verdicts = [
    ...(summary.valid === 0 ? [] : [`${summary.valid} valid`]),
    ...(summary.invalid === 0 ? [] : [`${summary.invalid} invalid`]),
  ];
  const problems = [
    ...(summary.errors === 0 ? [] : [count(summary.errors, "error")]),
    ...(summary.warnings === 0 ? [] : [count(summary.warnings, "warning")]),
  ];
  const found = problems.length === 0 ? "no problems" : problems.join(", ");
  return `${count(summary.files, "file")}: ${verdicts.join(", ")}; ${found}${passed === "" ? "" : `; ${passed}`}`;
}

function describePassedOver(report: Report): string {
  const { skipped, documents, files } = report.summary;
  const listed = documentsIn(report);
  const notes = listed.filter(({ kind }) => kind === "notes").map(({ path }) => path);
  return [
    ...(skipped === 0
      ? []
      : [`${files === 0 ? count(skipped, "file") : skipped} skipped (${nameSome(skippedPaths(report))})`]),
    ...(documents === 0
      ? []
      : [`${count(documents, "document")} (${nameSome(listed.map(({ path, kind }) => `${path}: ${kind}`))})`]),
    ...(notes.length === 0 ? [] : [`baton migrate structures the notes in ${nameSome(notes)}`]),
  ].join("; ");
}

/** `12 claims of 1 handoff: 1 refuted (1 refused), 3 unverifiable, 8 confirmed; 1 gate not passed` */
function describeVerified(summary: VerifySummary): string {
  const { refuted, refused, unverifiable, confirmed, handoffs, claims } = summary;
  const { invalid, gatesFailed, gatesUnusable, unchanged } = summary;
  const verdicts = [
    ...(refuted === 0 ? [] : [`${refuted} refuted (${refused} refused)`]),
    ...(unverifiable === 0 ? [] : [`${unverifiable} unverifiable`]),
    `${confirmed} confirmed`,
  ];
  const judged = `${count(claims, "claim")} of ${count(handoffs, "handoff")}: ${verdicts.join(", ")}`;
  return [
    handoffs === 0 && unchanged > 0 ? "No changed handoff" : judged,
    ...(invalid === 0 ? [] : [`${count(invalid, "file")} not valid, so not verified`]),
    ...(gatesFailed === 0 ? [] : [`${count(gatesFailed, "gate")} not passed`]),
    ...(gatesUnusable === 0 ? [] : [`${count(gatesUnusable, "gate")} without a usable result`]),
    ...(unchanged === 0 ? [] : [`${count(unchanged, "file")} unchanged, so left out`]),
  ].join("; ");
}

const MAX_NAMED = 3;

function nameSome(paths: readonly string[]): string {
  const named = paths.slice(0, MAX_NAMED).map((path) => printable(path));
  const more = paths.length - named.length;
  return more === 0 ? named.join(", ") : `${named.join(", ")} and ${more} more`;
}

/** `000-R07 not-allowed`, or the code alone */
export function labelDiagnostic(diagnostic: Diagnostic): string {
  return diagnostic.rule === null ? diagnostic.code : `${diagnostic.rule} ${diagnostic.code}`;
}
