import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { printable } from "../shared/printable.ts";
import { cutTo, widthOf, wrapText } from "./fit-text.ts";

const text = fc.string({ unit: "grapheme", maxLength: 200 }).map(printable);

describe("text on a screen", () => {
  it("is cut to what fits, wide characters too", () => {
    expect(cutTo("handoff", 7)).toBe("handoff");
    expect(cutTo("handoff", 4)).toBe("han…");
    expect(cutTo("日本語", 4)).toBe("日…");
    fc.assert(fc.property(text, fc.integer({ min: 1, max: 100 }), (any, width) => widthOf(cutTo(any, width)) <= width));
  });

  it("is wrapped between words, and lines after the first stand in", () => {
    expect(wrapText("a test fails: a currency without a rate is refused", 30, 2)).toEqual([
      "a test fails: a currency",
      "  without a rate is refused",
    ]);
    expect(wrapText("x".repeat(50), 30, 2)).toEqual(["x".repeat(28), `  ${"x".repeat(22)}`]);
  });

  it("never takes more columns than there are, and loses nothing", () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 30, max: 120 }), fc.integer({ min: 0, max: 10 }), (any, width, indent) => {
        const lines = wrapText(any, width, indent);
        for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(width);
        expect(lines.join("").replaceAll(" ", "")).toBe(any.replaceAll(" ", ""));
      }),
    );
  });
});
