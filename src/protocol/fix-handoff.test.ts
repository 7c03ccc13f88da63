import { describe, expect, it } from "vitest";
import { renderSample } from "./dialects/render-sample.ts";
import { DIALECTS } from "./dialects/registry.ts";
import { fixHandoffs } from "./fix-handoff.ts";
import { readHandoffs } from "./read-handoff.ts";

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

describe("a comment in JSON", () => {
  const { text } = renderSample(DIALECTS["pipeline-json"], { set: {} });

  it("is removed inside of the record", () => {
    const commented = text.replace("{\n", "{\n  // who hands over\n");
    expect(fixHandoffs(commented).text).toBe(text);
  });

  it.each([
    ["before", `// Ask Ada about the gift cards, first\n${text}`],
    ["after", `${text}// Ask Ada about the gift cards, first\n`],
  ])("stays %s the record: somebody may have said something there", (_where, commented) => {
    const { text: after, reading } = fixHandoffs(commented, { path: "handoff-BackendBuilder.json" });
    expect(after).toBe(commented);
    expect(reading.diagnostics).toMatchObject([{ message: "JSON has no comments.", fix: null }]);
  });
});

it("quotes nothing in a YAML document that is another one than the handoff", () => {
  const handoff = "outcome: completed\nfiles_created: []\nfiles_modified: []\n";
  const text = `- @agent: Complete\n- \`code\`: FAILED,\n\n---\n${handoff}`;
  expect(fixHandoffs(text, { path: "notes.yaml", dialect: "task-yaml" }).text).toBe(text);
  const alone = `---\n# mine\nsummary: @agent\n${handoff}`;
  expect(fixHandoffs(alone, { path: "notes.yaml", dialect: "task-yaml" }).text).toContain('summary: "@agent"');
});

describe("a word that stands in a block of text", () => {
  const summary = (status: string): string =>
    `# Done\n\n\`\`\`yaml\nhandoff:\n  phase: Testing\n  from: "@a"\n  to: "@b"\n  status: ${status}\n\`\`\`\n`;

  it.each([
    ["literal", "|\n    Complete"],
    ["folded", ">-\n    Complete"],
    ["with a comment and an empty line", "| # the | verdict\n\n    Complete"],
  ])("is written in the place of the whole block (%s)", (_name, block) => {
    for (const text of [summary(block), summary(block).replaceAll("\n", "\r\n")]) {
      const mended = fixHandoffs(text);
      expect(mended.reading.diagnostics).toEqual([]);
      expect(mended.text.replaceAll("\r\n", "\n")).toBe(summary("complete"));
    }
  });

  it("is pointed at, without its indentation and its line end", () => {
    const { range } = readHandoffs(summary(">-\n    Complete")).diagnostics[0] ?? {};
    expect(range?.start).toMatchObject({ line: 9, column: 5 });
    expect(range?.end).toMatchObject({ line: 9, column: 13 });
  });
});
