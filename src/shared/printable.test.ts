import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defuseLogCommands, printable, printJson, splitCells } from "./printable.ts";

describe("printable", () => {
  it("leaves ordinary text of any language alone", () => {
    for (const text of ["status: done", "Zürich, naïve e\u0301", "日本語 한국어", "العربية עברית", "नमस्ते", "→ ✓ …"]) {
      expect(printable(text)).toBe(text);
    }
  });

  it("leaves emoji whole, with their joiners and selectors", () => {
    for (const text of ["👩‍👩‍👧", "❤️", "👍🏽", "🏳️‍🌈", "🇨🇭", "1️⃣", "✔︎"]) expect(printable(text)).toBe(text);
  });

  it.each([
    ["\u001b[31m", "\\x1b[31m"],
    ["\u009b2J", "\\x9b2J"],
    ["\u001b]8;;https://x\u0007", "\\x1b]8;;https://x\\x07"],
    ["a\r\n\tb\u0000\u007f", "a\\r\\n\\tb\\x00\\x7f"],
    ["\u202eabc\u2069", "\\u{202e}abc\\u{2069}"],
    ["a\u200bb\ufeff\u00ad", "a\\u{200b}b\\u{feff}\\xad"],
    ["\u{e0041}", "\\u{e0041}"],
    ["\ud800x", "\\u{d800}x"],
    ["\u2028", "\\u{2028}"],
  ])("shows what a terminal would obey or hide: %j", (text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  it("shows joiners and selectors that draw nothing", () => {
    expect(printable("a\u200db")).toBe("a\\u{200d}b");
    expect(printable("#\ufe0f#[")).toBe("#\\u{fe0f}#[");
    expect(printable("😀\ufe0f\ufe01\u{e0100}")).toBe("😀\ufe0f\\u{fe01}\\u{e0100}");
  });

  it("shows accents that would pile up or land on our own text", () => {
    expect(printable("\u0301a")).toBe("\\u{301}a");
    expect(printable(`a${"\u0301".repeat(6)}`)).toBe(`a${"\u0301".repeat(4)}\\u{301}\\u{301}`);
  });

  it("never lets a control, a direction mark or a lone half through", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(printable(text)).not.toMatch(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u);
      }),
    );
  });

  it("is quick on a megabyte of anything", () => {
    for (const unit of ["\u0301", "👩\u200d", "\u001b[", "1\ufe0f"]) {
      const started = performance.now();
      printable(unit.repeat(500_000));
      expect(performance.now() - started).toBeLessThan(3000);
    }
  });
});

describe("splitCells", () => {
  const widths = (text: string) => splitCells(text).map((cell) => cell.width);

  it("counts the columns of wide, combining and joined characters", () => {
    expect(widths("ab")).toEqual([1, 1]);
    expect(widths("é日e\u0301")).toEqual([1, 2, 1]);
    expect(widths("👩‍👩‍👧x❤️1️⃣🇨🇭👍🏽")).toEqual([2, 1, 2, 2, 2, 2]);
    expect(widths("한글ｆｕｌｌ✓")).toEqual([2, 2, 2, 2, 2, 2, 1]);
  });

  it("covers the text without a gap and says where each cell begins", () => {
    expect(splitCells("a👍b\t", "  ")).toEqual([
      { offset: 0, shown: "a", width: 1 },
      { offset: 1, shown: "👍", width: 2 },
      { offset: 3, shown: "b", width: 1 },
      { offset: 4, shown: "  ", width: 2 },
    ]);
  });
});

describe("printJson", () => {
  it("gives back the same value and hides nothing", () => {
    const value = { text: "##[error]x \u202e\u001b[31m\u009b\u{e0041}\ud800 👩‍👩‍👧 ##vso[a]", list: [1, null] };
    const json = printJson(value);
    expect(JSON.parse(json)).toEqual(value);
    expect(json).not.toMatch(/[\p{Cc}\p{Cs}\u202e\u{e0041}]|##\w*\[/u);
  });

  it("keeps any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(JSON.parse(printJson([text]))).toEqual([text]);
      }),
    );
  });
});

describe("defuseLogCommands", () => {
  it.each([
    ["::error::x", "\\x3a:error::x"],
    ["  ::error::x", "  \\x3a:error::x"],
    ["a ##[group]b", "a ##⟦group]b"],
    ["##vso[task.x]", "##vso⟦task.x]"],
    ["std::vector ## [x] #[y]", "std::vector ## [x] #[y]"],
  ])("%j", (line, defused) => {
    expect(defuseLogCommands(line)).toBe(defused);
  });
});
