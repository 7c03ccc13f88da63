import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readReport } from "../../src/evidence/reports/read-report.ts";
import type { PlacedJudgement, Verification } from "../../src/runtime/operations/verify-files.ts";
import { LineTable } from "../../src/shared/line-table.ts";
import { splitCells } from "../../src/shared/printable.ts";
import { FORMAT_NAMES, type FormatName, formatReport } from "../../src/cli/formats/choose-format.ts";
import { type FormatOptions, describeReport } from "../../src/cli/formats/report.ts";
import { type VerifyResult, verifyReport } from "../../src/cli/verify-report.ts";
import { sampleFile } from "./sample-report.ts";

const formatVerification = (name: FormatName, result: VerifyResult, options: FormatOptions): Promise<string> =>
  formatReport(name, verifyReport(result), options);

const HOSTILE = [
  "::error::pwned",
  "\n::add-mask::a",
  "\u2028::warning::x",
  "##[error]x",
  "##vso[task.setvariable variable=a]b",
  "\u001b[2J\u001b[31m",
  "\u202eevil\u202c",
  "\u{e0041}",
  "]]>",
  '"><script>',
  "&amp;",
  "\u0000\ufffe",
  "\ud800",
  "plain",
];
const OBEYED = /(?!\n)[\p{Cc}\p{Cs}]|[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/u;

const text = fc.array(fc.constantFrom(...HOSTILE), { maxLength: 3 }).map((pieces) => pieces.join(""));

const claim: fc.Arbitrary<PlacedJudgement> = fc.record({
  kind: fc.constantFrom("file", "test", "time"),
  where: text,
  says: text,
  verdict: fc.constantFrom("confirmed", "refuted", "unverifiable"),
  procedure: text,
  evidence: text,
  answer: fc.constantFrom("refuse", "ask", "warn", "record"),
  range: fc.constant(new LineTable("a\nb").range(2, 3)),
});

const gate = fc.record({
  gate: text,
  proves: fc.constant([]),
  command: fc.array(text),
  passed: fc.boolean(),
  outcome: fc.constantFrom("passed", "failed", "unusable"),
  missing: fc.array(text),
  hasAnswered: fc.constant(true),
  compared: fc.constant(null),
  message: text,
  milliseconds: fc.constant(5),
  output: text,
  figures: fc.record({
    tests: fc.constant(null),
    coverage: fc.constant(null),
    sources: fc.array(text),
    problems: fc.array(text),
  }),
});

const report: fc.Arbitrary<VerifyResult> = fc
  .record({ path: text, base: text, claims: fc.array(claim), gates: fc.array(gate), strict: fc.boolean() })
  .map(({ path, base, claims, gates, strict }) => ({
    files: [sampleFile(path, "a\nb")],
    verification: {
      base: { commit: null, name: base, isGuessed: true },
      gates,
      handoffs: [{ path, dialect: "output-json", from: null, claims }],
    },
    strict,
    unchanged: 0,
    paths: new Map([[path, `sub/${path}`]]),
  }));

const options = { colour: false, width: 80, all: true, version: "0.0.0", describeRule: () => null };

describe("what agents wrote", () => {
  it.each(FORMAT_NAMES)("is shown by %s, never obeyed", async (name: FormatName) => {
    await fc.assert(
      fc.asyncProperty(report, async (each) => {
        const output = await formatVerification(name, each, options);
        expect(output).not.toMatch(OBEYED);
        const lines = output.split("\n").filter((line) => name !== "github" || !/^::\w+ file=/.test(line));
        for (const line of lines) expect(line).not.toMatch(/^\s*::|##\w*\[/);
        if (name === "json" || name === "sarif") JSON.parse(output);
        if (name === "junit") expect(readReport(output, "a.xml").problem).toBeNull();
      }),
      { numRuns: 300 },
    );
  });

  it("is counted in junit as in the summary", async () => {
    await fc.assert(
      fc.asyncProperty(report, async (each) => {
        const { summary } = verifyReport(each).verified;
        const { claims, refused, unverifiable, gatesFailed, gatesUnusable } = summary;
        const { tests } = readReport(await formatVerification("junit", each, options), "a.xml");
        const all = claims + (each.verification?.gates.length ?? 0);
        const failed = refused + gatesFailed + gatesUnusable;
        expect(tests).toEqual({ passed: all - failed - unverifiable, failed, skipped: unverifiable });
      }),
      { numRuns: 100 },
    );
  });
});

describe("a verification", () => {
  const sample = (verdicts: readonly PlacedJudgement["verdict"][], answer: PlacedJudgement["answer"]): VerifyResult => {
    const range = new LineTable("a").range(0, 1);
    const claims = verdicts.map((verdict, at): PlacedJudgement => ({
      kind: "file",
      where: `work.created.${at}`,
      says: `Claim ${at}.`,
      verdict,
      procedure: "look",
      evidence: "Seen.",
      answer,
      range,
    }));
    const verification: Verification = {
      base: { commit: null, name: "commit 1", isGuessed: false },
      gates: [],
      handoffs: [{ path: "a.md", dialect: "output-json", from: null, claims }],
    };
    return { files: [sampleFile("a.md", "a")], verification, strict: false, unchanged: 0, paths: new Map() };
  };

  it("is summed up in a line", () => {
    const line = (each: VerifyResult): string => describeReport(verifyReport(each));
    expect(line(sample(["refuted", "refuted", "confirmed"], "refuse"))).toBe(
      "3 claims of 1 handoff: 2 refuted (2 refused), 1 confirmed",
    );
    expect(line(sample(["refuted", "unverifiable"], "warn"))).toBe(
      "2 claims of 1 handoff: 1 refuted (0 refused), 1 unverifiable, 0 confirmed",
    );
  });

  it("annotates what is refused as an error, what is warned of as a warning, and notes the rest", async () => {
    const kinds = await Promise.all(
      (["refuse", "warn", "record"] as const).map(
        async (answer) => (await formatVerification("github", sample(["refuted"], answer), options)).split(" ", 1)[0],
      ),
    );
    expect(kinds).toEqual(["::error", "::warning", "::notice"]);
  });

  it("marks claims in colour where there is colour", async () => {
    const output = await formatVerification("pretty", sample(["refuted"], "refuse"), { ...options, colour: true });
    expect(output).toContain("\u001b[31m✗\u001b[0m a.md:1  file: Claim 0.");
  });

  it.each([40, 80, 120])("fits into %d columns, whatever it tells", async (width) => {
    const given = sample(["refuted", "unverifiable", "confirmed"], "warn");
    const words = "The evidence is as long as evidence may be, \u6f22\u5b57 included, ".repeat(4);
    const claims = given.verification?.handoffs[0]?.claims.map((each) => ({ ...each, says: words, evidence: words }));
    const handoffs = [{ path: "a.md", dialect: "output-json", from: null, claims: claims ?? [] }];
    const base = { commit: null, name: `commit 1 (${words})`, isGuessed: true };
    const verification: Verification = { base, gates: [], handoffs };
    const output = await formatVerification("pretty", { ...given, verification }, { ...options, width });
    const widthOf = (line: string): number => splitCells(line).reduce((sum, cell) => sum + cell.width, 0);
    for (const line of output.split("\n")) expect(widthOf(line), line).toBeLessThanOrEqual(width);
  });
});
