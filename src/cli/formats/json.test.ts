import { describe, expect, it } from "vitest";
import { formatJson } from "./json.ts";
import { sampleFile, sampleReport, skippedFile } from "../../../test/cli/sample-report.ts";

describe("formatJson", () => {
  it("has the documented shape and nothing else", () => {
    const fix = { title: "Write done", edits: [] };
    const file = sampleFile("a.json", '{"status":"donee"}', [{ at: '"donee"', hint: "Use done.", fix }]);
    expect(JSON.parse(formatJson(sampleReport(file, skippedFile)))).toEqual({
      files: [
        {
          path: "a.json",
          dialect: "pipeline-json",
          valid: false,
          handoffs: 1,
          diagnostics: [
            {
              code: "not-allowed",
              rule: "000-R07",
              severity: "error",
              message: "Not allowed here.",
              range: { start: { line: 1, column: 11, offset: 10 }, end: { line: 1, column: 18, offset: 17 } },
              hint: "Use done.",
              fix,
            },
          ],
        },
      ],
      summary: { files: 1, valid: 0, invalid: 1, skipped: 1, documents: 0, errors: 1, warnings: 0 },
      skipped: ["README.md"],
      documents: [],
    });
  });

  it("writes the edits of a fix", () => {
    const range = { start: { line: 1, column: 1, offset: 0 }, end: { line: 1, column: 2, offset: 1 } };
    const fix = { title: "Write y", edits: [{ range, text: "y" }] };
    const json = JSON.parse(formatJson(sampleReport(sampleFile("a", "x", [{ at: "x", fix }]))));
    expect(json.files[0].diagnostics[0].fix).toEqual(fix);
  });

  it("is an object without files when there are none", () => {
    expect(JSON.parse(formatJson(sampleReport())).files).toEqual([]);
  });
});
