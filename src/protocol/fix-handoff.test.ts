import { describe, expect, it } from "vitest";
import { renderSample } from "./dialects/render-sample.ts";
import { DIALECTS } from "./dialects/registry.ts";
import { fixHandoffs } from "./fix-handoff.ts";

describe("a repair that adds a line", () => {
  it.each([
    ["pipeline-json", { iteration: undefined, loop_required: undefined }],
    ["task-yaml", { "gotchas.0.severity": undefined }],
  ] as const)("ends it as the lines of a %s text end", (dialect, set) => {
    const { text } = renderSample(DIALECTS[dialect], { set });
    const mended = fixHandoffs(text);
    expect(mended.applied.length).toBeGreaterThan(0);
    expect(mended.reading.diagnostics).toEqual([]);
    expect(fixHandoffs(`\uFEFF${text.replaceAll("\n", "\r\n")}`).text).toBe(
      `\uFEFF${mended.text.replaceAll("\n", "\r\n")}`,
    );
  });
});
