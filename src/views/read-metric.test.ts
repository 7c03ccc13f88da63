import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { shown } from "../shared/json-value.ts";
import { readMetric } from "./read-metric.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe("a figure of a handoff", () => {
  it.each([
    [25, { kind: "number", value: 25 }],
    ["25", { kind: "number", value: 25 }],
    [" -1.5 ", { kind: "number", value: -1.5 }],
    ["87%", { kind: "percent", value: 87 }],
    ["0.1 %", { kind: "percent", value: 0.1 }],
    ["25/25", { kind: "ratio", value: 1, part: 25, whole: 25 }],
    ["8.2 / 10", { kind: "ratio", value: 0.82, part: 8.2, whole: 10 }],
    ["0/0", { kind: "ratio", value: null, part: 0, whole: 0 }],
    [true, { kind: "flag", value: true }],
    ["12 MB", { kind: "amount", value: 12, unit: "MB" }],
    ["3req/s", { kind: "amount", value: 3, unit: "req/s" }],
    ["10M", { kind: "amount", value: 10, unit: "M" }],
  ])("%j is read with its unit", (value, metric) => {
    expect(readMetric(value)).toEqual(metric);
  });

  it.each([
    ["45s", 45 * SECOND],
    ["8m 45s", 8 * MINUTE + 45 * SECOND],
    ["1.5h", 1.5 * HOUR],
    ["2h15m", 2 * HOUR + 15 * MINUTE],
    ["25m", 25 * MINUTE],
    ["120ms", 120],
    ["2 days 4 hours", 2 * DAY + 4 * HOUR],
    ["1 hour, 5 minutes", HOUR + 5 * MINUTE],
    ["1 hour and 5 minutes", HOUR + 5 * MINUTE],
    ["PT8M45S", 8 * MINUTE + 45 * SECOND],
    ["P1DT2H", DAY + 2 * HOUR],
    ["P2W", 14 * DAY],
    ["PT0.5S", 500],
    ["01:02:03", HOUR + 2 * MINUTE + 3 * SECOND],
  ])("%j is a duration", (text, value) => {
    expect(readMetric(text)).toEqual({ kind: "duration", value });
  });

  it.each([
    "User workflows: 90%",
    "~90%",
    ">90%",
    "90-95%",
    "1,234",
    "007",
    "1e9",
    "3:45",
    "45s 8m",
    "5m 5m",
    "5m,",
    "5m and ",
    "P1M",
    "P1Y",
    "P",
    "PT",
    "-1/2",
    "1/2/3",
    "",
    "NaN",
    "Infinity",
    "12345678901234567890",
    "$5",
    "unknown",
    "[X]",
    "9".repeat(200),
  ])("%j is not guessed at", (text) => {
    expect(readMetric(text)).toEqual({ kind: "text", text });
  });

  it("that is a list or a map is shown as it is", () => {
    expect(readMetric([1, 2])).toEqual({ kind: "text", text: "[1,2]" });
    expect(readMetric({ a: 1 })).toEqual({ kind: "text", text: '{"a":1}' });
    expect(readMetric(1e300)).toEqual({ kind: "text", text: "1e+300" });
  });

  it("says nothing that was not written: whatever is read is finite, and stands in the text", () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.stringMatching(/^[\d.,:/ %PTHMSdhms-]{0,20}$/)), (value) => {
        const metric = readMetric(value);
        if (metric.kind === "text" || metric.kind === "flag" || metric.value === null) return;
        expect(Number.isFinite(metric.value)).toBe(true);
        if (metric.kind === "number" || metric.kind === "amount")
          expect(shown(value)).toContain(digitsOf(metric.value));
      }),
      { numRuns: 2_000 },
    );
  });

  it("that was printed from a number is read as this number", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e9 }), fc.integer({ min: 0, max: 59 }), (first, second) => {
        expect(readMetric(`${first}`)).toEqual({ kind: "number", value: first });
        expect(readMetric(`${first}%`)).toEqual({ kind: "percent", value: first });
        expect(readMetric(`${second}/${first}`)).toMatchObject({ part: second, whole: first });
        expect(readMetric(`${second}m ${second}s`)).toMatchObject({ value: second * (MINUTE + SECOND) });
      }),
    );
  });
});

function digitsOf(value: number): string {
  return /\d+/.exec(String(Math.abs(value)))?.[0] ?? "";
}
