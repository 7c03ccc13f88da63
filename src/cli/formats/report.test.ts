import { describe, expect, it } from "vitest";
import { describeReport, reportFiles } from "./report.ts";
import { sampleFile, sampleReport, skippedFile } from "../../../test/cli/sample-report.ts";

describe("the summary of a report", () => {
  it("counts checked files, verdicts and severities; skipped files come on top", () => {
    const files = [
      sampleFile("a", "x", [{ at: "x" }, { at: "x" }, { at: "x", severity: "warning" }]),
      sampleFile("b", "x", [{ at: "x", severity: "info" }]),
      skippedFile,
    ];
    expect(reportFiles(files).summary).toEqual({
      files: 2,
      valid: 1,
      invalid: 1,
      skipped: 1,
      documents: 0,
      errors: 2,
      warnings: 1,
    });
  });
});

describe("describeReport", () => {
  const good = sampleFile("a", "x");
  const bad = sampleFile("b", "x", [{ at: "x" }, { at: "x", severity: "warning" }]);
  const skipped = (...paths: string[]) => paths.map((path) => ({ ...skippedFile, path }));

  it.each([
    [[good, good, bad], "3 files: 2 valid, 1 invalid; 1 error, 1 warning"],
    [[good], "1 file: 1 valid; no problems"],
    [[good, ...skipped("x.md", "y.md", "z.md")], "1 file: 1 valid; no problems; 3 skipped (x.md, y.md, z.md)"],
    [
      [good, ...skipped("v.md", "w.md", "x.md", "y.md", "z.md")],
      "1 file: 1 valid; no problems; 5 skipped (v.md, w.md, x.md and 2 more)",
    ],
    [[], "No files to check."],
    [skipped("x\u001b.md"), "No handoff found: 1 file skipped (x\\x1b.md)."],
  ])("%#", (files, sentence) => {
    expect(describeReport(sampleReport(...files))).toBe(sentence);
  });
});
