import { describe, expect, it } from "vitest";
import { findBlocks } from "./find-blocks.ts";

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
