import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Table } from "../../runtime/operations/report-runs.ts";
import { widthOf } from "../fit-text.ts";
import { tableLines } from "./pretty-page.ts";

const columns = [
  { name: "agent", isNumber: false },
  { name: "files read, not named", isNumber: true },
  { name: "cycle time", isNumber: true },
];
const print = (rows: Table["rows"], width: number): string[] => tableLines({ columns, rows }, { colour: false, width });

describe("a table on a terminal", () => {
  it("is as wide as what is in it where there is room", () => {
    expect(print([[["One"], ["4"], ["6.4 s"]]], 80)).toEqual([
      "  agent  files read, not named  cycle time",
      "  One                        4       6.4 s",
    ]);
  });

  it("breaks the names of columns first, then cuts words, then breaks figures", () => {
    const row = [["DocumentationDynamo"], ["4 (of 2)"], ["6.4 s median, 12.0 s p90"]];
    expect(print([row], 60)).toEqual([
      "  agent                files read,                cycle time",
      "                         not named",
      "  DocumentationDynamo     4 (of 2)  6.4 s median, 12.0 s p90",
    ]);
    expect(print([row], 40)).toEqual([
      "  agent       files read,     cycle time",
      "                not named",
      "  Document…      4 (of 2)  6.4 s median,",
      "                              12.0 s p90",
    ]);
  });

  it("fits any width from 40 on, and leaves no figure out", () => {
    const figure = fc.array(fc.integer({ min: 0, max: 9_999_999 }), { minLength: 1, maxLength: 5 });
    const row = fc.tuple(fc.string({ unit: "grapheme", maxLength: 60 }), figure, figure);
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 5 }), fc.integer({ min: 40, max: 120 }), (rows, width) => {
        const cells = rows.map(([said, ...figures]) => [[{ said }], ...figures.map((each) => [each.join(" ")])]);
        const lines = print(cells, width);
        expect(lines.filter((line) => widthOf(line) > width)).toEqual([]);
        const words = lines.join(" ").split(" ");
        for (const number of rows.flatMap(([, ...figures]) => figures.flat())) expect(words).toContain(String(number));
      }),
    );
  });
});
