import { describe, expect, it } from "vitest";
import type { Sample } from "../../src/protocol/dialect.ts";
import { DIALECTS } from "../../src/protocol/dialects/registry.ts";
import { renderSample } from "../../src/protocol/dialects/render-sample.ts";
import type { BuiltinDialect } from "../../src/protocol/handoff.ts";
import { readHandoffs } from "../../src/protocol/read-handoff.ts";

/** Ruling 20 holds for every kind of field, and only for what a template leaves. */
type Case = readonly [dialect: BuiltinDialect, field: string, value: Extract<Sample, { set: unknown }>["set"][string]];

function codes([dialect, field, value]: Case): { valid: boolean; codes: string[] } {
  const { valid, diagnostics } = readHandoffs(renderSample(DIALECTS[dialect], { set: { [field]: value } }).text);
  return { valid, codes: diagnostics.map(({ code }) => code) };
}

describe("the leftover of a template", () => {
  it.each<Case>([
    ["pipeline-json", "loop_required", "true|false"],
    ["pipeline-json", "iteration", "[n]"],
    ["pipeline-json", "artifacts", "[...]"],
    ["pipeline-json", "issues.0.requires_code_change", "true | false"],
    ["pipeline-json", "test_requirements.coverage", "[percent]"],
    ["pipeline-json", "to_agent", "TestAgent | CodeReviewer"],
    ["phase-yaml", "handoff.retry_count", ["N"]],
    ["task-yaml", "open_questions.0.blocking", "true | false"],
    ["task-yaml", "files_created.0.path", ["path"]],
    ["output-json", "handoff.next_agent", "frontend-developer|backend-developer"],
    ["output-json", "status", "approved|rejected"],
  ])("in %s is told as such in %s: %j", (...leftover) => {
    expect(codes(leftover)).toEqual({ valid: false, codes: ["unfilled-template"] });
  });

  it.each<Case>([
    ["pipeline-json", "status", ["PASS"]],
    ["pipeline-json", "to_agent", ["TestAgent", "CodeReviewer"]],
    ["phase-yaml", "handoff.to", ["@checkout-lead", "@checkout-tester"]],
    ["phase-yaml", "handoff.metrics", ["31 tests"]],
    ["task-yaml", "files_created.0.path", ["src/a.ts", "src/b.ts"]],
    ["task-yaml", "files_created", "none"],
    ["task-yaml", "files_created", "[]"],
  ])("in %s is not any wrong value of %s: %j", (...wrong) => {
    expect(codes(wrong)).toEqual({ valid: false, codes: ["wrong-type"] });
  });
});

it("asks to remove quotes only where there are any", () => {
  const hints = ["00", '"0"'].map((count) => {
    const text = `handoff:\n  phase: QA\n  from: "@a"\n  to: None\n  status: retry\n  retry_count: ${count}\n`;
    return readHandoffs(text).diagnostics.map(({ hint }) => hint);
  });
  expect(hints).toEqual([["Retries made so far; 0 when there were none."], ["Remove the quotes."]]);
});

describe("nothing", () => {
  it.each<Case>([
    ["output-json", "source_files_verified", null],
    ["output-json", "output_type", null],
    ["pipeline-json", "loop_target", ""],
  ])("in %s is not a value of %s: %j", (...empty) => {
    expect(codes(empty).valid).toBe(false);
  });

  it("is told once where no loop is asked for", () => {
    expect(codes(["pipeline-json", "loop_target", ""]).codes).toEqual(["missing-field"]);
  });

  it("is what an empty block holds", () => {
    const { diagnostics } = readHandoffs("## Handoff\n\n```yaml\n\n```\n");
    expect(diagnostics.map(({ message }) => message)).toEqual([
      "The handoff must be a record of named fields; found nothing.",
    ]);
  });
});
