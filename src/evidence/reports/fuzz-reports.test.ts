import { describe, expect, it } from "vitest";
import { Chance, mutate } from "../../../test/hostile/mutate-text.ts";
import { combineFigures } from "./combine-figures.ts";
import { readReport } from "./read-report.ts";
import type { ReportReading } from "./report.ts";
import { SAMPLE_REPORTS } from "../../../test/truth/sample-reports.ts";

/** `BATON_FUZZ_RUNS` sets a longer run; the number of an input is its seed. */
const RUNS = Number(process.env["BATON_FUZZ_RUNS"] ?? 20_000);

describe("a report that was cut off", () => {
  // Where lcov is cut between two files, or TAP behind its plan, nothing tells: the samples have no such place.
  it.each(SAMPLE_REPORTS)("anywhere in $name shows nothing, or all of it", ({ path, text, tests, coverage }) => {
    const whole = text.trimEnd().length;
    const wrong: string[] = [];
    for (let length = 0; length < whole; length++) {
      const reading = readReport(text.slice(0, length), path);
      if (reading.problem !== null && reading.tests === null && reading.coverage === null) continue;
      if (!isSame(reading, tests, coverage)) wrong.push(text.slice(Math.max(0, length - 60), length));
    }
    expect(wrong).toEqual([]);
  });

  it.each(SAMPLE_REPORTS.filter(({ path }) => !path.endsWith(".tap")))("is always seen in $name", ({ path, text }) => {
    const whole = text.trimEnd().length;
    for (let length = 0; length < whole; length++)
      expect(readReport(text.slice(0, length), path).problem).not.toBeNull();
  });
});

describe(`${RUNS} mutated reports`, () => {
  it("never throw, and show nothing or figures that can be", { timeout: 600_000 }, () => {
    const wrong: string[] = [];
    let believed = 0;
    for (let seed = 0; seed < RUNS; seed++) {
      const chance = new Chance(seed);
      const sample = chance.pick(SAMPLE_REPORTS);
      const text = mutate(sample.text, chance.pick(SAMPLE_REPORTS).text, chance);
      const reading = readReport(text, sample.path);
      if (reading.problem === null) believed++;
      if (!isSound(reading)) wrong.push(`${seed}: ${JSON.stringify(reading)}`);
    }
    expect(wrong).toEqual([]);
    expect(believed).toBeGreaterThan(RUNS / 100);
  });
});

function isSame(reading: ReportReading, tests: unknown, coverage: unknown): boolean {
  return JSON.stringify([reading.tests, reading.coverage]) === JSON.stringify([tests, coverage]);
}

function isSound(reading: ReportReading): boolean {
  const { tests, coverage } = combineFigures([reading]);
  const counts = Object.values(tests ?? {});
  const percents = Object.values(coverage ?? {});
  if (reading.problem !== null) return tests === null && coverage === null;
  return (
    (tests !== null || coverage !== null) &&
    counts.every((count) => Number.isSafeInteger(count) && count >= 0) &&
    percents.every((percent) => percent >= 0 && percent <= 100)
  );
}
