import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import type { DiagnosticCode } from "../../src/protocol/diagnostic.ts";
import { pipelineJson } from "../../src/protocol/dialects/pipeline-json/dialect.ts";
import { judgeBlock } from "../../src/protocol/judge-block.ts";
import { DEFAULT_LIMITS } from "../../src/protocol/limits.ts";
import { readHandoffs } from "../../src/protocol/read-handoff.ts";
import { mapJson } from "../../src/protocol/syntax/json-source-map.ts";
import { parseBlock, syntaxProblems } from "../../src/protocol/syntax/parse-block.ts";
import { applyEdits } from "../../src/protocol/syntax/syntax.ts";
import { type JsonPath, type JsonValue, isRecord } from "../../src/shared/json-value.ts";
import { ExactJson, own, sameOwn } from "./exact-json.ts";
import { differentialRuns, mutated } from "./mutations.ts";

/**
 * The reading of JSON against JSON.parse, the judge of what JSON is, and against an exact reader of our own
 * where JSON.parse cannot be asked (keys written twice) or not be believed (keys written with escapes).
 */

const SYNTAX = { syntax: "json", shape: pipelineJson.shape, mark: "" } as const;
const BLOCK = {
  dialect: "pipeline-json",
  start: 0,
  end: 0,
  container: "file",
  terminated: true,
  origin: {},
  containerEnd: 0,
} as const;
const NOT_JSON: ReadonlySet<DiagnosticCode> = new Set([
  "syntax-error",
  "truncated",
  "several-roots",
  "unfilled-template",
]);

const key = fc.oneof(
  fc.constantFrom("a", "b", "status", "from_agent", "", "a b", 'q"q', "back\\slash", "é", "\u2028", "1", "__proto__"),
  fc.string({ maxLength: 4 }),
);
const scalar = fc.oneof(
  fc.constantFrom<JsonValue>(null, true, false, 0, -0.5, 1e21, "", '"', "\\", "{", "a:b", "//", "/*", ",]", "\u0000"),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.string({ maxLength: 8 }),
);

/** JSON texts written by hand, so that keys can stand twice, escapes vary and space is free. */
const { value: jsonText } = fc.letrec<{ value: string; record: string; list: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    scalar.chain((value) => printed(value)),
    tie("record"),
    tie("list"),
  ),
  record: fc
    .array(fc.tuple(key.chain(printed), space(), space(), tie("value")), { maxLength: 4 })
    .map((fields) => `{${fields.map(([name, left, right, value]) => `${left}${name}${right}:${value}`).join(",")}}`),
  list: fc
    .array(fc.tuple(space(), tie("value"), space()), { maxLength: 4 })
    .map((items) => `[${items.map((item) => item.join("")).join(",")}]`),
}));
const recordText = jsonText.map((inner) => `{"from_agent":"A","x":${inner}}`);
const SIGNS = [
  "{",
  "}",
  "[",
  "]",
  ",",
  ":",
  '"',
  "'",
  "\\",
  "//x\n",
  "/*x*/",
  "\n",
  "\u00a0",
  "\u0001",
  "\u0000",
  "-",
  "0",
  "1e",
  ".",
  "tru",
  "null",
  "...",
  "|",
  "\ufeff",
];
const anyText = fc.oneof({ weight: 1, arbitrary: jsonText }, { weight: 3, arbitrary: mutated(recordText, SIGNS) });

const settings = { seed: 20261103, numRuns: differentialRuns(4000) };
vi.setConfig({ testTimeout: 60_000 + settings.numRuns * 10 });

describe("a JSON block", () => {
  it("parses when JSON.parse accepts it, and to the same value", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const reference = parseReference(text);
        const parsed = parseBlock(text, SYNTAX, DEFAULT_LIMITS);
        expect(parsed === null).toBe(reference === null);
        if (parsed !== null) expect(sameOwn(parsed.document, reference?.value)).toBe(true);
      }),
      settings,
    );
  });

  it("is told to be no JSON exactly when JSON.parse refuses it, always inside the text and with a reason", () => {
    let refused = 0;
    fc.assert(
      fc.property(mutated(recordText, SIGNS), (text) => {
        const reference = parseReference(text);
        const { problems, document, repaired } = judgeBlock(text, pipelineJson, BLOCK, DEFAULT_LIMITS);
        const told = problems.filter((problem) => NOT_JSON.has(problem.code));
        expect(told.length > 0).toBe(reference === null);
        expect(problems.filter((problem) => problem.code === "too-many-nodes")).toEqual([]);
        if (reference === null) refused++;
        for (const { span } of problems) {
          expect(span.start).toBeGreaterThanOrEqual(0);
          expect(span.start).toBeLessThanOrEqual(span.end);
          expect(span.end).toBeLessThanOrEqual(text.length);
        }
        const mended = repaired ? parseReference(mend(text))?.value : undefined;
        if (repaired) expect(mended).toBeDefined();
        if (repaired && isRecord(mended)) expect(sameOwn(document, mended)).toBe(true);
      }),
      settings,
    );
    expect(refused).toBeGreaterThan(settings.numRuns / 4);
  });

  it("is mended of comments and trailing commas without changing what it says", () => {
    const comment = fc.constantFrom("", "", "// note\n", '/* , " { */', "/**/");
    const withExtras = fc
      .tuple(fc.jsonValue({ maxDepth: 3 }), comment, comment, fc.boolean())
      .map(([value, before, after, comma]) => ({
        value: { from_agent: "A", x: value } as JsonValue,
        text: `{${before}"from_agent":${after}"A","x":${JSON.stringify(value)}${after}${comma ? "," : ""}${before}}`,
      }));
    fc.assert(
      fc.property(withExtras, ({ value, text }) => {
        const { document, problems, repaired } = judgeBlock(text, pipelineJson, BLOCK, DEFAULT_LIMITS);
        expect(repaired).toBe(parseReference(text) === null);
        expect(problems.every((problem) => problem.fix !== undefined || problem.code === "duplicate-key")).toBe(true);
        expect(sameOwn(document, JSON.parse(JSON.stringify(value)))).toBe(true);
      }),
      settings,
    );
  });
});

describe("a key written with escapes", () => {
  const escape = (name: string): string =>
    Array.from(name, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");
  /** Teaches V8 a key that begins like the escape of "s", literally. */
  const PRIMER = '{"from_agent":"A","status":"PASS","\\\\u0073":0}';
  const trap = `{"from_agent":"A","status":"PASS","${escape("status")}":"FAIL"}`;

  it("is the key it stands for, whatever was read before", () => {
    JSON.parse(PRIMER);
    const parsed = parseBlock(`{"from_agent":"A","status":"PASS","${escape("summary")}":"B"}`, SYNTAX, DEFAULT_LIMITS);
    expect(Object.keys(parsed?.document ?? {})).toEqual(["from_agent", "status", "summary"]);
  });

  it("is known as written twice, also within the text that sets the trap", () => {
    for (const text of [trap, `{"x":${PRIMER},"y":${trap}}`, `{"x":${trap},"\\"":${PRIMER},"y":${trap}}`]) {
      JSON.parse(PRIMER);
      const { problems } = judgeBlock(text, pipelineJson, BLOCK, DEFAULT_LIMITS);
      expect(problems.map((problem) => problem.code)).toContain("duplicate-key");
    }
  });

  it("is not where JSON.parse and the exact reader could differ on other texts", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const text = JSON.stringify(value);
        if (!text.includes("\\")) expect(sameOwn(new ExactJson(text).value, JSON.parse(text))).toBe(true);
      }),
      settings,
    );
  });
});

describe("the guard against keys written twice", () => {
  it("finds exactly the keys that an exact reader finds", () => {
    let doubled = 0;
    fc.assert(
      fc.property(recordText, (text) => {
        const expected = new ExactJson(text).repeated;
        const { problems } = judgeBlock(text, pipelineJson, BLOCK, DEFAULT_LIMITS);
        const found = problems.filter((problem) => problem.code === "duplicate-key");
        expect(found.map((problem) => problem.span.start).toSorted((left, right) => left - right)).toEqual(expected);
        if (expected.length > 0) doubled++;
        const parsed = parseBlock(text, SYNTAX, DEFAULT_LIMITS);
        expect(parsed?.hasDuplicates(countKeys(parsed.document))).toBe(expected.length > 0);
        expect(readHandoffs(text).diagnostics.some((diagnostic) => diagnostic.code === "duplicate-key")).toBe(
          expected.length > 0,
        );
      }),
      settings,
    );
    expect(doubled).toBeGreaterThan(settings.numRuns / 50);
  });
});

describe("the places of a JSON text", () => {
  it("hold the values that JSON.parse reads", () => {
    fc.assert(
      fc.property(recordText, (text) => {
        if (new ExactJson(text).repeated.length > 0) return;
        const map = mapJson(text);
        for (const [path, value] of scalarsOf(new ExactJson(text).value as JsonValue, [])) {
          const { start, end } = map.locate(path, false);
          expect(sameOwn(JSON.parse(text.slice(start, end)), value)).toBe(true);
        }
      }),
      settings,
    );
  });
});

function space(): fc.Arbitrary<string> {
  return fc.constantFrom("", "", " ", "\n", "\t", " \r\n ");
}

/** The same value, plainly or with its characters escaped. */
function printed(value: JsonValue): fc.Arbitrary<string> {
  const plain = JSON.stringify(value);
  if (typeof value !== "string") return fc.constant(plain);
  const escaped = [...Array(value.length).keys()]
    .map((index) => `\\u${value.charCodeAt(index).toString(16).padStart(4, "0")}`)
    .join("");
  return fc.constantFrom(plain, plain, `"${escaped}"`);
}

function parseReference(text: string): { value: unknown } | null {
  try {
    JSON.parse(text);
  } catch {
    return null;
  }
  return { value: new ExactJson(text).value };
}

function mend(text: string): string {
  const edits = syntaxProblems(text, SYNTAX, DEFAULT_LIMITS).flatMap((problem) => problem.fix?.edits ?? []);
  return applyEdits(
    text,
    edits.toSorted((left, right) => left.start - right.start),
  );
}

function countKeys(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const inner = Object.keys(value).reduce((sum, name) => sum + countKeys(own(value, name)), 0);
  return Array.isArray(value) ? inner : inner + Object.keys(value).length;
}

function scalarsOf(value: JsonValue, path: JsonPath): [JsonPath, JsonValue][] {
  if (typeof value !== "object" || value === null) return [[path, value]];
  if (Array.isArray(value)) return value.flatMap((item, index) => scalarsOf(item, [...path, index]));
  return Object.keys(value).flatMap((name) => scalarsOf(own(value, name) as JsonValue, [...path, name]));
}
