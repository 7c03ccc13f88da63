import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Diagnostic } from "../../src/api/answers.ts";
import { textRows } from "./text-rows.ts";

function note(line: number, from: number, to: number, message = "wrong"): Diagnostic {
  const place = (offset: number) => ({ line, column: 1, offset });
  return {
    code: "wrong-type",
    rule: null,
    severity: "error",
    message,
    range: { start: place(from), end: place(to) },
    hint: null,
    fix: null,
  };
}

describe("the rows of a text", () => {
  it("have each note below its line, and mark what it is about", () => {
    const rows = textRows("one\r\ntwo three\nfour", [note(2, 9, 14)]);
    expect(rows).toMatchObject([
      { kind: "text", line: 1, text: "one" },
      { kind: "text", line: 2, text: "two three", marks: [{ from: 4, to: 9 }] },
      { kind: "note", line: 2 },
      { kind: "text", line: 3, text: "four", marks: [] },
    ]);
  });

  it("cut a line of a megabyte into many", () => {
    const rows = textRows("x".repeat(1_000_000), []);
    expect(rows).toHaveLength(1_000);
    expect(rows.filter((row) => row.kind === "text" && row.isFirst)).toHaveLength(1);
  });

  it("lose nothing of any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), fc.nat(300), fc.nat(300), (text, from, length) => {
        const rows = textRows(text, [note(1, from, from + length)]);
        const shown = rows.flatMap((row) => (row.kind === "text" ? [row.text] : [])).join("");
        expect(shown).toBe(text.replaceAll(/\r\n|\n|\r/g, ""));
        for (const row of rows)
          if (row.kind === "text")
            for (const mark of row.marks) expect(mark.from < mark.to && mark.to <= row.text.length).toBe(true);
      }),
    );
  });
});
