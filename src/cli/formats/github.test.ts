import { describe, expect, it } from "vitest";
import { formatGithub } from "./github.ts";
import { type Finding, sampleFile, sampleReport } from "../../../test/cli/sample-report.ts";

function linesOf(output: string): string[] {
  return output.split("\n").slice(0, -1);
}

describe("formatGithub", () => {
  it("writes an annotation with place, title, message and hint, then a summary", () => {
    const file = sampleFile("a.json", '{\n"status": "donee"}', [{ at: '"donee"', hint: "Use done." }]);
    expect(formatGithub(sampleReport(file))).toBe(
      "::error file=a.json,line=2,endLine=2,col=11,endColumn=18,title=000-R07 not-allowed::Not allowed here.%0Ahint: Use done.\n" +
        "1 file: 1 invalid; 1 error\n",
    );
  });

  it("leaves columns out of a range of several lines", () => {
    const output = formatGithub(sampleReport(sampleFile("a", "x\ny", [{ at: "x\ny" }])));
    expect(output).toContain("::error file=a,line=1,endLine=2,title=");
  });

  it("escapes properties and data by GitHub's rules", () => {
    const file = sampleFile("a,b:c%.json", "x", [{ at: "x", message: "100%: a, b" }]);
    expect(linesOf(formatGithub(sampleReport(file)))[0]).toBe(
      "::error file=a%2Cb%3Ac%25.json,line=1,endLine=1,col=1,endColumn=2,title=000-R07 not-allowed::100%25: a, b",
    );
  });

  it("puts the worst first and prints what comes after ten of a kind as plain lines", () => {
    const many = (severity: "error" | "warning" | "info", amount: number): Finding[] =>
      Array.from({ length: amount }, () => ({ at: "x", severity }));
    const output = formatGithub(
      sampleReport(
        sampleFile("a", "x", many("info", 1)),
        sampleFile("b", "x", [...many("warning", 11), ...many("error", 13)]),
      ),
    );
    const kinds = linesOf(output).map((line) => /^::(\w+)/.exec(line)?.[1] ?? line);
    expect(kinds).toEqual([
      ...Array.from({ length: 10 }, () => "error"),
      "3 more errors, only in this log:",
      ...Array.from({ length: 3 }, () => "b:1: error: Not allowed here. [000-R07 not-allowed]"),
      ...Array.from({ length: 10 }, () => "warning"),
      "1 more warning, only in this log:",
      "b:1: warning: Not allowed here. [000-R07 not-allowed]",
      "notice",
      "2 files: 1 valid, 1 invalid; 13 errors, 11 warnings",
    ]);
  });

  it("says so when there was nothing to check", () => {
    expect(formatGithub(sampleReport())).toBe("No files to check.\n");
  });
});
