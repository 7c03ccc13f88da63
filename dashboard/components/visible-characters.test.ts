import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countHidden, piecesOf, shownText } from "./visible-characters.ts";

describe("characters that hide", () => {
  it("are told by their codes", () => {
    expect(shownText("a\u202Eb\u200Bc\u001b[31md\u{e0041}")).toBe("aU+202EbU+200BcESC[31mdU+E0041");
    expect(countHidden("a\nb\r\n\u202E\u0000")).toBe(2);
  });

  it("leave every other character as it is", () => {
    expect(shownText("Grüße, 日本語, שלום 👋🏽\tend")).toBe("Grüße, 日本語, שלום 👋🏽\tend");
  });

  it("never stay in what is shown, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
        expect(countHidden(shownText(text).replaceAll("\n", ""))).toBe(0);
        expect(
          piecesOf(text)
            .map((piece) => piece.text)
            .join(""),
        ).toBe(shownText(text));
      }),
    );
  });
});
