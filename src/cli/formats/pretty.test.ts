import { describe, expect, it } from "vitest";
import { formatPretty } from "./pretty.ts";
import { plainOptions, sampleFile, sampleReport, skippedFile } from "../../../test/cli/sample-report.ts";

describe("formatPretty", () => {
  it("shows place, message, rule, code frame, hint, fix and a summary", () => {
    const file = sampleFile("agents/a.json", '{\n  "status": "donee"\n}\n', [
      {
        at: '"donee"',
        message: '"donee" is not a status.',
        hint: "Use done, failed or blocked.",
        fix: { title: 'replace it by "done"', edits: [] },
      },
    ]);
    expect(formatPretty(sampleReport(file, sampleFile("b.json", "{}")), plainOptions)).toBe(
      [
        'agents/a.json:2:13  error  "donee" is not a status.  [000-R07 not-allowed]',
        ' 2 |   "status": "donee"',
        "   |             ^^^^^^^",
        "   = hint: Use done, failed or blocked.",
        '   = fix: replace it by "done"',
        "",
        "ok b.json (pipeline-json, 1 handoff)",
        "2 files: 1 valid, 1 invalid; 1 error; 1 can be repaired: run baton fix",
        "",
      ].join("\n"),
    );
  });

  it("lists the findings of a file in reading order", () => {
    const file = sampleFile("a", "x y z", [{ at: "z" }, { at: "x", severity: "warning" }, { at: "y" }]);
    const places = formatPretty(sampleReport(file), plainOptions).match(/^a:1:\d/gm);
    expect(places).toEqual(["a:1:1", "a:1:3", "a:1:5"]);
  });

  it("names the code alone where no rule was broken, and needs no source", () => {
    const file = { ...sampleFile("a", "x", [{ at: "x", rule: null, code: "wrong-encoding" }]), text: "" };
    expect(formatPretty(sampleReport(file), plainOptions)).toBe(
      "a:1:1  error  Not allowed here.  [wrong-encoding]\n\n1 file: 1 invalid; 1 error\n",
    );
  });

  it("continues a hint of several lines behind a bar", () => {
    const file = sampleFile("a", "x", [{ at: "x", hint: "Write:\r\n  done" }]);
    expect(formatPretty(sampleReport(file), plainOptions)).toContain("   = hint: Write:\n   |         done\n");
  });

  it("only names skipped files and says so when nothing is left", () => {
    expect(formatPretty(sampleReport(skippedFile), plainOptions)).toBe(
      "No handoff found: 1 file skipped (README.md).\n",
    );
    expect(formatPretty(sampleReport(), plainOptions)).toBe("No files to check.\n");
  });

  it("never calls an invalid file ok, even without a reason", () => {
    const file = { ...sampleFile("a", "x"), valid: false };
    expect(formatPretty(sampleReport(file), plainOptions)).toMatch(/^invalid a /);
  });

  it("colours only when asked, and says the same then", () => {
    const report = sampleReport(sampleFile("a", "x", [{ at: "x", hint: "h" }]), sampleFile("b", "x"));
    const plain = formatPretty(report, plainOptions);
    const coloured = formatPretty(report, { ...plainOptions, colour: true });
    expect(plain).not.toContain("\u001b");
    expect(coloured).toContain("\u001b[1;31merror\u001b[0m");
    expect(coloured.replaceAll(/\u001b\[[\d;]*m/g, "")).toBe(plain);
  });

  it("defuses a path that reads like a command, coloured or not", () => {
    const report = sampleReport(sampleFile("::error::x", "x", [{ at: "x" }]));
    for (const colour of [false, true]) {
      expect(formatPretty(report, { ...plainOptions, colour })).toContain("\\x3a:error::x:1:1");
    }
  });
});
