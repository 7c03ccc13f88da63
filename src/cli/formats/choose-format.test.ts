import { describe, expect, it } from "vitest";
import { FORMAT_NAMES, formatReport } from "./choose-format.ts";
import { plainOptions, sampleFile, sampleReport } from "../../../test/cli/sample-report.ts";

describe("formatReport", () => {
  it("knows every format, and each ends with a line end", async () => {
    const report = sampleReport(sampleFile("a.json", "x", [{ at: "x" }]));
    const starts = {
      pretty: "a.json:1:1",
      json: '{"files":',
      github: "::error ",
      sarif: '{"$schema":',
      junit: "<?xml ",
    };
    for (const name of FORMAT_NAMES) {
      const text = await formatReport(name, report, plainOptions);
      expect(text.startsWith(starts[name])).toBe(true);
      expect(text.endsWith("\n")).toBe(true);
    }
  });
});
