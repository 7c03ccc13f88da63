import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonRecord } from "../../shared/json-value.ts";
import { fixHandoffs } from "../fix-handoff.ts";
import type { Handoff } from "../handoff.ts";
import { readHandoffs } from "../read-handoff.ts";
import { writeHandoff } from "../write-handoff.ts";
import { WrittenNumber, readPlainNumber } from "./written-number.ts";

function phase(metrics: string, more = ""): string {
  return `handoff:\n  phase: Testing\n  from: "@tester"\n  to: None\n  status: complete\n  metrics: ${metrics}\n${more}`;
}

function read(text: string): { readonly handoff: Handoff; readonly warnings: readonly string[] } {
  const { handoffs, diagnostics } = readHandoffs(text, { dialect: "phase-yaml" });
  const handoff = handoffs[0]?.handoff;
  if (!handoff) throw new Error(JSON.stringify(diagnostics));
  return { handoff, warnings: diagnostics.map(({ code, severity }) => `${severity} ${code}`) };
}

describe("a number in YAML", () => {
  it("is a number where the field is open, however many zeros end it", () => {
    const { handoff, warnings } = read(phase("{ score: 7.0, money: 0.50, rate: 7.50, share: 0.10, small: 0.0000001 }"));
    expect(handoff.metrics).toEqual({ score: 7, money: 0.5, rate: 7.5, share: 0.1, small: 1e-7 });
    expect(warnings).toEqual([]);
  });

  it("is a number where one is meant, and a text where the field holds an identifier", () => {
    const { handoff } = read(
      phase("{}", "  retry_count: 2.0\n  dependencies: [15.10, task-7]\n  on_failure: { retry: 3.0 }\n"),
    );
    expect(handoff).toMatchObject({
      attempt: 2,
      depends_on: ["15.10", "task-7"],
      routing: { on_failure: { retry: 3 } },
    });
  });

  it("is a text in free content when its key says that it names something", () => {
    const context = "{ node_version: 22.10, baseCommit: 1234567890123456789012, tasks: [15.10], tries: 3.0, id: 1.0 }";
    const { handoff, warnings } = read(phase("{}", `  context: ${context}\n`));
    expect(handoff.context?.data).toEqual({
      node_version: "22.10",
      baseCommit: "1234567890123456789012",
      tasks: ["15.10"],
      tries: 3,
      id: "1.0",
    });
    expect(warnings).toEqual([]);
  });

  it("stays a text in quotes, with zeros before it and in exponents", () => {
    const { handoff } = read(phase('{ a: "7.0", b: 007, c: 1e3, d: 7., e: .5, f: 1_000.0 }'));
    expect(handoff.metrics).toEqual({ a: "7.0", b: "007", c: "1e3", d: "7.", e: ".5", f: "1_000.0" });
  });

  it("stays a text where it would lose digits, and this is reported", () => {
    const text = phase("{ cost: 0.12345678901234567891, large: 12345678901234567890 }");
    const { handoff, warnings } = read(text);
    expect(handoff.metrics).toEqual({ cost: "0.12345678901234567891", large: "12345678901234567890" });
    expect(warnings).toEqual(["warning unsafe-number", "warning unsafe-number"]);
    const fixed = fixHandoffs(text, { dialect: "phase-yaml" }).text;
    expect(read(fixed)).toEqual({ handoff, warnings: [] });
  });

  it.each(["phase-yaml", "task-yaml"] as const)("is written back as it was, in %s", (dialect) => {
    const texts = {
      "phase-yaml": phase("\n    score: 7.0\n    costs: [{ money: 0.50 }, 2]", "  extra: 1.00\n"),
      "task-yaml":
        "outcome: completed\nfiles_created: [{ path: a.ts, purpose: x, lines: all, size: 7.0 }]\nextra: 1.00\n",
    };
    const handoff = readHandoffs(texts[dialect], { dialect }).handoffs[0]?.handoff as Handoff;
    const written = writeHandoff(handoff, dialect);
    expect(written.notes).toEqual([]);
    for (const number of texts[dialect].matchAll(/\d\.\d+/g)) expect(written.text).toContain(` ${number[0]}\n`);
    expect(readHandoffs(written.text, { dialect }).handoffs[0]?.handoff).toEqual(handoff);
  });

  it("has its spelling again after a way through another format", () => {
    const { handoff } = read(phase("{ score: 7.0 }"));
    const there = writeHandoff(handoff, "pipeline-json", { now: "2026-03-09T14:05:00Z" });
    expect((JSON.parse(there.text) as JsonRecord)["metrics"]).toEqual({ score: 7 });
    const middle = readHandoffs(there.text, { dialect: "pipeline-json" }).handoffs[0]?.handoff as Handoff;
    expect(writeHandoff(middle, "phase-yaml").text).toContain("score: 7.0\n");
  });

  it("is never spelled as a number of another value", () => {
    const { handoff } = read(phase("{ score: 7.0 }"));
    const spelling = { "phase-yaml": { "handoff.metrics.score": "8.0" } };
    expect(writeHandoff({ ...handoff, spelling }, "phase-yaml").text).toContain("score: 7\n");
    const other = { "phase-yaml": { "handoff.metrics.score": "7.0\n  status: failed" } };
    expect(writeHandoff({ ...handoff, spelling: other }, "phase-yaml").text).toContain("score: 7\n");
  });

  it("keeps any decimal number that a double keeps, with its value and its zeros", () => {
    fc.assert(
      fc.property(fc.integer({ min: -99_999_999, max: 99_999_999 }), fc.stringMatching(/^\d{0,6}0$/), (whole, rest) => {
        const text = `${whole}.${rest}`;
        expect(readPlainNumber(text)).toEqual(new WrittenNumber(text, Number(text)));
        const { handoff } = read(phase(`{ figure: ${text} }`));
        expect(writeHandoff(handoff, "phase-yaml").text).toContain(`figure: ${text}\n`);
      }),
      { seed: 20_261_118, numRuns: 300 },
    );
  });
});
