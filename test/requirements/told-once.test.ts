import { describe, expect, it } from "vitest";
import type { Sample } from "../../src/protocol/dialect.ts";
import { DIALECTS } from "../../src/protocol/dialects/registry.ts";
import { renderSample } from "../../src/protocol/dialects/render-sample.ts";
import type { DialectName } from "../../src/protocol/handoff.ts";
import { readHandoffs } from "../../src/protocol/read-handoff.ts";

/** One mistake is one message, at the words that are wrong. */
function told(dialect: DialectName, set: Extract<Sample, { set: unknown }>["set"]): string[] {
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
