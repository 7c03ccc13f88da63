import { describe, expect, it } from "vitest";
import { DIALECTS } from "./dialects/registry.ts";
import { renderSample } from "./dialects/render-sample.ts";
import { findBlocks } from "./find-blocks.ts";
import { readHandoffs } from "./read-handoff.ts";

const PHASE = '{phase: Testing, from: "@a", to: None, status: complete}';

function found(text: string, path?: string): string[] {
  return findBlocks(text, path === undefined ? {} : { path }).blocks.map(
    ({ dialect, start, end }) => `${dialect} ${text.slice(start, end).trim()}`,
  );
}

describe("YAML in braces", () => {
  it.each([
    ["below the heading", `## Handoff\n\n{handoff: ${PHASE}}\n`, `phase-yaml {handoff: ${PHASE}}`],
    ["with quoted keys", `## Handoff\n\n{ "handoff": ${PHASE}}\n`, `phase-yaml { "handoff": ${PHASE}}`],
    ["over several lines", "## Handoff\n\n{\n  outcome: partial,\n}\n", "task-yaml {\n  outcome: partial,\n}"],
    ["in a yaml fence", `\`\`\`yaml\n{handoff: ${PHASE}}\n\`\`\`\n`, `phase-yaml {handoff: ${PHASE}}`],
    [
      "in a fence below the heading",
      "## Handoff\n\n```yaml\n{outcome: partial}\n```\n",
      "task-yaml {outcome: partial}",
    ],
  ])("%s is found", (_where, text, block) => {
    expect(found(text)).toEqual([block]);
  });

  it("is found in a file that is called so", () => {
    expect(found(`{handoff: ${PHASE}}\n`, "a.yaml")).toEqual([`phase-yaml {handoff: ${PHASE}}`]);
    expect(found('{"from_agent": "a"}\n', "a.yaml")).toEqual(['pipeline-json {"from_agent": "a"}']);
  });

  it("counts beside another block", () => {
    expect(found("```yaml\noutcome: failed\ngotchas: []\n```\n\n## Handoff\n\n{outcome: partial}\n")).toHaveLength(2);
  });

  it("is not looked for where JSON is promised", () => {
    expect(found(`\`\`\`json\n{"handoff": ${PHASE}}\n\`\`\`\n`)).toEqual([]);
    expect(found(`{"handoff": ${PHASE}}\n`, "a.json")).toEqual([]);
  });
});

describe("a fence in the section of the handoff", () => {
  const section = "## Handoff\n\n```yaml\noutcome: completed\n```\n\nRun it with\n\n";

  it.each(["```\nnpm test\n```\n", '```text\n{"ok": true}\n```\n', "~~~\n3 passed\n~~~\n"])(
    "that says no language and has no field of the format is prose: %j",
    (fence) => {
      expect(found(section + fence)).toEqual(["task-yaml outcome: completed"]);
    },
  );

  it("is the handoff when there is no other, or when it is called YAML", () => {
    expect(found("## Handoff\n\n```\nDone.\n```\n")).toEqual(["task-yaml Done."]);
    expect(found(`${section}\`\`\`yaml\nport: 80\n\`\`\`\n`)).toHaveLength(2);
  });
});

describe("an element that a text begins with", () => {
  const element = "<handoff><from>a</from></handoff>";
  const fence = `\`\`\`yaml\nhandoff: ${PHASE}\n\`\`\`\n`;

  it("hides no other block", () => {
    const others = [`issue-xml ${element}`, `phase-yaml handoff: ${PHASE}`];
    expect(found(`${element}\n\n${fence}`)).toEqual(others);
    expect(found(`${element}\n\n${fence}\n${element}\n`)).toEqual([...others, `issue-xml ${element}`]);
    expect(found(`${element}\n\n${fence}`, "handoff.xml")).toEqual([`issue-xml ${element}`]);
  });

  it("is cut off when it is never closed, and not only talked about", () => {
    expect(found("<handoff>The work")).toEqual(["issue-xml <handoff>The work"]);
    expect(found('<?xml version="1.0"?>\n<handoff>The work', "a.xml")).toEqual(["issue-xml <handoff>The work"]);
    expect(found("Write <handoff> around it.")).toEqual([]);
  });
});

it("finds no element where another dialect is asked for", () => {
  const { text } = renderSample(DIALECTS["issue-xml"], { set: {} });
  for (const readAs of [text, `\n${text}`]) {
    const { valid, diagnostics } = readHandoffs(readAs, { dialect: "phase-yaml" });
    expect(valid).toBe(false);
    expect(diagnostics.map(({ message }) => message)).toEqual([
      "There is no handoff in this text in the dialect phase-yaml.",
    ]);
  }
});

describe("an indented block", () => {
  const block = (indent: string): string =>
    ["handoff:", "  phase: Testing", '  from: "@a"', "  to: None", "  status: failed"]
      .map((line) => `${indent}${line}\n`)
      .join("");

  it.each(["  ", "    ", "      "])("is read behind %j, whatever a heading says", (indent) => {
    const { valid, handoffs, diagnostics } = readHandoffs(`## TESTING COMPLETE\n\nSo:\n\n${block(indent)}\nBye.\n`);
    expect(valid).toBe(true);
    expect(handoffs.map(({ handoff }) => handoff?.outcome)).toEqual(["failed"]);
    expect(diagnostics.map(({ code, range }) => [code, range.start.column])).toEqual([
      ["unfenced-block", indent.length + 1],
    ]);
  });

  it("is none where it goes on from the line before, or has none of the fields", () => {
    expect(found(`So:\n${block("    ")}`)).toEqual([]);
    expect(found("So:\n\n    handoff:\n      retries: 3\n")).toEqual([]);
  });

  it("is one, though a key inside it has the same name", () => {
    expect(found(`So:\n\n${block("  ")}    context:\n\n      handoff:\n        phase: QA\n`)).toHaveLength(1);
  });
});
