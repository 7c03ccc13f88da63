import fc from "fast-check";
import { CORE_SCHEMA, YAMLException, load, loadAll } from "js-yaml";
import { describe, expect, it, vi } from "vitest";
import { parseDocument } from "yaml";
import { phaseYaml } from "../../src/protocol/dialects/phase-yaml/dialect.ts";
import { DEFAULT_LIMITS } from "../../src/protocol/limits.ts";
import { parseBlock, syntaxProblems } from "../../src/protocol/syntax/parse-block.ts";
import { mapYaml } from "../../src/protocol/syntax/yaml-source-map.ts";
import { yamlDocuments, yamlEvents } from "../../src/protocol/syntax/yaml.ts";
import { WrittenNumber } from "../../src/protocol/syntax/written-number.ts";
import { type JsonPath, isRecord } from "../../src/shared/json-value.ts";
import { differentialRuns, mutated } from "./mutations.ts";
import { handWritten, printed } from "./yaml-texts.ts";

/**
 * The reading of YAML against js-yaml with its core schema, and against `yaml` as a second opinion. One
 * difference is documented and tested to the letter: a plain scalar is a number only when it is written
 * exactly as that number prints, or else as a decimal number that keeps its spelling; any other stays text.
 */
const SYNTAX = { syntax: "yaml", shape: phaseYaml.shape, mark: "handoff" } as const;
const SIGNS = [
  ":",
  " ",
  "  ",
  "\n",
  "- ",
  "? ",
  "#",
  " #",
  "'",
  '"',
  "[",
  "]",
  "{",
  "}",
  ",",
  "|",
  ">",
  "@",
  "`",
  "&a ",
  "*a",
  "!!str ",
  "!x ",
  "%",
  "\t",
  "---\n",
  "...\n",
  "~",
  "\r",
  "\\",
  "\ufeff",
];
const anyText = fc.oneof(
  { weight: 1, arbitrary: printed.map(({ text }) => text) },
  { weight: 1, arbitrary: handWritten },
  {
    weight: 3,
    arbitrary: mutated(
      fc.oneof(
        handWritten,
        printed.map(({ text }) => text),
      ),
      SIGNS,
    ),
  },
);
const settings = { seed: 20261104, numRuns: differentialRuns(4000) };
vi.setConfig({ testTimeout: 60_000 + settings.numRuns * 10 });

describe("a YAML block", () => {
  it("parses when js-yaml accepts it, and to the same documents but for how numbers are written", () => {
    const seen = { accepted: 0, refused: 0 };
    fc.assert(
      fc.property(anyText, (text) => {
        const reference = loadReference(text);
        const ours = readOurs(text);
        expect(parseBlock(text, SYNTAX, DEFAULT_LIMITS) === null).toBe(ours === null);
        if (reference === null) {
          expect(ours).toBeNull();
          expect(syntaxProblems(text, SYNTAX, DEFAULT_LIMITS)).not.toEqual([]);
          seen.refused++;
          return;
        }
        if (ours === null) {
          // Aliases are refused; js-yaml expands them.
          expect(syntaxProblems(text, SYNTAX, DEFAULT_LIMITS).map((problem) => problem.code)).toContain(
            "alias-refused",
          );
          return;
        }
        expect(ours.length).toBe(reference.length);
        for (const [index, document] of ours.entries()) expect(differences(reference[index], document)).toEqual([]);
        seen.accepted++;
      }),
      settings,
    );
    expect(seen.accepted).toBeGreaterThan(settings.numRuns / 4);
    expect(seen.refused).toBeGreaterThan(settings.numRuns / 10);
  });

  it("tells of a key written twice exactly when js-yaml does", () => {
    let doubled = 0;
    fc.assert(
      fc.property(fc.oneof(handWritten, mutated(handWritten, ["a: 1\n", "\n", "b:"])), (text) => {
        const complaint = complaintOf(text);
        const parsed = parseBlock(text, SYNTAX, DEFAULT_LIMITS);
        if (parsed === null || hasNumericKey(text)) return;
        expect(parsed.hasDuplicates(0)).toBe(complaint === "duplicated mapping key");
        if (parsed.hasDuplicates(0)) {
          expect(parsed.map().duplicates.map((problem) => problem.code)).toContain("duplicate-key");
          doubled++;
        }
      }),
      settings,
    );
    expect(doubled).toBeGreaterThan(settings.numRuns / 50);
  });

  it("says where every scalar stands", () => {
    fc.assert(
      fc.property(printed, ({ text }) => {
        const events = yamlEvents(text, DEFAULT_LIMITS);
        const [document] = yamlDocuments(text, events);
        const map = mapYaml(text, events, 0);
        for (const [path, value] of scalarsOf(document, [])) {
          const { start, end } = map.locate(path, false);
          const written = text.slice(start, end);
          if (/^[|>]|\n/.test(written) || start === end) continue;
          expect(differences(load(written, { schema: CORE_SCHEMA }), value)).toEqual([]);
        }
      }),
      settings,
    );
  });
});

describe("a second opinion", () => {
  it("`yaml` reads what the printers wrote as we do", () => {
    fc.assert(
      fc.property(printed, ({ text }) => {
        const second = secondOpinion(text);
        expect(second).not.toBeNull();
        expect(differences(second?.value, readOurs(text)?.[0])).toEqual([]);
      }),
      settings,
    );
  });

  it("`yaml` reads what was written by hand as we do", () => {
    let agreed = 0;
    fc.assert(
      fc.property(handWritten, (text) => {
        const second = secondOpinion(text);
        const ours = readOurs(text);
        expect(second === null).toBe(ours === null || complaintOf(text) === "duplicated mapping key");
        if (second === null || ours === null) return;
        expect(differences(second.value, ours[0])).toEqual([]);
        agreed++;
      }),
      settings,
    );
    expect(agreed).toBeGreaterThan(settings.numRuns / 2);
  });
});

/** All documents as js-yaml reads them; a key written twice is left to its own test. */
function loadReference(text: string): unknown[] | null {
  try {
    return loadAll(text, { schema: CORE_SCHEMA, json: true, maxDepth: DEFAULT_LIMITS.depth });
  } catch (error) {
    if (error instanceof YAMLException) return null;
    throw error;
  }
}

function complaintOf(text: string): string | null {
  try {
    loadAll(text, { schema: CORE_SCHEMA });
    return null;
  } catch (error) {
    if (error instanceof YAMLException) return error.reason;
    throw error;
  }
}

function readOurs(text: string): unknown[] | null {
  try {
    return yamlDocuments(text, yamlEvents(text, DEFAULT_LIMITS), true);
  } catch (error) {
    if (error instanceof YAMLException) return null;
    throw error;
  }
}

function secondOpinion(text: string): { value: unknown } | null {
  const document = parseDocument(text, { schema: "core", version: "1.2", logLevel: "silent" });
  return document.errors.length > 0 ? null : { value: named(document.toJS({ mapAsMap: true })) };
}

/** Records under the names js-yaml gives their keys: `yaml` calls the key ~ by the empty text. */
function named(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(named);
  return value instanceof Map
    ? Object.fromEntries([...value].map(([key, inner]) => [String(key), named(inner)]))
    : value;
}

/** Where ours differs from a reading by the core schema, after the rule about numbers. */
function differences(core: unknown, ours: unknown, path = "$"): string[] {
  if (typeof core === "number") return sameNumber(core, ours) ? [] : [`${path}: ${core} and ${JSON.stringify(ours)}`];
  if (Array.isArray(core)) {
    if (!Array.isArray(ours) || ours.length !== core.length) return [`${path}: a list and ${JSON.stringify(ours)}`];
    return core.flatMap((item, index) => differences(item, ours[index], `${path}[${index}]`));
  }
  if (!isRecord(core))
    return Object.is(core, ours) ? [] : [`${path}: ${JSON.stringify(core)} and ${JSON.stringify(ours)}`];
  if (!isRecord(ours)) return [`${path}: a record and ${JSON.stringify(ours)}`];
  return recordDifferences(core, ours, path);
}

function recordDifferences(core: object, ours: object, path: string): string[] {
  const own = (record: object, name: string): unknown => Object.getOwnPropertyDescriptor(record, name)?.value;
  const left = new Set(Object.keys(ours));
  const found = Object.keys(core).flatMap((name) => {
    // A key such as 007 is the number 7 for the core schema, and stays text with us; so two can become one there.
    const numbered = [...left].filter((other) => other === name || isNumberNamed(other, name));
    const agreed = numbered.find((other) => differences(own(core, name), own(ours, other)).length === 0);
    const match = agreed ?? numbered[0];
    if (match === undefined) return [`${path}.${name}: missing`];
    left.delete(match);
    return differences(own(core, name), own(ours, match), `${path}.${name}`);
  });
  const merged = (name: string): boolean => Object.keys(core).some((other) => isNumberNamed(name, other));
  return [...found, ...[...left].filter((name) => !merged(name)).map((name) => `${path}.${name}: too much`)];
}

function isNumberNamed(source: string, name: string): boolean {
  const number = coreNumber(source);
  return number !== null && String(number) === name;
}

/** A number when it is written as it prints and can be kept exactly, a decimal number with its spelling, else the text. */
function sameNumber(core: number, ours: unknown): boolean {
  if (ours instanceof WrittenNumber) return isSpelledNumber(core, ours);
  if (typeof ours === "number") return Object.is(ours, core) && Math.abs(core) <= Number.MAX_SAFE_INTEGER;
  if (typeof ours !== "string" || !Object.is(coreNumber(ours), core)) return false;
  if (/^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(ours)) return false;
  return String(core) !== ours || !(Math.abs(core) <= Number.MAX_SAFE_INTEGER);
}

/** Never with another value; without one only where digits would be lost. */
function isSpelledNumber(core: number, { text, value }: WrittenNumber): boolean {
  if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text) || String(core) === text) return false;
  if (value === null) return Number(text) === core && text.replaceAll(/^-?[0.]*|\./g, "").length > 15;
  return value === core;
}

/** The number that YAML's core schema reads in a plain scalar. */
function coreNumber(source: string): number | null {
  if (/^[-+]?\.(?:inf|Inf|INF)$/.test(source)) return source.startsWith("-") ? -Infinity : Infinity;
  if (/^\.(?:nan|NaN|NAN)$/.test(source)) return Number.NaN;
  if (/^(?:0x[\dA-Fa-f]+|0o[0-7]+)$/.test(source)) return Number(source);
  return /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/.test(source) ? Number(source) : null;
}

function hasNumericKey(text: string): boolean {
  return /(?:^|[\s{,?-])[-+]?[.\d][\w.+]*\s*:/m.test(text);
}

function scalarsOf(value: unknown, path: JsonPath): [JsonPath, unknown][] {
  if (Array.isArray(value)) return value.flatMap((item, index) => scalarsOf(item, [...path, index]));
  if (!isRecord(value) || value instanceof WrittenNumber) return [[path, value]];
  return Object.entries(value).flatMap(([name, inner]) => scalarsOf(inner, [...path, name]));
}
