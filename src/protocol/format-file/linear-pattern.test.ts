import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readPattern } from "./linear-pattern.ts";

describe("readPattern", () => {
  it.each([
    ["^\\d{4}-\\d{2}$", "2026-03", true],
    ["^\\d{4}-\\d{2}$", "2026-3", false],
    ["^(?:a|bc)+$", "abcbca", true],
    ["^[A-Z][a-zäöü]*$", "Übergabe", false],
    ["^\\p{L}+$", "Übergabe", true],
    ["b", "abc", true],
    ["", "", true],
    ["^a{2,3}$", "aaaa", false],
    ["^(a*)*$", "a".repeat(2000), true],
    ["^[^/]+/[^/]+$", "x/y", true],
    ["^😀.$", "😀😀", true],
  ])("%s in %s", (source, text, expected) => {
    expect(readPattern(source).pattern?.matches(text)).toBe(expected);
  });

  it.each([
    ["«(»a", "never closed"],
    ["a«)»", "closes nothing"],
    ["(a)«\\1»", "linear time"],
    ["«(»?=a)", "looking ahead"],
    ["«(»?<name>a)", "Named groups"],
    ["a«\\b»", "not supported"],
    ["«*»a", "stands for nothing"],
    ["a«{»500}", "counts up to"],
    ["«[»a", "never closed"],
    ["[«z»-a]", "no range"],
    ["«^»*", "cannot be repeated"],
    ["«((((a{9}){9}){9}){9}){9}»", "steps"],
  ])("refuses %s", (marked, part) => {
    const { problem } = readPattern(marked.replaceAll(/[«»]/g, ""));
    expect(problem === null ? "fine" : `${problem.message} ${problem.hint}`).toContain(part);
    expect([problem!.start, problem!.end]).toEqual([marked.indexOf("«"), marked.indexOf("»") - 1]);
  });

  it("takes linear time where a backtracking matcher takes exponential time", () => {
    const { pattern } = readPattern("^(a|a|aa)*(a+)+(a|b|ab)*$");
    expect(pattern?.matches(`${"a".repeat(4000)}!`)).toBe(false);
  });

  it("answers at once on nested repetitions of nothing", () => {
    const { pattern } = readPattern(`${"(".repeat(19)}${"){99}".repeat(19)}`);
    expect(pattern?.matches("a")).toBe(true);
  });

  it("means what ECMAScript means", () => {
    const piece = fc.constantFrom("a", "b", "-", ".", "\\d", "\\w", "[ab]", "[^a]", "(a|b)", "(?:ab)", "^", "$", "|");
    const times = fc.constantFrom("", "", "*", "+", "?", "{2}", "{1,2}", "{0,}", "+?");
    const source = fc
      .array(fc.tuple(piece, times), { maxLength: 6 })
      .map((parts) => parts.map(([one, many]) => (/[\^$|]/.test(one) ? one : one + many)).join(""));
    fc.assert(
      fc.property(
        source,
        fc.string({ unit: fc.constantFrom("a", "b", "1", "-", "\n"), maxLength: 8 }),
        (from, text) => {
          expect(readPattern(from).pattern?.matches(text)).toBe(new RegExp(from, "u").test(text));
        },
      ),
      { numRuns: 3000 },
    );
  });
});
