import { describe, expect, it } from "vitest";
import { readHandoffs } from "../../src/protocol/read-handoff.ts";
import type { Reading } from "../../src/protocol/reading.ts";
import {
  SEEDS_ABSENT,
  type SeedBlock,
  readSeed,
  readSeedBlocks,
  readSeedLines,
  seedsArePresent,
} from "./seed-blocks.ts";

/**
 * What the formats' own documents hold, block by block: the warnings of a complete example, a template that
 * was never filled in, or a fragment that shows a single field and is no handoff.
 */
type Expected = readonly string[] | "template" | "fragment";

const EXPECTED: Readonly<Record<string, readonly Expected[]>> = {
  "000": ["template", ["000-R08", "000-R09"], ["000-R34"], [], ["000-R21"], ["000-R08", "000-R09"]],
  "001": [
    "template",
    "template",
    "template",
    envelope("timestamp", "status", "data"),
    [...envelope("timestamp", "status", "summary", "data"), "001-R14"],
    envelope("timestamp", "status", "data"),
    envelope("timestamp", "summary", "data"),
    envelope("timestamp", "status", "summary", "data"),
    envelope("timestamp", "status", "summary", "data"),
    envelope("timestamp", "data"),
    envelope("timestamp", "issue_number", "summary", "data"),
  ],
  "002": ["template", ...fragments(13), [], [], [], [], [], [], []],
  "003": ["template", ...fragments(8), "template"],
  "004": ["template", ...fragments(8), [], [], [], []],
};

const DIALECTS: Readonly<Record<string, string>> = {
  "000": "pipeline-json",
  "001": "issue-xml",
  "002": "phase-yaml",
  "003": "task-yaml",
  "004": "output-json",
};

it("the formats' own documents are present", (context) => {
  if (!seedsArePresent) context.skip(SEEDS_ABSENT);
  expect(Object.fromEntries(Object.keys(EXPECTED).map((number) => [number, readSeedBlocks(number).length]))).toEqual({
    "000": 6,
    "001": 11,
    "002": 21,
    "003": 10,
    "004": 13,
  });
});

describe.skipIf(!seedsArePresent).each(cases())("seed $seed, block $block.number", ({ seed, block, expected }) => {
  const alone = block.text;
  const fenced = `\`\`\`${block.language}\n${block.text}\`\`\`\n`;

  if (expected === "fragment") {
    it("is no handoff", () => {
      for (const text of [alone, fenced]) {
        expect(codes(readHandoffs(text))).toEqual(["no-handoff"]);
        expect(readHandoffs(text)).toMatchObject({ valid: false, dialect: null });
      }
    });
    return;
  }

  if (expected === "template") {
    it("is refused as a template that was never filled in", () => {
      for (const text of [alone, fenced]) {
        const reading = readHandoffs(text);
        expect(reading).toMatchObject({ valid: false, dialect: DIALECTS[seed] });
        expect(reading.handoffs.map((read) => read.handoff)).toEqual([null]);
        expect(codes(reading)).toContain("unfilled-template");
      }
    });
    return;
  }

  it(`is accepted ${expected.length === 0 ? "without a word" : `with ${expected.join(", ")}`}`, () => {
    for (const text of [alone, fenced]) {
      const reading = readHandoffs(text);
      expect(reading).toMatchObject({ valid: true, dialect: DIALECTS[seed] });
      expect(reading.diagnostics.map((diagnostic) => diagnostic.rule ?? diagnostic.code).toSorted()).toEqual(
        expected.toSorted(),
      );
      expect(new Set(reading.diagnostics.map((diagnostic) => diagnostic.severity))).toEqual(
        new Set(expected.length === 0 ? [] : ["warning"]),
      );
    }
  });

  it(`is ${expected.length === 0 ? "accepted" : "refused"} when strict`, () => {
    const reading = readHandoffs(alone, { strict: true });
    expect(reading.valid).toBe(expected.length === 0);
    expect(reading.diagnostics.map((diagnostic) => diagnostic.severity)).toEqual(expected.map(() => "error"));
  });
});

describe.skipIf(!seedsArePresent)("seed 002, which shows its blocks in context", () => {
  it("has a plain Markdown summary that is read as legacy", () => {
    const reading = readHandoffs(readSeedLines("002", 372, 378));
    expect(reading).toMatchObject({ valid: true, dialect: "phase-yaml" });
    expect(reading.diagnostics.map(({ severity, code }) => `${severity} ${code}`)).toEqual(["info legacy-summary"]);
    expect(reading.handoffs[0]?.handoff).toMatchObject({ outcome: "done", status: "COMPLETE", to: null });
    expect(readHandoffs(readSeedLines("002", 372, 378), { strict: true }).valid).toBe(true);
  });

  it("has the same summary inside its fence, where it is read as legacy too", () => {
    expect(readHandoffs(readSeedLines("002", 371, 379))).toMatchObject({ valid: true, dialect: "phase-yaml" });
  });

  it("has a yaml fence inside a markdown fence of the same length, which is found and accepted", () => {
    const text = readSeedLines("002", 383, 402);
    const reading = readHandoffs(text);
    expect(reading).toMatchObject({ valid: true, dialect: "phase-yaml", diagnostics: [] });
    expect(reading.handoffs).toHaveLength(1);
    expect(reading.handoffs[0]?.handoff).toMatchObject({ from: "functional-testing-agent", to: null, outcome: "done" });
    const { start = 0, end = 0 } = reading.handoffs[0] ?? {};
    expect(text.slice(start, end)).toBe(readSeedBlocks("002").at(-1)?.text);
  });
});

describe.skipIf(!seedsArePresent)("whole documents", () => {
  it.each([
    ["000", 6, 0],
    ["001", 11, 0],
    ["002", 1, 7],
    ["003", 1, 1],
    ["004", 1, 4],
  ] as const)("seed %s: %i handoffs count, %i are superseded", (seed, counting, superseded) => {
    const reading = readHandoffs(readSeed(seed));
    expect(reading.dialect).toBe(DIALECTS[seed]);
    expect(reading.handoffs).toHaveLength(counting);
    expect(codes(reading).filter((code) => code === "superseded-block")).toHaveLength(superseded);
  });
});

function cases(): { seed: string; block: SeedBlock; expected: Expected }[] {
  if (!seedsArePresent) return [{ seed: "000", block: { number: 0, language: "json", text: "" }, expected: [] }];
  return Object.entries(EXPECTED).flatMap(([seed, expectations]) => {
    const blocks = readSeedBlocks(seed);
    return expectations.map((expected, index) => {
      const block = blocks[index];
      if (block === undefined) throw new Error(`seed ${seed} has no block ${index + 1}`);
      return { seed, block, expected };
    });
  });
}

/** Ruling 7: the fields of the general envelope that a typed form lacks. */
function envelope(...fields: ("timestamp" | "issue_number" | "status" | "summary" | "data")[]): string[] {
  const rules = { timestamp: "R05", issue_number: "R06", status: "R08", summary: "R09", data: "R10" };
  return fields.map((field) => `001-${rules[field]}`);
}

function fragments(count: number): "fragment"[] {
  return Array.from({ length: count }, () => "fragment");
}

function codes(reading: Reading): string[] {
  return reading.diagnostics.map((diagnostic) => diagnostic.code);
}
