import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { printable } from "../shared/printable.ts";
import { fitLines } from "./fit-lines.ts";
import { COLOURS, widthOf } from "./fit-text.ts";

describe("lines on a screen", () => {
  it.each([
    ["a sentence goes on at the left", "Nothing is known yet. Runs learn from\nthe handoffs they accept.", 40],
    ["an item goes on behind its mark", "  - letters that a run has not taken in\n    yet", 40],
    [
      "a hint goes on behind its name",
      "   = hint: Write it, or name another:\n           paths start at the root.",
      42,
    ],
    ["a column goes on below itself", "  proven to  84, signed by 042e9324\n             (your own key)", 36],
    ["an event goes on behind its time", "14:06:40.357  · BackendBuilder: claims\n              after lint", 40],
    ["columns that leave no room are not kept", "a/very/long/path/to/a/file.md:8:35  error\n    No.", 44],
    ["dots between remarks are no columns", "    main by A  ·  2 sources  ·  amounts\n    stay whole", 42],
  ])("%s", (_, shown, width) => {
    const whole = shown.replaceAll(/\n */g, " ");
    expect(fitLines(whole, width)).toBe(shown);
    expect(fitLines(whole, Infinity)).toBe(whole);
  });

  it("keep names, paths and hashes whole, and colours out of the reckoning", () => {
    const hash = "6a03d018".repeat(8);
    expect(fitLines(`Its hash is ${hash}.`, 40)).toBe(`Its hash is\n${hash}.`);
    const painted = `\u001b[35m${"word ".repeat(8).trim()}\u001b[0m`;
    expect(fitLines(painted, 39)).toBe(painted);
  });

  it("begin no command of a CI log by being broken", () => {
    expect(fitLines(`${"x".repeat(30)} ::error::no`, 32)).not.toMatch(/^\s*::/m);
  });

  it.each([Infinity, 80])("hold no command of a CI log, in %d columns", (width) => {
    const shown = fitLines("taken: purpose from line 6: ##vso[task.complete]x\n::error::no\n", width);
    expect(shown).not.toMatch(/##\w*\[|^\s*::/m);
    expect(shown.split("\n")).toHaveLength(3);
  });

  it("lose nothing, and are wider than the screen only where a word is", () => {
    const text = fc.array(fc.string({ unit: "grapheme", maxLength: 12 }), { maxLength: 40 });
    fc.assert(
      fc.property(text, fc.integer({ min: 30, max: 120 }), (words, width) => {
        const line = words.map(printable).join(" ");
        const lines = fitLines(line, width).split("\n");
        expect(lines.join("").replaceAll(" ", "")).toBe(line.replaceAll(" ", ""));
        for (const each of lines)
          if (widthOf(each.replaceAll(COLOURS, "")) > width) expect(each.trim()).not.toContain(" ");
      }),
    );
  });
});
