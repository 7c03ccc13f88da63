import type { Diagnostic } from "../../protocol/diagnostic.ts";
import { count } from "../../shared/count.ts";
import { printable } from "../../shared/printable.ts";

export interface FileReport {
  /** As shown to people: relative where possible, with `/` on every system. */
  readonly path: string;
  readonly dialect: string | null;
  readonly valid: boolean;
  /** Not a handoff and not asked for by name: counted and named, never judged. */
  readonly skipped: boolean;
  readonly handoffs: number;
  readonly diagnostics: readonly Diagnostic[];
  /** The source, for code frames; "" when it could not be read. */
  readonly text: string;
}

export interface Report {
  readonly files: readonly FileReport[];
  readonly summary: Summary;
}

/** `files` are those that were checked: `valid` and `invalid` add up to it, `skipped` comes on top. */
export interface Summary {
  readonly files: number;
  readonly valid: number;
  readonly invalid: number;
  readonly skipped: number;
  readonly errors: number;
  readonly warnings: number;
}

export interface FormatOptions {
  readonly colour: boolean;
  /** Columns of the terminal; less than 20 counts as 20. */
  readonly width: number;
  /** Where sentences are broken; nowhere when it is not given. */
  readonly room?: number;
  /** Takes a rule of a format, or a diagnostic code where no rule was broken. */
  readonly describeRule: (id: string) => RuleDescription | null;
  /** Of baton itself; SARIF names it. */
  readonly version?: string;
}

export interface RuleDescription {
  readonly title: string;
  readonly help: string;
}

export function summarise(files: readonly FileReport[]): Summary {
  const checked = files.filter((file) => !file.skipped);
  const valid = checked.filter((file) => file.valid).length;
  const severities = checked.flatMap((file) => file.diagnostics.map((diagnostic) => diagnostic.severity));
  return {
    files: checked.length,
    valid,
    invalid: checked.length - valid,
    skipped: files.length - checked.length,
    errors: severities.filter((severity) => severity === "error").length,
    warnings: severities.filter((severity) => severity === "warning").length,
  };
}

export function checkedFiles(report: Report): readonly FileReport[] {
  return report.files.filter((file) => !file.skipped);
}

export function skippedPaths(report: Report): string[] {
  return report.files.flatMap(({ path, skipped }) => (skipped ? [path] : []));
}

/** `3 files: 2 valid, 1 invalid; 4 errors, 1 warning; 1 skipped (README.md)` */
export function describeReport(report: Report): string {
  const { summary } = report;
  const names = nameSome(skippedPaths(report));
  const skipped = summary.skipped === 0 ? "" : `; ${summary.skipped} skipped (${names})`;
  if (summary.files === 0) {
    return skipped === ""
      ? "No files to check."
      : `No handoff found: ${count(summary.skipped, "file")} skipped (${names}).`;
  }
  const verdicts = [
    ...(summary.valid === 0 ? [] : [`${summary.valid} valid`]),
    ...(summary.invalid === 0 ? [] : [`${summary.invalid} invalid`]),
  ];
  const problems = [
    ...(summary.errors === 0 ? [] : [count(summary.errors, "error")]),
    ...(summary.warnings === 0 ? [] : [count(summary.warnings, "warning")]),
  ];
  const found = problems.length === 0 ? "no problems" : problems.join(", ");
  return `${count(summary.files, "file")}: ${verdicts.join(", ")}; ${found}${skipped}`;
}

const MOST_NAMED = 3;

function nameSome(paths: readonly string[]): string {
  const named = paths.slice(0, MOST_NAMED).map((path) => printable(path));
  const more = paths.length - named.length;
  return more === 0 ? named.join(", ") : `${named.join(", ")} and ${more} more`;
}

/** `000-R07 not-allowed`, or the code alone */
export function labelDiagnostic(diagnostic: Diagnostic): string {
  return diagnostic.rule === null ? diagnostic.code : `${diagnostic.rule} ${diagnostic.code}`;
}
