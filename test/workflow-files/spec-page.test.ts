import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CATALOG } from "../../src/protocol/diagnostic-catalog.ts";
import { OUTCOMES } from "../../src/protocol/handoff-words.ts";
import type { Shape } from "../../src/protocol/shape.ts";
import { CONTENT_KEYWORDS } from "../../src/workflow/file/content-rule.ts";
import type { FileField } from "../../src/workflow/file/file-field.ts";
import { workflowShape } from "../../src/workflow/file/file-shape.ts";
import { readWorkflow } from "../../src/workflow/file/read-workflow.ts";
import { FACTS } from "../../src/workflow/parse-condition.ts";
import { projectRoot } from "../architecture/source-files.ts";

const page = readFileSync(join(projectRoot, "docs/spec/workflow.md"), "utf8");

function fieldsOf(shape: Shape): [string, FileField][] {
  if (shape.kind === "list") return fieldsOf(shape.item);
  if (shape.kind === "map") return fieldsOf(shape.values);
  if (shape.kind !== "record") return [];
  return Object.entries(shape.fields).flatMap(([key, field]) => [[key, field], ...fieldsOf(field.shape)]);
}

describe("docs/spec/workflow.md", () => {
  const fields = fieldsOf(workflowShape);

  it("names every key, outcome, fact and keyword", () => {
    const names = [...fields.map(([key]) => key), ...OUTCOMES, ...Object.keys(FACTS), ...CONTENT_KEYWORDS];
    // `retry: { most, delay }` and the runners stand inside a longer piece of code.
    expect(names.filter((name) => !new RegExp(`\`[^\`\n]*\\b${name}\\b[^\`\n]*\``).test(page))).toEqual([]);
  });

  it("says the defaults that the reader takes", () => {
    const rows = fields.flatMap(([key, { fallback }]) =>
      typeof fallback === "string" || typeof fallback === "number" ? [`| \`${key}\` | \`${fallback}\` |`] : [],
    );
    const inProse = ["prompt", "most", "delay"];
    expect(rows.filter((row) => !page.includes(row) && !inProse.some((key) => row.includes(`\`${key}\``)))).toEqual([]);
  });

  it("names codes that exist", () => {
    const [, table = ""] = page.split("## What is checked before a run");
    const codes = [...table.matchAll(/^\| (`[^|]+`) \|/gm)].flatMap(([, cell = ""]) => cell.match(/[a-z-]+/g) ?? []);
    expect(codes.length).toBeGreaterThan(5);
    expect(codes.filter((code) => !Object.hasOwn(CATALOG, code))).toEqual([]);
  });

  it("shows a workflow that is fine", () => {
    const [, sample = ""] = /```yaml\n(baton: 1\n[\s\S]*?)```/.exec(page) ?? [];
    expect(readWorkflow(sample, { path: "sample.yaml", hash: "" }).diagnostics).toEqual([]);
  });
});
