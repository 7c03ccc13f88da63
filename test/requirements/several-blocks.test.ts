import { describe, expect, it } from "vitest";
import type { Sample } from "../../src/protocol/dialect.ts";
import { DIALECTS } from "../../src/protocol/dialects/registry.ts";
import { renderSample } from "../../src/protocol/dialects/render-sample.ts";
import type { BuiltinDialect } from "../../src/protocol/handoff.ts";
import { readHandoffs } from "../../src/protocol/read-handoff.ts";

/** Rulings 13 and 24: where the last block counts, those before it are not judged. Elsewhere each one counts. */
describe("a block that is refused, before one that is accepted", () => {
  it.each<[BuiltinDialect, Sample, string]>([
    ["pipeline-json", { set: { status: "MAYBE" } }, "error not-allowed"],
    ["issue-xml", { set: { from: "X Y" } }, "error bad-format"],
    ["phase-yaml", { set: { "handoff.status": "maybe" } }, "warning superseded-block"],
    ["task-yaml", { set: { outcome: "maybe" } }, "warning superseded-block"],
    ["output-json", { set: { status: "maybe" } }, "warning superseded-block"],
  ])("%s", (name, wrong, told) => {
    const { diagnostics } = readHandoffs(`${inText(name, wrong)}\nCorrected:\n\n${inText(name, { set: {} })}`);
    expect(diagnostics.map(({ severity, code }) => `${severity} ${code}`)).toEqual([told]);
  });
});

function inText(name: BuiltinDialect, sample: Sample): string {
  const { text } = renderSample(DIALECTS[name], sample);
  return name === "pipeline-json" ? `\`\`\`json\n${text}\`\`\`\n` : `${text}\n`;
}
