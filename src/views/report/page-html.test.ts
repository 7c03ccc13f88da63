import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chartSvg } from "./page-html.ts";
import { printNumber } from "./words.ts";

const counts = (...values: number[]) => ({
  kind: "bars" as const,
  title: "Claims",
  labels: values.map(() => "x"),
  series: [{ name: "confirmed", tone: "good" as const, values }],
  print: printNumber,
});
const ticks = (svg: string): string[] =>
  Array.from(svg.matchAll(/text-anchor="end">([^<]*)</g), ([, words]) => words ?? "");

describe("the scale of a chart", () => {
  it("has whole numbers where counts are whole", () => {
    expect(ticks(chartSvg(counts(15, 3)))).toEqual(["0", "8", "16"]);
    expect(ticks(chartSvg(counts(0)))).toEqual(["0", "1", "2"]);
    fc.assert(
      fc.property(fc.array(fc.nat(100_000), { minLength: 1, maxLength: 8 }), (values) => {
        const [low, middle, high] = ticks(chartSvg(counts(...values))).map(Number);
        expect([low, Number.isInteger(middle), (high ?? 0) >= Math.max(...values)]).toEqual([0, true, true]);
      }),
    );
  });

  it("ends at the greatest value where values have parts", () => {
    expect(ticks(chartSvg(counts(0.5, 1.5)))).toEqual(["0", "0.75", "1.50"]);
  });
});
