import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkShape } from "../../src/protocol/check-shape.ts";
import type { Diagnostic } from "../../src/protocol/diagnostic.ts";
import type { Dialect, Rule, Sample } from "../../src/protocol/dialect.ts";
import { DIALECTS } from "../../src/protocol/dialects/registry.ts";
import { renderSample } from "../../src/protocol/dialects/render-sample.ts";
import { DocumentCheck } from "../../src/protocol/document-check.ts";
import { handoffShape } from "../../src/protocol/handoff.ts";
import { DEFAULT_LIMITS } from "../../src/protocol/limits.ts";
import { readHandoffs } from "../../src/protocol/read-handoff.ts";
import type { Reading } from "../../src/protocol/reading.ts";
import {
  CANNOT_BE_BROKEN_BY_ONE_TEXT,
  DIALECT_NUMBERS,
  HANDED_ON_BY_THE_CORE,
  KEPT_BY_THE_CORE,
  KINDS,
  OWED,
  SPOKEN_BY,
  TEXTUAL,
  TOLD_WHEN_KEPT,
  severityOf,
} from "./manifest.ts";

const projectRoot = join(import.meta.dirname, "../..");
const conformance = join(projectRoot, "../shared/conformance.md");
const dialects = Object.values(DIALECTS);
const rules = dialects.flatMap((dialect) => dialect.rules.map((rule) => ({ dialect, rule })));
const broken = rules.filter(({ rule }) => !(rule.id in CANNOT_BE_BROKEN_BY_ONE_TEXT));

describe("the requirements manifest", () => {
  it("sorts every rule into exactly one list", () => {
    const textual = new Set(TEXTUAL);
    const owed = new Set([...OWED, ...KEPT_BY_THE_CORE]);
    expect([...owed].filter((id) => KINDS[id] !== "B")).toEqual([]);
    expect(Object.keys(KINDS).filter((id) => textual.has(id) === owed.has(id))).toEqual([]);
    expect(Object.keys(CANNOT_BE_BROKEN_BY_ONE_TEXT).filter((id) => !textual.has(id))).toEqual([]);
  });

  it("has a test that cites each rule of behaviour which the core keeps", () => {
    const tests = globSync("test/workflow/*.test.ts", { cwd: projectRoot }).map((path) =>
      readFileSync(join(projectRoot, path), "utf8"),
    );
    const cited = [...KEPT_BY_THE_CORE, ...HANDED_ON_BY_THE_CORE];
    expect(cited.filter((id) => !tests.some((text) => text.includes(id)))).toEqual([]);
    expect(KEPT_BY_THE_CORE.filter((id) => OWED.includes(id))).toEqual([]);
  });

  it("gives a reason for every rule that no text can break", () => {
    expect(Object.values(CANNOT_BE_BROKEN_BY_ONE_TEXT).filter((reason) => reason.length < 30)).toEqual([]);
  });

  it("has each textual rule in the source, with both samples or with the reason why it has none", () => {
    const wanting = TEXTUAL.filter((id) => {
      const rule = ruleOf(id);
      const hasSamples = rule?.right !== undefined && rule.wrong !== undefined;
      return rule === undefined || hasSamples === id in CANNOT_BE_BROKEN_BY_ONE_TEXT;
    });
    expect(wanting).toEqual([]);
  });

  it("knows every rule of the source, under its dialect's number, once, with its kind", () => {
    expect(rules.filter(({ rule }) => !TEXTUAL.includes(rule.id)).map(({ rule }) => rule.id)).toEqual([]);
    expect(rules.filter(({ dialect, rule }) => !rule.id.startsWith(`${dialect.number}-`))).toEqual([]);
    expect(new Set(rules.map(({ rule }) => rule.id)).size).toBe(rules.length);
    expect(Object.fromEntries(rules.map(({ rule }) => [rule.id, rule.kind]))).toEqual(
      Object.fromEntries(TEXTUAL.map((id) => [id, KINDS[id]])),
    );
    expect(Object.fromEntries(dialects.map((dialect) => [dialect.number, dialect.name]))).toEqual(DIALECT_NUMBERS);
  });

  it("is cited by every rule id that a shape or a check of the source names", () => {
    const named = new Set(dialects.flatMap((dialect) => [dialect.rootRule, ...shapeRules(dialect)]));
    expect([...named].filter((id) => !TEXTUAL.includes(id))).toEqual([]);
  });
});

it("holds the ids and kinds of conformance.md, no more and no fewer", (context) => {
  if (!existsSync(conformance))
    context.skip("../shared/conformance.md is absent: the manifest was not compared with the formats' own rules");
  const described = Object.entries(KINDS).filter(([id]) => id < "005");
  expect(Object.fromEntries(described)).toEqual(kindsOfTables(readFileSync(conformance, "utf8")));
});

describe.each(dialects)("the example of $name", (dialect) => {
  it("is accepted without a word, also when strict", () => {
    const { text } = renderSample(dialect, { set: {} });
    expect(readHandoffs(text)).toMatchObject({ valid: true, dialect: dialect.name, diagnostics: [] });
    expect(readHandoffs(text, { strict: true }).valid).toBe(true);
  });
});

describe.each(broken)("$rule.id", ({ dialect, rule }) => {
  it("accepts its right sample without a word", () => {
    const reading = read(dialect, rule.right);
    expect(reading).toMatchObject({ valid: true, dialect: dialect.name });
    const told = TOLD_WHEN_KEPT[rule.id];
    expect(brief(reading.diagnostics)).toEqual(told === undefined ? [] : [`${told} ${rule.id}`]);
    expectCanonical(reading);
  });

  it(`tells its wrong sample as ${severityOf(rule.id)}`, () => {
    const reading = read(dialect, rule.wrong);
    const severity = severityOf(rule.id);
    const own = reading.diagnostics.filter((diagnostic) => diagnostic.rule === (SPOKEN_BY[rule.id] ?? rule.id));
    expect(brief(reading.diagnostics)).toContain(`${severity} ${SPOKEN_BY[rule.id] ?? rule.id}`);
    expect(own.filter((diagnostic) => diagnostic.severity !== severity)).toEqual([]);
    expect(reading.valid).toBe(severity !== "error");
    expectPlaced(own, renderSample(dialect, rule.wrong ?? { set: {} }).text);
    expectCanonical(reading);
  });

  it("breaks nothing else in its wrong sample", () => {
    const others = read(dialect, rule.wrong).diagnostics.filter(
      (diagnostic) => diagnostic.rule !== (SPOKEN_BY[rule.id] ?? rule.id),
    );
    expect(brief(others)).toEqual([]);
  });

  it("strictly refuses its wrong sample unless it is only info", () => {
    const { text, path } = renderSample(dialect, rule.wrong ?? { set: {} });
    const reading = readHandoffs(text, { strict: true, ...(path !== undefined && { path }) });
    expect(reading.valid).toBe(severityOf(rule.id) === "info");
  });
});

function ruleOf(id: string): Rule | undefined {
  return rules.find(({ rule }) => rule.id === id)?.rule;
}

function read(dialect: Dialect, sample: Sample | undefined): Reading {
  if (sample === undefined) throw new Error("the rule has no sample");
  const { text, path } = renderSample(dialect, sample);
  return readHandoffs(text, path === undefined ? {} : { path });
}

function brief(diagnostics: readonly Diagnostic[]): string[] {
  return diagnostics.map((diagnostic) => `${diagnostic.severity} ${diagnostic.rule ?? diagnostic.code}`);
}

/** A place inside the text, a message and a hint: what a diagnostic owes its reader. */
function expectPlaced(diagnostics: readonly Diagnostic[], text: string): void {
  for (const { range, message, hint } of diagnostics) {
    expect(range.start.offset).toBeGreaterThanOrEqual(0);
    expect(range.end.offset).toBeGreaterThanOrEqual(range.start.offset);
    expect(range.end.offset).toBeLessThanOrEqual(text.length);
    expect(message).toMatch(/\w.*[.!]$/s);
    expect(hint ?? "").not.toBe("");
  }
}

/** Whatever is accepted is a canonical handoff: a value of a wrong type must not slip through a warning. */
function expectCanonical(reading: Reading): void {
  for (const { handoff } of reading.handoffs) {
    if (handoff === null) {
      expect(reading.valid).toBe(false);
      continue;
    }
    const { dialect: _dialect, ...content } = handoff;
    const check = new DocumentCheck(DEFAULT_LIMITS);
    checkShape(content, handoffShape, check, "canonical");
    expect(check.findings.map((finding) => finding.message)).toEqual([]);
  }
}

/** Rule ids that the fields of a dialect's shape name. */
function shapeRules(dialect: Dialect): string[] {
  const found: string[] = [];
  const waiting: unknown[] = [dialect.shape];
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (typeof value !== "object" || value === null) continue;
    for (const [key, inner] of Object.entries(value)) {
      if (key === "rule" && typeof inner === "string") found.push(inner);
      else waiting.push(inner);
    }
  }
  return found;
}

function kindsOfTables(page: string): Record<string, string> {
  const kinds: Record<string, string> = {};
  let number = "";
  for (const line of page.split("\n")) {
    number = /^### Seed (\d{3})$/.exec(line)?.[1] ?? number;
    const [, rule, kind] = /^\| (R\d{2}) \| ([A-Z,]+) \|/.exec(line) ?? [];
    if (rule !== undefined && kind !== undefined) kinds[`${number}-${rule}`] = kind;
  }
  return kinds;
}
