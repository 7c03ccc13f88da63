import { parseXml, XmlElement } from "@rgrove/parse-xml";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Severity } from "../../protocol/diagnostic.ts";
import { LineTable } from "../../shared/line-table.ts";
import { splitCells } from "../../shared/printable.ts";
import { drawFrame } from "./draw-frame.ts";
import { formatGithub } from "./github.ts";
import { formatJson } from "./json.ts";
import { formatJunit } from "./junit.ts";
import { formatPretty } from "./pretty.ts";
import { checkedFiles, type Report } from "./report.ts";
import { plainOptions, sampleFile, sampleReport } from "../../../test/cli/sample-report.ts";
import { formatSarif } from "./sarif.ts";

/** What an agent could write to be obeyed by a terminal, a CI log or a viewer. */
const HOSTILE = [
  "::error::pwned",
  "  ::stop-commands::x",
  "\n::add-mask::a",
  "\r::set-output name=a::b",
  "\u2028::warning::x",
  "\u0085::debug::x",
  "%0A::error::x",
  "##[error]x",
  "##vso[task.setvariable variable=a]b",
  "\u001b[2J\u001b[31m",
  "\u009b31m",
  "\u001b]8;;https://evil.example\u0007click\u001b]8;;\u0007",
  "\u202eevil\u202c",
  "\u2066\u200b\u200d\ufeff",
  "\u{e0041}\u{e007f}",
  "]]>",
  '"><script>',
  "<!--",
  "&amp;",
  "\u0000\u0008\u007f",
  "\ufffe\uffff",
  "\ud800",
  "[link](https://evil.example)",
  "a, b: c",
  "日本👩‍👩‍👧e\u0301",
  "\t",
  "plain",
];

/** Every character that a terminal, a viewer or a reader of logs could take for the end of a line. */
const LINE_END = /[\n\r\v\f\u0085\u2028\u2029]/;
/** What no output may hold: controls apart from our line ends, direction marks, tags, lone halves. */
const OBEYED = /(?!\n)[\p{Cc}\p{Cs}]|[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/u;
const HASH_COMMAND = /##\w*\[/;
const ANNOTATION =
  /^::(?:error|warning|notice) file=[^:,]*,line=\d+,endLine=\d+(?:,col=\d+,endColumn=\d+)?,title=[^:,]*::/;

const hostileText = fc
  .array(fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: "binary", maxLength: 8 })), { maxLength: 6 })
  .map((pieces) => pieces.join(""));

const severity = fc.constantFrom<Severity>("error", "warning", "info");

const hostileFinding = fc.record({
  severity,
  message: hostileText,
  hint: fc.option(hostileText),
  rule: fc.option(hostileText),
  fix: fc.option(hostileText.map((title) => ({ title, edits: [] }))),
  start: fc.nat(40),
  length: fc.nat(40),
});

const hostileFile = fc
  .record({
    path: hostileText,
    text: hostileText,
    dialect: fc.option(hostileText),
    skipped: fc.boolean(),
    findings: fc.array(hostileFinding, { maxLength: 14 }),
  })
  .map(({ path, text, dialect, skipped, findings }) => {
    const table = new LineTable(text);
    const placed = findings.map(({ start, length, ...rest }) => {
      return { ...rest, at: "", range: table.range(start, start + length) };
    });
    return { ...sampleFile(path, text, placed), dialect, skipped };
  });

const hostileReport = fc.array(hostileFile, { maxLength: 3 }).map((files) => sampleReport(...files));

function forEveryReport(check: (report: Report) => void): void {
  fc.assert(fc.property(hostileReport, check), { numRuns: 200 });
}

function findingsOf(report: Report) {
  return checkedFiles(report).flatMap((file) => file.diagnostics);
}

function linesOf(output: string): string[] {
  return output.split("\n").slice(0, -1);
}

describe("text of agents", () => {
  it.each([
    ["pretty", (report: Report) => formatPretty(report, plainOptions)],
    ["json", formatJson],
    ["sarif", (report: Report) => formatSarif(report, plainOptions)],
    ["junit", formatJunit],
  ])("is shown by %s, never obeyed by a terminal or a CI log", (_, format) => {
    forEveryReport((report) => {
      const output = format(report);
      expect(output).not.toMatch(OBEYED);
      expect(output).not.toMatch(HASH_COMMAND);
      expect(output).not.toMatch(/^\s*::/m);
    });
  });

  it("begins no command in the log of a GitHub action", () => {
    forEveryReport((report) => {
      const output = formatGithub(report);
      expect(output).not.toMatch(OBEYED);
      const lines = linesOf(output);
      for (const line of lines) expect(line).not.toMatch(LINE_END);
      for (const line of lines.filter((each) => !ANNOTATION.test(each))) {
        expect(line).toMatch(/^(?:\d+ (?:more|files?)|No )|:\d+: (?:error|warning|notice): .*\]$/);
        expect(line).not.toMatch(/^\s*::/);
        expect(line).not.toMatch(HASH_COMMAND);
      }
      const shown = ["error", "warning", "info"].map((kind) => {
        return Math.min(10, findingsOf(report).filter((finding) => finding.severity === kind).length);
      });
      expect(lines.filter((line) => ANNOTATION.test(line)).length).toBe(shown.reduce((sum, amount) => sum + amount, 0));
    });
  });

  it("adds no property to an annotation, read as the runner reads it", () => {
    forEveryReport((report) => {
      for (const line of linesOf(formatGithub(report)).filter((each) => each.startsWith("::"))) {
        const info = line.slice("::".length, line.indexOf("::", "::".length));
        const properties = info.slice(info.indexOf(" ") + 1).split(",");
        expect([
          ["file", "line", "endLine", "col", "endColumn", "title"],
          ["file", "line", "endLine", "title"],
        ]).toContainEqual(properties.map((property) => property.split("=")[0]));
      }
    });
  });

  it("arrives unchanged in JSON, on one line", () => {
    forEveryReport((report) => {
      const json = formatJson(report);
      expect(json).toMatch(/^\{.*\}\n$/);
      const { files } = JSON.parse(json);
      const messages = files.flatMap((file: { diagnostics: { message: string }[] }) =>
        file.diagnostics.map((diagnostic) => diagnostic.message),
      );
      expect(messages).toEqual(findingsOf(report).map((finding) => finding.message));
    });
  });

  it("changes no address and places no link in SARIF", () => {
    forEveryReport((report) => {
      const [run] = JSON.parse(formatSarif(report, plainOptions)).runs;
      expect(run.results).toHaveLength(findingsOf(report).length);
      for (const { message, locations, ruleId, ruleIndex } of run.results) {
        expect(message.text).not.toContain("](");
        expect(locations[0].physicalLocation.artifactLocation.uri).toMatch(/^(?:file:\/\/)?[\w%/.~!*'()-]*$/);
        expect(run.tool.driver.rules[ruleIndex].id).toBe(ruleId);
      }
    });
  });

  it("leaves JUnit well-formed, with the same cases", () => {
    forEveryReport((report) => {
      const xml = formatJunit(report);
      expect(xml).not.toMatch(/[\ufffe\uffff]|\]\]>/);
      const [suite] = childrenOf(parseXml(xml).root);
      const failures = childrenOf(suite).filter((each) => childrenOf(each).some((child) => child.name === "failure"));
      expect(childrenOf(suite).length).toBe(report.summary.files);
      expect(failures.length).toBe(report.summary.invalid);
    });
  });

  it("never draws a frame past the width, nor one without a caret", () => {
    const width = fc.integer({ min: 20, max: 60 });
    fc.assert(
      fc.property(hostileText, fc.nat(60), fc.nat(60), width, (text, start, length, columns) => {
        const frame = drawFrame(text, new LineTable(text).range(start, start + length), columns);
        expect(frame.length === 0).toBe(text === "");
        for (const { gutter, body, kind } of frame.slice(0, 2)) {
          const drawn = splitCells(body).reduce((sum, cell) => sum + cell.width, ` ${gutter} | `.length);
          expect(drawn).toBeLessThanOrEqual(columns);
          if (kind === "caret") expect(body).toMatch(/^ *\^+$/);
        }
      }),
      { numRuns: 1000 },
    );
  });
});

function childrenOf(parent: XmlElement | null | undefined): XmlElement[] {
  return parent?.children.filter((child) => child instanceof XmlElement) ?? [];
}
