import { describe, expect, it } from "vitest";
import { DIALECTS } from "../../src/protocol/dialects/registry.ts";
import { type changeExample, renderSample } from "../../src/protocol/dialects/render-sample.ts";
import { fixHandoffs } from "../../src/protocol/fix-handoff.ts";
import { readHandoffs } from "../../src/protocol/read-handoff.ts";
import type { ReadOptions } from "../../src/protocol/reading.ts";

/** What an author is told, in words that fit what was written. */
function told(text: string, options: ReadOptions = {}): string {
  return readHandoffs(text, options)
    .diagnostics.map(({ message, hint }) => `${message} ${hint}`)
    .join("\n");
}

const pipeline = (changes: Parameters<typeof changeExample>[1]): string =>
  renderSample(DIALECTS["pipeline-json"], { set: changes }).text;
const task = (lines: string): string => `## Handoff\n\n\`\`\`yaml\n${lines}\n\`\`\`\n`;

describe("a message", () => {
  it("knows the format of a record without the agents", () => {
    const reading = readHandoffs('{ "status": "PASS_WITH_FIXES", "loop_required": true, "issues": [] }');
    expect(reading.dialect).toBe("pipeline-json");
    expect(reading.diagnostics.map(({ message }) => message)).toContain("`from_agent` is missing.");
  });

  it("names the root element that was found", () => {
    expect(told("<letter><to>b</to></letter>", { path: "a.xml" })).toContain("the root is <letter>");
  });

  it("says of a schema what it is", () => {
    expect(told('{ "type": "object", "properties": { "output_type": {} } }')).toContain("This is a schema");
  });

  it.each(["{path}", "YYYY-MM-DDTHH:MM:SSZ", "YYYY-MM-DD", "file:line", "ISO-8601", "ISO8601 timestamp", "string"])(
    "takes %s for a template that was never filled in",
    (placeholder) => {
      const texts = [
        pipeline({ from_agent: placeholder }),
        pipeline({ timestamp: placeholder }),
        pipeline({ "issues.0.location": placeholder }),
      ];
      for (const text of texts)
        expect(readHandoffs(text).diagnostics.map(({ code }) => code)).toContain("unfilled-template");
    },
  );

  it.each([
    "handoff:\n  phase: Testing\n  {name}: x\n",
    "handoff:\n  phase: &a [\n  b\n",
    "handoff:\n  ? [a]\n  : b\n",
    "<handoff><a b=c>1</a></handoff>",
    "<handoff><a>&#xZ;</a></handoff>",
    "<handoff><a></handoff>",
    "<handoff><?a",
  ])("has no words of a parser: %j", (text) => {
    expect(told(text)).not.toMatch(
      /object-based|complex key|flow collection|mapping entry|stream|disallowed|unmatched/,
    );
  });

  it.each([
    [task("outcome: SUCCEEDED"), "Did you mean completed?"],
    [task("outcome: PARTIAL_PLUS"), "Did you mean partial?"],
    [task("outcome: PARTIAL_PLUS"), "It may say more or less than that"],
    [pipeline({ "artifacts.0.priority": undefined, "artifacts.0.test_priority": "high" }), "Rename `test_priority`"],
    [
      pipeline({ test_requirements: undefined, "context.test_requirements": { coverage: 90 } }),
      "one level too deep, in `context`",
    ],
    [
      task("outcome: completed\ngotchas:\n  - issue: a\n    discovered_in: b\n    mitigation: c\n    Severity: HIGH"),
      "`Severity` looks like it",
    ],
  ])("suggests what may be meant", (text, suggestion) => {
    expect(told(text)).toContain(suggestion);
  });

  it.each<[string, string, string]>([
    ["another word for success", task("outcome: SUCCEEDED"), "outcome: completed"],
    ["the same in JSON", pipeline({ status: "Success" }), '"status": "PASS"'],
    ["another word for failure", pipeline({ status: "failed" }), '"status": "FAIL"'],
    ["a word in capitals", pipeline({ "artifacts.0.priority": "HIGH" }), '"priority": "high"'],
    [
      "the name that the authors' own prompts use",
      pipeline({ "artifacts.0.priority": undefined, "artifacts.0.test_priority": "HIGH" }),
      '"priority": "high"',
    ],
    [
      "a key and its word in capitals",
      task("outcome: completed\ngotchas:\n  - issue: a\n    discovered_in: b\n    mitigation: c\n    Severity: HIGH"),
      "    severity: high",
    ],
  ])("comes with a repair where the meaning is certain: %s", (_, text, written) => {
    const fixed = fixHandoffs(text);
    expect(fixed.text).toContain(written);
    expect(fixed.reading.diagnostics.filter(({ fix }) => fix !== null)).toEqual([]);
  });

  it("comes with a repair that moves a field which stands one level too deep", () => {
    const requirements = { coverage: 90, critical_paths: ["a"], edge_cases_to_test: ["b"] };
    for (const context of [
      { design_decisions: [], test_requirements: requirements },
      { test_requirements: requirements, design_decisions: [] },
      { test_requirements: requirements },
    ]) {
      const document = { ...DIALECTS["pipeline-json"].example, context, test_requirements: undefined };
      for (const text of [JSON.stringify(document, null, 2), JSON.stringify(document)]) {
        const fixed = fixHandoffs(text);
        expect(fixed.reading).toMatchObject({ valid: true, diagnostics: [] });
        const { test_requirements: moved, context: left } = JSON.parse(fixed.text);
        expect(moved).toEqual(requirements);
        expect(left).toEqual("design_decisions" in context ? { design_decisions: [] } : {});
      }
    }
  });

  it.each<[string, string]>([
    ["a word that may say more or less", task("outcome: PARTIAL_PLUS")],
    ["a word that only says that the work ended", pipeline({ status: "done" })],
    ["the status of something else", pipeline({ status: undefined, "context.status": "PASS" })],
    ["a longer name", pipeline({ status: undefined, old_status: "PASS" })],
    ["a field too deep that does not fit", pipeline({ test_requirements: undefined, "context.test_requirements": {} })],
  ])("comes without a repair where it is not: %s", (_, text) => {
    expect(fixHandoffs(text).text).toBe(text);
  });

  it("tells a fault of more than three entries of a list once, with their lines and one fix (ruling 39)", () => {
    const gotcha = { issue: "a", discovered_in: "b", mitigation: "c" };
    const sample = renderSample(DIALECTS["task-yaml"], { set: { gotchas: Array.from({ length: 5 }, () => gotcha) } });
    const { diagnostics } = readHandoffs(sample.text);
    expect(diagnostics).toHaveLength(1);
    expect(diagnostics[0]?.message).toMatch(/The same in 4 more entries: lines \d+, \d+, \d+, \d+\.$/);
    expect(diagnostics[0]?.fix?.edits).toHaveLength(5);
    const three = renderSample(DIALECTS["task-yaml"], { set: { gotchas: [gotcha, gotcha, gotcha] } });
    expect(readHandoffs(three.text).diagnostics).toHaveLength(3);
  });

  it.each([
    ["failed", { suggested_resolution: "" }, "003-R15"],
    ["blocked", { blocking_tasks: [""] }, "003-R16"],
    ["blocked", { blocking_tasks: [] }, "003-R16"],
  ])("refuses what is empty where the outcome %s demands content (ruling 35)", (outcome, changes, rule) => {
    const full = { blocker: "No key", impact: "No test", suggested_resolution: "Ask", blocking_tasks: ["task-9"] };
    const { text } = renderSample(DIALECTS["task-yaml"], { set: { outcome, blockers: [{ ...full, ...changes }] } });
    expect(readHandoffs(text).diagnostics).toMatchObject([{ rule, severity: "error", code: "missing-field" }]);
  });

  it("of a form that the authors write without its envelope is a warning that `strict` lets pass", () => {
    const form =
      "<handoff><from>fixer-agent</from><to>reviewer-agent</to><pr_url>https://x/pull/9</pr_url><pr_number>9</pr_number>" +
      "<issue_number>7</issue_number><status>ready-for-re-review</status><fixes_applied>" +
      '<fix location="src/a.ts:1">Escaped</fix></fixes_applied><commits_added>1</commits_added></handoff>';
    const reading = readHandoffs(form, { strict: true });
    expect(reading.valid).toBe(true);
    expect(reading.diagnostics.map(({ severity }) => severity)).toContain("warning");
  });
});
