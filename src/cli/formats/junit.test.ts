import { parseXml, XmlElement } from "@rgrove/parse-xml";
import { describe, expect, it } from "vitest";
import { formatJunit } from "./junit.ts";
import { sampleFile, sampleReport, skippedFile } from "../../../test/cli/sample-report.ts";

function elements(parent: XmlElement): XmlElement[] {
  return parent.children.filter((child) => child instanceof XmlElement);
}

function readSuite(xml: string): XmlElement {
  const { root } = parseXml(xml);
  expect(root?.name).toBe("testsuites");
  const [suite] = elements(root!);
  expect(suite?.name).toBe("testsuite");
  return suite!;
}

describe("formatJunit", () => {
  it("writes a case for each file, a failure for errors and system-out for the rest", () => {
    const bad = sampleFile("a.json", "x\ny", [
      { at: "y", severity: "warning", message: "Old word." },
      { at: "x", message: "Not a < b & c.", hint: 'Use "d".' },
      { at: "y" },
    ]);
    expect(formatJunit(sampleReport(bad, sampleFile("b.json", "{}"), skippedFile)))
      .toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="baton" tests="2" failures="1" errors="0" skipped="0">
  <testsuite name="baton" tests="2" failures="1" errors="0" skipped="0">
    <testcase name="a.json" classname="pipeline-json" file="a.json">
      <failure message="Not a &lt; b &amp; c. (and 1 more error)" type="000-R07 not-allowed">
1:1 error Not a &lt; b &amp; c. [000-R07 not-allowed]
  hint: Use &quot;d&quot;.
2:1 error Not allowed here. [000-R07 not-allowed]
</failure>
      <system-out>
2:1 warning Old word. [000-R07 not-allowed]
</system-out>
    </testcase>
    <testcase name="b.json" classname="pipeline-json" file="b.json"/>
  </testsuite>
</testsuites>
`);
  });

  it("fails an invalid file even without a reason, and passes one with warnings", () => {
    const silent = { ...sampleFile("a", "x"), valid: false };
    const warned = sampleFile("b", "x", [{ at: "x", severity: "warning" }]);
    const [first, second] = elements(readSuite(formatJunit(sampleReport(silent, warned))));
    expect(elements(first!).map((child) => child.name)).toEqual(["failure"]);
    expect(elements(second!).map((child) => child.name)).toEqual(["system-out"]);
  });

  it("is an empty suite when there was nothing to check", () => {
    const suite = readSuite(formatJunit(sampleReport()));
    expect(suite.attributes["tests"]).toBe("0");
    expect(elements(suite)).toEqual([]);
  });
});
