import { describe, expect, it } from "vitest";
import type { Sample } from "../../src/protocol/dialect.ts";
import { DIALECTS } from "../../src/protocol/dialects/registry.ts";
import { renderSample } from "../../src/protocol/dialects/render-sample.ts";
import { fixHandoffs } from "../../src/protocol/fix-handoff.ts";
import type { BuiltinDialect, Handoff } from "../../src/protocol/handoff.ts";
import { readHandoffs } from "../../src/protocol/read-handoff.ts";
import { writeHandoff } from "../../src/protocol/write-handoff.ts";

/** One mistake is one message, at the words that are wrong. */
function told(dialect: BuiltinDialect, set: Extract<Sample, { set: unknown }>["set"]): string[] {
  const { text } = renderSample(DIALECTS[dialect], { set });
  return readHandoffs(text).diagnostics.map(
    ({ rule, code, range }) => `${rule} ${code} at ${text.slice(range.start.offset, range.end.offset)}`,
  );
}

describe("a list that the outcome demands", () => {
  it.each([
    ["failed", "003-R15"],
    ["blocked", "003-R13"],
  ])("of %s work is empty, or no list, but not missing", (outcome, rule) => {
    expect(told("task-yaml", { outcome, blockers: [] })).toEqual([`${rule} missing-field at blockers`]);
    expect(told("task-yaml", { outcome, blockers: "none" })).toEqual(["003-R13 wrong-type at none"]);
    expect(told("task-yaml", { outcome, blockers: undefined })).toEqual([`${rule} missing-field at outcome`]);
  });
});

describe("XML", () => {
  it("tells a word in the wrong case once", () => {
    const set = { "data.review_status": "CHANGES_REQUESTED" };
    expect(told("issue-xml", set)).toEqual(["001-R14 not-allowed at CHANGES_REQUESTED"]);
  });

  it.each([
    ['location="src/a.ts:1" severity="Critical"', "001-R14 not-allowed at Critical", true],
    ["location='src/a.ts:1 severity=x' severity = 'Critical'", "001-R14 not-allowed at Critical", false],
    ['location="src/a.ts" severity="critical"', "001-R14 bad-format at src/a.ts", false],
    ['location="" severity="critical"', "001-R14 missing-field at location", false],
    ['severity="critical"', "001-R14 missing-field at <issue", false],
  ])("points at the attribute that is wrong: %s", (attributes, message, mendable) => {
    const { text } = renderSample(DIALECTS["issue-xml"], { set: { to: "auditor-agent" } });
    const issues = `<blocking_issues><issue ${attributes}>Wrong</issue></blocking_issues>`;
    const broken = text.replace(/<blocking_issues>[^]*<\/blocking_issues>/, issues);
    const { diagnostics } = readHandoffs(broken);
    const places = diagnostics.map(({ range }) => broken.slice(range.start.offset, range.end.offset));
    expect(diagnostics.map(({ rule, code }, at) => `${rule} ${code} at ${places[at]}`)).toContain(message);
    expect(fixHandoffs(broken).reading.valid).toBe(mendable);
  });
});

describe("a loop to the end of the run", () => {
  const loop = { loop_required: true, loop_target: "COMPLETE", loop_reason: "BUGS", to_agent: "COMPLETE" };

  it("is no loop to an earlier agent", () => {
    expect(told("pipeline-json", { ...loop, status: "FAIL" })).toEqual(['000-R13 inconsistent at "COMPLETE"']);
  });

  it("is not written", () => {
    const { text } = renderSample(DIALECTS["pipeline-json"], { set: {} });
    const read = readHandoffs(text).handoffs[0]?.handoff as Handoff;
    const routing = { loop: { required: true, target: "COMPLETE", reason: "BUGS" } };
    expect(readHandoffs(writeHandoff({ ...read, routing }, "pipeline-json").text).valid).toBe(true);
  });
});
