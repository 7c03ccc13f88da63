import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import type { Dialect } from "../../src/protocol/dialect.ts";
import { outputJson } from "../../src/protocol/dialects/output-json/dialect.ts";
import { pipelineJson } from "../../src/protocol/dialects/pipeline-json/dialect.ts";
import { renderSample } from "../../src/protocol/dialects/render-sample.ts";
import { readHandoffs } from "../../src/protocol/read-handoff.ts";
import type { ReadOptions, Reading } from "../../src/protocol/reading.ts";
import type { JsonValue } from "../../src/shared/json-value.ts";
import { differentialRuns, mutated } from "./mutations.ts";

/**
 * A file that is one flawless handoff is read by a short way, any other by the full way. A line break before
 * the record closes the short way, so the same text can be read by both: they must agree in everything.
 */
const settings = { seed: 20261106, numRuns: differentialRuns(4000) };
vi.setConfig({ testTimeout: 60_000 + settings.numRuns * 10 });

const strange: fc.Arbitrary<JsonValue | undefined> = fc.oneof(
  fc.constantFrom<JsonValue | undefined>(undefined, null, "", "x", 0, 1.5, 1e300, true, [], {}, ["a"], [1], [null]),
  fc.constantFrom<JsonValue | undefined>(
    "a | b",
    "[name]",
    "COMPLETE",
    "PASS",
    "FAIL",
    "complete",
    "blocked",
    "/etc",
    "../x",
    "approved",
  ),
  fc.constantFrom<JsonValue | undefined>(
    { constructor: 1 },
    { toString: "x" },
    { carried: {} },
    "2026-02-30T00:00:00Z",
  ),
  fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<JsonValue>,
);

const NAMES = [
  "mood",
  "toString",
  "carried",
  "agent",
  "output_type",
  "skills_invoked",
  "from_agent",
  "to_agent",
  "status",
  "handoff",
  "next_agent",
  "phase",
  "summary",
];

/** A dialect whose samples are the bare record, so that they can be the whole file. */
function asFile(dialect: Dialect, indent: number): Dialect {
  return { ...dialect, print: (document) => JSON.stringify(document, null, indent), wrap: (block) => block };
}

const documents = fc
  .tuple(fc.constantFrom(pipelineJson, outputJson), fc.constantFrom(0, 2), fc.constantFrom(0, 1, 4))
  .chain(([dialect, indent, maxKeys]) => {
    const paths = [...pathsOf(dialect.example), ...NAMES, ...NAMES.map((name) => `context.${name}`)];
    return fc
      .dictionary(fc.constantFrom(...paths), strange, { maxKeys, noNullPrototype: true })
      .map((set) => renderSample(asFile(dialect, indent), { set }).text);
  });

const options: fc.Arbitrary<ReadOptions> = fc.constantFrom<ReadOptions>(
  {},
  {},
  { strict: true },
  { path: "handoff-BackendBuilder.json" },
  { path: "out/result.json" },
  { path: "notes.md" },
  { dialect: "pipeline-json" },
  { dialect: "output-json" },
  { dialect: "phase-yaml" },
  { limits: { depth: 3 } },
  { limits: { nodes: 20 } },
);

describe("the short way", () => {
  it("reads a record as the full way does", () => {
    let flawless = 0;
    fc.assert(
      fc.property(documents, options, (text, given) => {
        const short = readHandoffs(text, given);
        expect(shifted(short, 1)).toEqual(shifted(readHandoffs(`\n${text}`, given), 0));
        if (short.valid && short.diagnostics.length === 0) flawless++;
      }),
      settings,
    );
    expect(flawless).toBeGreaterThan(settings.numRuns / 20);
  });

  it("does so for texts with slips", () => {
    fc.assert(
      fc.property(
        mutated(documents, ['"', ",", "}", "]", "{", ":", "\\", "\\u0061", "1", " ", "\n", '"status":"PASS",']),
        options,
        (text, given) => {
          if (!text.startsWith("{")) return;
          expect(shifted(readHandoffs(text, given), 1)).toEqual(shifted(readHandoffs(`\n${text}`, given), 0));
        },
      ),
      settings,
    );
  });
});

/** Everything a reading says, with places by offset. */
function shifted(reading: Reading, by: number): unknown {
  return {
    dialect: reading.dialect,
    valid: reading.valid,
    handoffs: reading.handoffs.map((read) => ({ ...read, start: read.start + by, end: read.end + by })),
    diagnostics: reading.diagnostics.map(({ code, rule, severity, message, hint, range }) => ({
      code,
      rule,
      severity,
      message,
      hint,
      // The beginning of the text and of its record are one place here.
      start: Math.max(1, range.start.offset + by),
    })),
  };
}

function pathsOf(value: JsonValue, prefix = ""): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const path = prefix === "" ? key : `${prefix}.${key}`;
    return inner === undefined ? [] : [path, ...pathsOf(inner, path)];
  });
}
