import { describe, expect, it } from "vitest";
import type { Sample } from "../../src/protocol/dialect.ts";
import { FORMS } from "../../src/protocol/dialects/issue-xml/example.ts";
import { DIALECTS } from "../../src/protocol/dialects/registry.ts";
import { changeExample, renderSample } from "../../src/protocol/dialects/render-sample.ts";
import type { BuiltinDialect, Outcome } from "../../src/protocol/handoff.ts";
import { DIALECT_NAMES, OUTCOMES } from "../../src/protocol/handoff-words.ts";
import { readHandoffs } from "../../src/protocol/read-handoff.ts";
import type { ReadOptions } from "../../src/protocol/reading.ts";
import type { JsonRecord } from "../../src/shared/json-value.ts";

/** The rulings from 33 on. 37 and 42 have files of their own, 38 is in agent-names.test.ts, 39 in accurate-messages.test.ts. */
const sample = (dialect: BuiltinDialect, set: Extract<Sample, { set: unknown }>["set"] = {}): string =>
  renderSample(DIALECTS[dialect], { set }).text;

function told(text: string, options: ReadOptions = {}): string[] {
  return readHandoffs(text, options).diagnostics.map(({ severity, code }) => `${severity} ${code}`);
}

describe("ruling 33: inside an HTML comment", () => {
  it("nothing counts as a handoff, and what stands there is told", () => {
    const text = `# Note\n\n<!--\n${sample("task-yaml")}\n-->\n`;
    expect(readHandoffs(text).handoffs).toEqual([]);
    expect(told(text)).toContain("warning commented-handoff");
  });

  it("other words do not touch the handoff beside it", () => {
    const text = `# Note\n\n<!-- reviewed -->\n\n${sample("task-yaml")}`;
    expect(readHandoffs(text).handoffs).toHaveLength(1);
    expect(told(text)).toEqual([]);
  });
});

describe("ruling 34: an outcome that the target has no word for", () => {
  const MAY_GO_ON: ReadonlySet<Outcome> = new Set(["done", "done-with-warnings", "skipped"]);
  const isRight = (dialect: BuiltinDialect, outcome: Outcome): boolean => {
    const { lift, lower } = DIALECTS[dialect];
    const arrived = lift(lower({ dialect: "pipeline-json", outcome }, { filledIn: () => undefined }), {}).outcome;
    return MAY_GO_ON.has(arrived) === MAY_GO_ON.has(outcome);
  };

  it.each(DIALECT_NAMES)("goes on in %s if it may go on, and stops if it must stop", (dialect) => {
    expect(OUTCOMES.filter((outcome) => !isRight(dialect, outcome))).toEqual([]);
  });
});

describe("ruling 35: what a condition demands", () => {
  const form = (data: JsonRecord): string => {
    const { print, example } = DIALECTS["issue-xml"];
    const document = changeExample(example, FORMS["001-R13"] ?? {});
    return print({ ...document, data: { ...(document["data"] as JsonRecord), ...data } });
  };

  it.each<[string, JsonRecord]>([
    ["an empty list", { commits: [] }],
    ["an empty text", { coverage: "" }],
  ])("is not satisfied by %s", (_what, data) => {
    expect(told(form(data))).toContain("error missing-field");
  });

  it("is satisfied by content", () => {
    expect(told(form({})).filter((one) => one.startsWith("error"))).toEqual([]);
  });
});

describe("ruling 36: numbers in YAML", () => {
  const metrics = (value: string): string =>
    `handoff:\n  phase: Testing\n  from: "@tester"\n  to: "None"\n  status: complete\n  metrics:\n    score: ${value}\n`;

  it.each(["7.0", "7.50", "0.10", "1.0"])("%s is a number where the field is open", (value) => {
    const reading = readHandoffs(`\`\`\`yaml\n${metrics(value)}\`\`\`\n`);
    expect(reading.diagnostics).toEqual([]);
    expect(reading.handoffs[0]?.handoff?.metrics).toEqual({ score: Number(value) });
  });

  it("what would lose digits stays a text, and is told", () => {
    const reading = readHandoffs(`\`\`\`yaml\n${metrics("12345678901234567890.5")}\`\`\`\n`);
    expect(reading.handoffs[0]?.handoff?.metrics).toEqual({ score: "12345678901234567890.5" });
    expect(reading.diagnostics.map(({ code }) => code)).toEqual(["unsafe-number"]);
  });
});

describe("ruling 40: two handoffs of two formats in one text", () => {
  const pipeline = (status: string): string =>
    `\n\n\`\`\`json\n${JSON.stringify({ ...DIALECTS["pipeline-json"].example, status })}\n\`\`\`\n`;

  it("are both read, and told when their outcomes contradict", () => {
    const text = sample("task-yaml") + pipeline("FAIL");
    expect(readHandoffs(text).handoffs).toHaveLength(2);
    expect(told(text)).toEqual(["warning contradiction"]);
  });

  it("need no word when they agree", () => {
    expect(told(sample("task-yaml") + pipeline("PASS"))).toEqual([]);
  });
});

describe("ruling 41: another json block after the metadata block", () => {
  it("does not supersede it", () => {
    const reading = readHandoffs(`${sample("output-json")}\n\n\`\`\`json\n{ "coverage": 91 }\n\`\`\`\n`);
    expect(reading).toMatchObject({ valid: true, dialect: "output-json" });
    expect(reading.handoffs[0]?.handoff?.summary).toBe(
      DIALECTS["output-json"].lift(DIALECTS["output-json"].example, {}).summary,
    );
  });

  it("does where it is metadata", () => {
    const later = JSON.stringify({ ...DIALECTS["output-json"].example, summary: "The later one" });
    const reading = readHandoffs(`${sample("output-json")}\n\n\`\`\`json\n${later}\n\`\`\`\n`);
    expect(reading.handoffs.at(-1)?.handoff?.summary).toBe("The later one");
  });
});
