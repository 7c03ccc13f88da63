import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonValue } from "../shared/json-value.ts";
import type { Handoff } from "./handoff.ts";
import { packIndex, packPart, unpackPart } from "./pack-parts.ts";

const own: Handoff = {
  dialect: "output-json",
  outcome: "done",
  summary: "Built the loan form with a check of the card",
  context: { text: "Watch out (high): the card service is asked twice. Wait for the first answer" },
  work: { modified: [{ path: "src/loans/form.ts" }, { path: "src/loans/card.ts" }] },
  checks: { results: { tests_passed: true, coverage_percent: 84, lint: "ok", command_output: "12 passed, 0 failed" } },
};
const index = packIndex(own);

describe("a packed part", () => {
  it("refers to what the target's own fields say", () => {
    expect(packPart("Built the loan form with a check of the card", index)).toBe("$summary");
    expect(packPart([{ issue: "the card service is asked twice", severity: "high" }], index)).toEqual([
      { issue: "$context.text:18-49", severity: "high" },
    ]);
    expect(packPart({ ...own.checks?.results, lint: undefined, gate: "npm run check" }, index)).toEqual({
      $like: "checks.results",
      but: { gate: "npm run check" },
      no: "lint",
    });
    const created = ["src/loans/form.ts", "src/loans/card.ts"].map((path) => ({ path, lines: "all" }));
    expect(packPart(created, index)).toEqual({
      $each: "work.modified.0",
      of: 2,
      take: "path",
      with: { lines: "all" },
    });
  });

  it("is itself again when it is unpacked, whatever it holds", () => {
    const piece = fc.constantFrom(
      "$",
      "$$summary",
      "$summary",
      "src/loans/form.ts",
      own.summary ?? "",
      "$each",
      "$like",
    );
    const text = fc.oneof(piece, fc.string({ maxLength: 20 }));
    const value = fc.letrec((tie) => ({
      any: fc.oneof({ maxDepth: 3 }, text, fc.integer(), fc.boolean(), fc.constant(null), tie("list"), tie("record")),
      list: fc.array(tie("any"), { maxLength: 3 }),
      record: fc.dictionary(text, tie("any"), { maxKeys: 3, noNullPrototype: true }),
    })).any as fc.Arbitrary<JsonValue>;
    fc.assert(
      fc.property(value, (any) => {
        fc.pre(!JSON.stringify(any).includes('"__proto__"'));
        expect(unpackPart(packPart(any, index), own)).toEqual(any);
      }),
      { numRuns: 500 },
    );
  });

  it("is refused when it refers to what is not there", () => {
    for (const wrong of [
      "$nothing",
      "$context.text:0-900",
      "$context.text:nowhere",
      "$work.modified.7.path",
      "$constructor.name",
      "$work.modified.length",
      { $each: "work.modified.1", of: 2, take: "path" },
      { $each: "work.modified.0", of: 1e9, take: "path" },
      { $each: "work.modified.0", of: 1, take: "purpose" },
      { $each: "summary.0", of: 1, take: "path" },
      { $like: "summary" },
      { $like: 7 },
    ] satisfies JsonValue[])
      expect(unpackPart(wrong, own), JSON.stringify(wrong)).toBeUndefined();
  });

  it("cannot become huge by referring to the same text often", () => {
    const large: Handoff = { ...own, summary: "x".repeat(100_000) };
    expect(
      unpackPart(
        Array.from({ length: 10 }, () => "$summary"),
        large,
      ),
    ).toHaveLength(10);
    expect(
      unpackPart(
        Array.from({ length: 1000 }, () => "$summary"),
        large,
      ),
    ).toBeUndefined();
  });
});
