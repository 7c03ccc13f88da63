import { describe, expect, it } from "vitest";
import { EDGES } from "./dialects/issue-xml/edges.ts";
import { DIALECTS } from "./dialects/registry.ts";
import type { BuiltinDialect, Handoff } from "./handoff.ts";
import { DIALECT_NAMES } from "./handoff-words.ts";
import { type InstructionOptions, instructionsFor } from "./instructions.ts";
import { TAUGHT_OUTCOMES, type TaughtOutcome } from "./outcome-examples.ts";
import { readHandoffs } from "./read-handoff.ts";

const OUTCOMES = [...new Set(Object.values(TAUGHT_OUTCOMES))];

/** The handoff in the example, which must break no rule. */
function exampleIn(name: BuiltinDialect, options: InstructionOptions): Handoff {
  const text = instructionsFor(name, options);
  const reading = readHandoffs(text, { strict: true });
  expect(reading.diagnostics, text).toEqual([]);
  const [read] = reading.handoffs;
  if (reading.handoffs.length !== 1 || !read?.handoff) throw new Error(`no single handoff in ${text}`);
  return read.handoff;
}

describe.each(DIALECT_NAMES)("instructions for %s", (name) => {
  it.each(OUTCOMES)("show a valid example of %s, for any agents", (outcome) => {
    for (const agents of [{}, { from: "card-builder" }, { from: "card-builder", to: "card-tester" }]) {
      const handoff = exampleIn(name, { outcome, ...agents });
      if (outcome === "final") expect(handoff.final === true || name === "task-yaml").toBe(true);
      else expect(wordsFor(name, outcome)).toContain(handoff.status);
    }
  });
});

/** The word of an outcome; in issue-xml fixes are asked for with two words. */
function wordsFor(name: BuiltinDialect, outcome: Exclude<TaughtOutcome, "final">): string[] {
  const isAsked = name === "issue-xml" && outcome === "needs-fixes";
  return [DIALECTS[name].words[outcome], ...(isAsked ? ["success"] : [])];
}

describe("instructions for agents of issue-xml", () => {
  it("never teach the word that stops the work where fixes are asked for", () => {
    for (const [from, to] of [
      ["reviewer-agent", "fixer-agent"],
      ["validator-agent", "fixer-agent"],
    ] as const) {
      expect(instructionsFor("issue-xml", { from, to })).not.toContain("<status>blocked</status>");
      for (const options of [
        { from, to },
        { from, outcome: "needs-fixes" as const },
      ])
        expect(exampleIn("issue-xml", options)).toMatchObject({ from, to, status: "success", outcome: "needs-fixes" });
    }
  });

  it("show the form of the asked agents where it fits the outcome, and the error form from any of them", () => {
    const from = "reviewer-agent";
    expect(exampleIn("issue-xml", { from, outcome: "done" })).toMatchObject({ to: "validator-agent", outcome: "done" });
    expect(exampleIn("issue-xml", { from, outcome: "failed" })).toMatchObject({ from, to: "orchestrator", error: {} });
    const builder = exampleIn("issue-xml", { from: "card-builder", outcome: "needs-fixes" });
    expect(builder).toMatchObject({ status: "failure", error: { recoverable: true } });
  });
});

/** Characters of the instructions before fields and rules said everything only once. */
const BEFORE: Readonly<Record<BuiltinDialect, number>> = {
  "pipeline-json": 6877,
  "issue-xml": 7030,
  "phase-yaml": 3011,
  "task-yaml": 4784,
  "output-json": 5156,
};
const EDGES_BEFORE = [2872, 3120, 3141, 3343, 2731, 2857, 3162, 2772];

describe("the length of instructions", () => {
  it.each(DIALECT_NAMES)("is a third less for %s, with every outcome", (name) => {
    expect(instructionsFor(name).length).toBeLessThanOrEqual((BEFORE[name] * 2) / 3);
  });

  it("is a third less for the handovers of issue-xml", () => {
    const lengths = EDGES.flatMap(({ from, to }) =>
      from === undefined || to === undefined ? [] : [instructionsFor("issue-xml", { from, to }).length],
    );
    const sum = (all: readonly number[]) => all.reduce((total, one) => total + one, 0);
    expect(sum(lengths)).toBeLessThanOrEqual((sum(EDGES_BEFORE) * 2) / 3);
  });
});
