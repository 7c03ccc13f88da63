import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countBytes, utf8Length } from "./utf8-length.ts";

describe("the length of a text in UTF-8", () => {
  it("is what the encoder of Node says, with and without the engine's help", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(utf8Length(text)).toBe(Buffer.byteLength(text));
        expect(countBytes(text)).toBe(Buffer.byteLength(text));
      }),
    );
  });

  it.each(["a", "é", "漢", "👩", "\ud800", "\udc00\ud800"])("counts many of %j across chunks", (unit) => {
    for (const shift of ["", "x", "xx"]) {
      const text = shift + unit.repeat(70_000);
      expect(utf8Length(text)).toBe(Buffer.byteLength(text));
      expect(countBytes(text)).toBe(Buffer.byteLength(text));
    }
  });
});
