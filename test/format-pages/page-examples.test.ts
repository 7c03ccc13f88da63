import { describe, expect, it } from "vitest";
import { readHandoffs } from "../../src/protocol/read-handoff.ts";
import type { Reading } from "../../src/protocol/reading.ts";
import {
  AUTHORS_PAGES_ABSENT,
  type FormatPages,
  OUR_PAGES,
  authorsPages,
  readPage,
  readPageBlocks,
  readPageLines,
} from "./format-pages.ts";

const ENVELOPE_RULES = {
  timestamp: "001-R05",
  issue_number: "001-R06",
  status: "001-R08",
  summary: "001-R09",
  data: "001-R10",
} as const;
const ENVELOPE: readonly string[] = Object.values(ENVELOPE_RULES);

/**
 * What the pages of a format hold, block by block: the warnings of a complete example, a template that was never
 * filled in, or a fragment that shows a single field and is no handoff.
 */
type Expected = readonly string[] | "template" | "fragment";

interface PageExpectations {
  readonly blocks: Readonly<Record<string, readonly Expected[]>>;
  /** Of the whole page: how many handoffs count, and how many blocks are superseded. */
  readonly whole: Readonly<Record<string, readonly [counting: number, superseded: number]>>;
  /** Lines of page 002, first and last: a plain summary, and a summary with a block inside its own fence. */
  readonly summary: readonly [number, number];
  readonly nested: readonly [number, number];
  readonly nestedAuthor: string;
}

const DIALECTS: Readonly<Record<string, string>> = {
  "000": "pipeline-json",
  "001": "issue-xml",
  "002": "phase-yaml",
  "003": "task-yaml",
  "004": "output-json",
};

const BLOCKS_000: readonly Expected[] = [
  "template",
  ["000-R08", "000-R09"],
  ["000-R34"],
  [],
  ["000-R21"],
  ["000-R08", "000-R09"],
];

const BLOCKS_001: readonly Expected[] = [
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
];

const OURS: PageExpectations = {
  blocks: {
    "000": BLOCKS_000,
    "001": BLOCKS_001,
    "002": ["template", ...fragments(8), [], [], [], []],
    "003": ["template", ...fragments(4), "template"],
    "004": ["template", ...fragments(5), [], [], [], []],
  },
  whole: { "000": [6, 0], "001": [11, 0], "002": [1, 4], "003": [1, 1], "004": [1, 4] },
  summary: [118, 123],
  nested: [128, 143],
  nestedAuthor: "parcel-tester",
};

const AUTHORS: PageExpectations = {
  blocks: {
    "000": BLOCKS_000,
    "001": BLOCKS_001,
    "002": ["template", ...fragments(13), [], [], [], [], [], [], []],
    "003": ["template", ...fragments(8), "template"],
    "004": ["template", ...fragments(8), [], [], [], []],
  },
  whole: { "000": [6, 0], "001": [11, 0], "002": [1, 7], "003": [1, 1], "004": [1, 4] },
  summary: [372, 378],
  nested: [383, 402],
  nestedAuthor: "functional-testing-agent",
};

testPages(OUR_PAGES, OURS);
if (authorsPages !== null) testPages(authorsPages, AUTHORS);

it("the authors' pages are read, too", (context) => {
  if (authorsPages === null) context.skip(AUTHORS_PAGES_ABSENT);
  expect(Object.keys(AUTHORS.blocks)).toEqual(Object.keys(OURS.blocks));
});

function testPages(pages: FormatPages, expectations: PageExpectations): void {
  const numbers = Object.keys(expectations.blocks);

  describe.each(numbers)(`${pages.title}, %s`, (number) => {
    const blocks = readPageBlocks(pages, number);
    const expected = expectations.blocks[number] ?? [];

    it("has a known number of blocks", () => {
      expect(blocks).toHaveLength(expected.length);
    });

    for (const [index, block] of blocks.entries()) {
      const texts = [block.text, `\`\`\`${block.language}\n${block.text}\`\`\`\n`];
      testBlock(`block ${block.number}`, texts, number, expected[index] ?? []);
    }

    it("is read as a whole", () => {
      const [counting, superseded] = expectations.whole[number] ?? [];
      const reading = readHandoffs(readPage(pages, number));
      expect(reading.dialect).toBe(DIALECTS[number]);
      expect(reading.handoffs).toHaveLength(counting ?? 0);
      expect(codes(reading).filter((code) => code === "superseded-block")).toHaveLength(superseded ?? 0);
    });
  });

  describe(`${pages.title}, 002 with its blocks in context`, () => {
    const [first, last] = expectations.summary;

    it("has a plain Markdown summary that is read as legacy", () => {
      const text = readPageLines(pages, "002", first, last);
      const reading = readHandoffs(text);
      expect(reading).toMatchObject({ valid: true, dialect: "phase-yaml" });
      expect(reading.diagnostics.map(({ severity, code }) => `${severity} ${code}`)).toEqual(["info legacy-summary"]);
      expect(reading.handoffs[0]?.handoff).toMatchObject({ outcome: "done", status: "COMPLETE", to: null });
      expect(readHandoffs(text, { strict: true }).valid).toBe(true);
    });

    it("has the same summary inside its fence, where it is only shown", () => {
      const text = readPageLines(pages, "002", first - 1, last + 1);
      expect(text.startsWith("```markdown\n")).toBe(true);
      expect(readHandoffs(text)).toMatchObject({ valid: false, dialect: null, handoffs: [] });
    });

    it("is a page of samples in a scan, and holds no handoff", () => {
      const text = readPage(pages, "002");
      expect(readHandoffs(text, { scan: true })).toMatchObject({ dialect: null, handoffs: [], document: "samples" });
    });

    it("has a yaml fence inside a markdown fence of the same length, which is found and accepted", () => {
      const text = readPageLines(pages, "002", ...expectations.nested);
      const reading = readHandoffs(text);
      expect(reading).toMatchObject({ valid: true, dialect: "phase-yaml", diagnostics: [] });
      expect(reading.handoffs).toHaveLength(1);
      expect(reading.handoffs[0]?.handoff).toMatchObject({
        from: expectations.nestedAuthor,
        to: null,
        outcome: "done",
      });
      const { start = 0, end = 0 } = reading.handoffs[0] ?? {};
      expect(text.slice(start, end)).toBe(readPageBlocks(pages, "002").at(-1)?.text);
    });
  });
}

function testBlock(title: string, texts: readonly string[], number: string, expected: Expected): void {
  if (expected === "fragment") {
    it(`${title} is no handoff`, () => {
      for (const text of texts) {
        expect(codes(readHandoffs(text))).toEqual(["no-handoff"]);
        expect(readHandoffs(text)).toMatchObject({ valid: false, dialect: null });
      }
    });
  } else if (expected === "template") {
    it(`${title} is refused as a template that was never filled in`, () => {
      for (const text of texts) {
        const reading = readHandoffs(text);
        expect(reading).toMatchObject({ valid: false, dialect: DIALECTS[number] });
        expect(reading.handoffs.map((read) => read.handoff)).toEqual([null]);
        expect(codes(reading)).toContain("unfilled-template");
      }
    });
  } else {
    it(`${title} is accepted ${expected.length === 0 ? "without a word" : `with ${expected.join(", ")}`}`, () => {
      for (const text of texts) {
        const reading = readHandoffs(text);
        expect(reading).toMatchObject({ valid: true, dialect: DIALECTS[number] });
        const reported = reading.diagnostics.map(({ rule, code }) => rule ?? code);
        expect(reported.toSorted()).toEqual(expected.toSorted());
        expect(reading.diagnostics.filter(({ severity }) => severity !== "warning")).toEqual([]);
      }
    });

    const refused = expected.filter((rule) => !ENVELOPE.includes(rule));
    it(`${title} is ${refused.length === 0 ? "accepted" : "refused"} when strict`, () => {
      const reading = readHandoffs(texts[0] ?? "", { strict: true });
      expect(reading.valid).toBe(refused.length === 0);
      const errors = reading.diagnostics.filter(({ severity }) => severity === "error");
      expect(errors.map(({ rule, code }) => rule ?? code).toSorted()).toEqual(refused.toSorted());
    });
  }
}

/** Ruling 7: the fields of the general envelope that a typed form lacks. The authors write it so, and `strict` lets it pass. */
function envelope(...fields: (keyof typeof ENVELOPE_RULES)[]): string[] {
  return fields.map((field) => ENVELOPE_RULES[field]);
}

function fragments(count: number): "fragment"[] {
  return Array.from({ length: count }, () => "fragment");
}

function codes(reading: Reading): string[] {
  return reading.diagnostics.map((diagnostic) => diagnostic.code);
}
