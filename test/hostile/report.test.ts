import { parseXml, XmlDocument, XmlElement, type XmlNode } from "@rgrove/parse-xml";
import { Parser } from "commonmark";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { reportPretty } from "../../src/cli/formats/pretty-page.ts";
import {
  type Page,
  type RunsReport,
  pageComment,
  pageHtml,
  pageMarkdown,
  reportJunit,
  reportPage,
} from "../../src/runtime/operations/report-runs.ts";
import { printJsonLines } from "../../src/shared/printable.ts";
import { reportHostileRun } from "./hostile-run.ts";

const SIGNS = [
  "<script>alert(1)</script>",
  "</title><img src=x onerror=alert(1)>",
  "]]>",
  "<!--",
  "-->",
  '"><svg onload=x>',
  "&lt;b&gt;",
  "|",
  "\\|",
  "`",
  "``",
  "```\n",
  "\n\n# heading\n",
  "![x](http://evil.example/x.png)",
  "[link](javascript:alert(1))",
  "@everyone",
  "www.evil.example",
  "\n::error::owned\n",
  "::set-output name=a::b",
  "##[group]x",
  "##vso[task.setvariable]x",
  "\u001b[31mred\u001b[0m",
  "\u001b]0;title\u0007",
  "\u202e",
  "\u200b",
  "\r",
  "\u0000",
  "\ud800",
  "\uffff",
  "__proto__",
  "'",
];
const hostile = fc
  .array(fc.oneof(fc.constantFrom(...SIGNS), fc.string({ unit: "binary", maxLength: 8 })), { maxLength: 6 })
  .map((parts) => parts.join(""));

/** What a terminal or a log would obey, or a reader would not see. */
const HIDDEN = /[^\P{Cc}\n]|\p{Cs}|[\u200b\u200c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/u;
const COMMAND = /^\s*::|##\w*\[/m;

/** Both reports, each with its page. */
async function eachReport(text: string, check: (report: RunsReport, page: Page, index: number) => void): Promise<void> {
  const { one, all } = await reportHostileRun(text);
  for (const [index, report] of [one, all].entries()) check(report, reportPage(report), index);
}

async function forAnyText(check: (text: string) => Promise<void>): Promise<void> {
  await fc.assert(fc.asyncProperty(hostile, check), { numRuns: 60 });
}

describe("whatever agents write, in every field of a report,", () => {
  it("the HTML stays well-formed, with no element, attribute or address of theirs", async () => {
    await forAnyText((text) =>
      eachReport(text, (_, page) => {
        const html = pageHtml(page);
        const found = new Set<string>();
        walk(parseXml(html), (name, attributes) => {
          found.add(name);
          for (const key of Object.keys(attributes)) if (/^on|^href$|^src$|^style$/i.test(key)) found.add(key);
        });
        expect([...found].filter((name) => !ELEMENTS.has(name))).toEqual([]);
        expect(html).not.toMatch(HIDDEN);
        expect(html).not.toMatch(COMMAND);
      }),
    );
  });

  it("the Markdown has no link, image, HTML, heading or cell of theirs", async () => {
    const plain: unknown[] = [];
    await eachReport("text", (_, page) => plain.push(shapeOf(page)));
    await forAnyText((text) =>
      eachReport(`x${text}x`, (_, page, index) => {
        for (const markdown of [pageMarkdown(page), pageComment(page)]) {
          expect(markdown).not.toMatch(HIDDEN);
          expect(markdown).not.toMatch(COMMAND);
        }
        expect(shapeOf(page)).toEqual(plain[index]);
      }),
    );
  });

  it("the JUnit file stays well-formed, and no case comes or goes", async () => {
    await forAnyText((text) =>
      eachReport(text, (report) => {
        const xml = reportJunit(report);
        const names: string[] = [];
        walk(parseXml(xml), (name) => names.push(name));
        expect(names.filter((name) => !JUNIT.has(name))).toEqual([]);
        expect(names.filter((name) => name === "testcase")).toHaveLength(report.run === null ? 1 : 5);
        expect(xml).not.toMatch(HIDDEN);
        expect(xml).not.toMatch(COMMAND);
      }),
    );
  });

  it("the terminal obeys nothing, and JSON is read back as it was", async () => {
    await forAnyText((text) =>
      eachReport(text, (report, page) => {
        for (const width of [40, 80, 120]) {
          const lines = reportPretty(page, { colour: false, width });
          expect(lines).not.toMatch(HIDDEN);
          expect(lines).not.toMatch(COMMAND);
        }
        const json = printJsonLines(report);
        expect(json).not.toMatch(HIDDEN);
        expect(json).not.toMatch(/##\w*\[/);
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(report)));
      }),
    );
  });

  it("a comment under a pull request fits, however much there is to say", async () => {
    await eachReport("y".repeat(50_000), (_, page) => {
      const comment = pageComment(page);
      expect(comment.length).toBeLessThanOrEqual(65_536);
      expect(comment).toMatch(/^<!-- baton report -->\n## /);
    });
  });
});

const ELEMENTS = new Set(
  "html head meta title style body main h1 span dl div dt dd section h2 p table thead tr th tbody td ul li footer figure figcaption svg path text rect circle i".split(
    " ",
  ),
);
const JUNIT = new Set(["testsuites", "testsuite", "testcase", "failure", "system-out"]);

function walk(node: XmlNode, visit: (name: string, attributes: Readonly<Record<string, string>>) => void): void {
  if (node instanceof XmlElement) visit(node.name, node.attributes);
  if (node instanceof XmlElement || node instanceof XmlDocument) for (const child of node.children) walk(child, visit);
}

/** Everything about the parsed Markdown but the words: kinds of nodes, raw HTML, and strokes in each row of a table. */
function shapeOf(page: Page): unknown {
  const markdown = pageMarkdown(page);
  const kinds: string[] = [];
  const walker = new Parser().parse(markdown).walker();
  for (let step = walker.next(); step !== null; step = walker.next())
    if (step.entering && step.node.type !== "text" && step.node.type !== "softbreak")
      kinds.push(step.node.type.startsWith("html") ? `${step.node.type} ${step.node.literal ?? ""}` : step.node.type);
  const strokes = markdown.split("\n").map((line) => (line.startsWith("|") ? line.split("|").length : 0));
  return { kinds, strokes };
}
