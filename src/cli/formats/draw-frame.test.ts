import { describe, expect, it } from "vitest";
import { LineTable } from "../../shared/line-table.ts";
import { drawFrame } from "./draw-frame.ts";

function draw(text: string, at: string, width = 80): string[] {
  const start = text.indexOf(at);
  const frame = drawFrame(text, new LineTable(text).range(start, start + at.length), width);
  return frame.map(({ gutter, body }) => `${gutter}|${body}`);
}

describe("drawFrame", () => {
  it("underlines exactly the range", () => {
    expect(draw('{\n  "status": "donee",\n}', '"donee"')).toEqual([
      '2|  "status": "donee",', //
      " |            ^^^^^^^",
    ]);
  });

  it("marks an empty range, the end of a line and the end of the text with one caret", () => {
    expect(draw("abc", "")).toEqual(["1|abc", " |^"]);
    expect(draw("abc\nd", "\n")).toEqual(["1|abc", " |   ^"]);
    expect(draw("abc\r\nd", "\n")).toEqual(["1|abc", " |   ^"]);
    const text = "abc\n";
    expect(drawFrame(text, new LineTable(text).range(4, 4), 80).map((line) => line.body)).toEqual(["", "^"]);
  });

  it("shows the first line of a longer range and says where it ends", () => {
    expect(draw("a: [\n  1\n]\n", "[\n  1\n]")).toEqual(["1|a: [", " |   ^", " |... to line 3, column 2"]);
  });

  it("does not call a line with its line end a range of several lines", () => {
    expect(draw("ab\ncd", "ab\n")).toEqual(["1|ab", " |^^"]);
  });

  it("expands tabs and keeps the caret under wide and combining characters", () => {
    expect(draw('\tx:\t"y"', '"y"')).toEqual(['1|    x:    "y"', " |          ^^^"]);
    expect(draw("日本e\u0301👩‍👩‍👧 x", "x")).toEqual(["1|日本e\u0301👩‍👩‍👧 x", " |        ^"]);
    expect(draw("a 日本 b", "日本")).toEqual(["1|a 日本 b", " |  ^^^^"]);
  });

  it("cuts a long line around the range", () => {
    const text = `${"a".repeat(200)}WRONG${"b".repeat(200)}`;
    const [source = "", carets = ""] = draw(text, "WRONG", 30);
    expect(source).toMatch(/^1\|…a+WRONGb+…$/);
    expect(carets).toMatch(/^ \| +\^{5}$/);
    expect(carets.indexOf("^")).toBe(source.indexOf("WRONG"));
    expect(source.length).toBe("1|".length + 30 - " 1 | ".length);
  });

  it("never cuts a character in half", () => {
    const letters = "𝒜".repeat(60);
    for (const width of [30, 31]) {
      expect(draw(`${letters}X`, "X", width)[0]).toMatch(/^1\|…𝒜+X$/u);
      expect(draw(`X${letters}`, "X", width)[0]).toMatch(/^1\|X𝒜+…$/u);
    }
  });

  it("keeps a little of what comes before a range longer than the line", () => {
    const [source = "", carets = ""] = draw(`{"key": "${"x".repeat(300)}"}`, `"${"x".repeat(300)}"`, 40);
    expect(source).toMatch(/^1\|\{"key": "x+…$/);
    expect(carets).toMatch(/^ \| {8}\^+$/);
  });

  it("shows escape sequences instead of sending them", () => {
    expect(draw("\u001b[31mred", "red")).toEqual(["1|\\x1b[31mred", " |        ^^^"]);
  });

  it("draws nothing for a file that could not be read", () => {
    expect(draw("", "")).toEqual([]);
  });

  it("costs no more in a line of a megabyte", () => {
    const text = "abcdefghij".repeat(100_000);
    const range = new LineTable(text).range(500_000, 500_010);
    const started = performance.now();
    for (let times = 0; times < 1000; times += 1) drawFrame(text, range, 100);
    expect(performance.now() - started).toBeLessThan(2000);
  });
});
