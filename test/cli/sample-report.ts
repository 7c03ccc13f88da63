// For the tests beside it.
import type { Diagnostic } from "../../src/protocol/diagnostic.ts";
import { LineTable } from "../../src/shared/line-table.ts";
import { type FileReport, type FormatOptions, type Report, reportFiles } from "../../src/cli/formats/report.ts";

export type Finding = Partial<Diagnostic> & {
  /** The piece of the text that is wrong: its first occurrence. */
  readonly at: string;
};

export function sampleFile(path: string, text: string, findings: readonly Finding[] = []): FileReport {
  const table = new LineTable(text);
  const diagnostics = findings.map(({ at, ...rest }): Diagnostic => {
    const start = text.indexOf(at);
    const range = table.range(start, start + at.length);
    const shown: Diagnostic = {
      code: "not-allowed",
      rule: "000-R07",
      severity: "error",
      message: "Not allowed here.",
      range,
      hint: null,
      fix: null,
    };
    return { ...shown, ...rest };
  });
  const valid = !diagnostics.some((diagnostic) => diagnostic.severity === "error");
  return { path, text, dialect: "pipeline-json", valid, skipped: false, handoffs: 1, diagnostics };
}

export function sampleReport(...files: FileReport[]): Report {
  return reportFiles(files);
}

export const skippedFile: FileReport = {
  ...sampleFile("README.md", "# Hello"),
  dialect: null,
  skipped: true,
  handoffs: 0,
};

export const plainOptions: FormatOptions = { colour: false, width: 80, describeRule: () => null };
