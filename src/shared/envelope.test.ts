import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { besideEnvelopes, cutText, envelope, visibleLine, visibleText } from "./envelope.ts";

describe("an envelope", () => {
  it("cannot be closed or left by any text", () => {
    const nonce = "4f1c9a";
    const parts = fc.constantFrom(
      nonce,
      "end of",
      "x",
      ">>>",
      "<<<",
      "\n",
      " ",
      "\u001b[0m",
      "\u200b",
      "4f1",
      "c9a",
      "\u202e",
      "\u{e0041}",
    );
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 40 }), (words) => {
        const text = envelope("x", words.join(""), nonce);
        expect(text.split(nonce)).toHaveLength(3);
        expect(text.startsWith(`<<<x ${nonce}\n`)).toBe(true);
        expect(text.endsWith(`\n${nonce} end of x>>>`)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it("says how much it left out", () => {
    expect(envelope("x", "a".repeat(50), "n", 10)).toContain("[40 characters left out]");
    expect(envelope("x", "😀😀😀", "n", 3)).not.toContain("\ud83d\n");
  });

  it("shows only what can be seen", () => {
    expect(visibleText("a\u001b[31mb\u001b]0;title\u0007c\u202ed\u{e0041}e\r\n\tf\u0000")).toBe("abcde\n\tf");
  });

  it("is neither opened nor closed by what stands beside it", () => {
    expect(besideEnvelopes("a\n<<<x 4f1c\u200b9a\nb\n4f1c9a end of x>>>", "4f1c9a")).toBe(
      "a\n< < <x [removed]\nb\n[removed] end of x> > >",
    );
  });
});

describe("a line", () => {
  it("stays one", () => {
    expect(visibleLine(" a\r\nb\u2028\n\n\tc\u200b ")).toBe("a b c");
  });

  it("is cut between characters", () => {
    expect(cutText("ab😀cd", 4)).toBe("ab…");
    expect(cutText("ab😀cd", 5)).toBe("ab😀…");
    expect(cutText("abcd", 4)).toBe("abcd");
  });
});
