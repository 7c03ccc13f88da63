import { describe, expect, it } from "vitest";
import { readDuration } from "./stated-durations.ts";

const MINUTE = 60_000;

describe("a stated duration", () => {
  it.each([
    ["6m 10s", [370_000]],
    ["1 day 3 hours", [27 * 60 * MINUTE]],
    ["2 hours, 5 minutes and 3 seconds", [125 * MINUTE + 3_000]],
    ["~5 min", [5 * MINUTE]],
    ["1.5h", [90 * MINUTE]],
    ["350ms", [350]],
    ["00:06:10", [370_000]],
    ["6:10", [370_000, 370 * MINUTE]],
    ["PT6M10S", [370_000]],
    ["45", [45, 45_000, 45 * MINUTE]],
    ["a while", null],
    ["3 cups", null],
    ["5 minutes per file", null],
    ["", null],
  ])("%j is read", (text, readings) => {
    expect(readDuration(text, null)?.readings ?? null).toEqual(readings);
  });

  it("has the unit that its name tells", () => {
    expect(readDuration(45, "ms")?.readings).toEqual([45]);
    expect(readDuration("45", "minutes")?.readings).toEqual([45 * MINUTE]);
  });
});
