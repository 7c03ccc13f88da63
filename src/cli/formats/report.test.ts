import { describe, expect, it } from "vitest";
import { describeSummary, summarise } from "./report.ts";
import { sampleFile, skippedFile } from "./sample-report.ts";

describe("summarise", () => {
  it("counts checked files, verdicts and severities; skipped files come on top", () => {
    const files = [
      sampleFile("a", "x", [{ at: "x" }, { at: "x" }, { at: "x", severity: "warning" }]),
      sampleFile("b", "x", [{ at: "x", severity: "info" }]),
      skippedFile,
    ];
    expect(summarise(files)).toEqual({ files: 2, valid: 1, invalid: 1, skipped: 1, errors: 2, warnings: 1 });
  });
});

describe("describeSummary", () => {
  const none = { files: 0, valid: 0, invalid: 0, skipped: 0, errors: 0, warnings: 0 };

  it.each([
    [
      { ...none, files: 3, valid: 2, invalid: 1, errors: 4, warnings: 1 },
      "3 files: 2 valid, 1 invalid; 4 errors, 1 warning",
    ],
    [{ ...none, files: 1, valid: 1 }, "1 file: 1 valid; no problems"],
    [{ ...none, files: 1, invalid: 1, errors: 1, skipped: 2 }, "1 file: 1 invalid; 1 error; 2 skipped"],
    [none, "No files to check."],
    [{ ...none, skipped: 1 }, "No handoff found: 1 file skipped."],
  ])("%j", (summary, sentence) => {
    expect(describeSummary(summary)).toBe(sentence);
  });
});
