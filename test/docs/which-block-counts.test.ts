import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ReadOptions } from "../../src/protocol/reading.ts";
import { readHandoffs } from "../../src/protocol/read-handoff.ts";
import { projectRoot } from "../architecture/source-files.ts";

/** Each numbered sentence of the page as texts, and what is read of them. */
const page = readFileSync(join(projectRoot, "docs/spec/which-block-counts.md"), "utf8");

/**
 * The text, and in one line: the dialect, the outcome of each handoff that counts (`refused` for one with errors), and
 * the codes of the diagnostics.
 */
type Case = readonly [text: string, expected: string, options?: ReadOptions];

const PHASE = (status: string): string =>
  `handoff:\n  phase: "Testing"\n  from: "@a"\n  to: "None"\n  status: "${status}"\n`;
const TASK = "outcome: completed\nfiles_created:\n  - path: a.ts\n    purpose: Adds\n    lines: all\n";
const OUTPUT = (status: string): string =>
  JSON.stringify({
    status,
    phase: "testing",
    summary: "Wrote 3 tests of the parser in a.test.ts",
    handoff: { next_phase: "complete", next_agent: null, context: "Nothing is open." },
  });
const PIPELINE = (status: string): string =>
  JSON.stringify({
    from_agent: "A",
    to_agent: "COMPLETE",
    timestamp: "2026-02-03T08:15:00.000Z",
    status,
    iteration: 1,
    loop_required: false,
    loop_target: null,
    loop_reason: null,
    artifacts: [],
    context: {},
    validation: { command: "true", expected_result: "Exit 0", checklist: ["done"] },
  });
const ELEMENT = (status: string): string =>
  `<handoff><from>a</from><to>b</to><timestamp>2026-02-03T08:15:00Z</timestamp><issue_number>1</issue_number>` +
  `<status>${status}</status><summary>Done</summary><data><a>1</a></data></handoff>`;

const QUOTED = `\`\`\`yaml\n${PHASE("complete")}\`\`\`\n`.replaceAll(/^(?=.)/gm, "> ");
const SCAN: ReadOptions = { scan: true };

const CASES: Readonly<Record<string, readonly Case[]>> = {
  B1: [
    [PIPELINE("PASS"), "pipeline-json done"],
    [`// a comment\n${PIPELINE("PASS")}`, "pipeline-json refused syntax-error"],
    ['[{"a": 1}]', "- no-handoff"],
    ["[HANDOFF] done", "- no-handoff"],
  ],
  B2: [
    [`<report>${ELEMENT("success")}</report>`, "issue-xml done", { path: "a.xml" }],
    [`<?xml version="1.0"?>\n${ELEMENT("success")}`, "issue-xml done"],
    [`${ELEMENT("success")}\n${ELEMENT("success")}\n`, "issue-xml done done"],
    [`${ELEMENT("success")}\n\n\`\`\`yaml\n${PHASE("complete")}\`\`\`\n`, "phase-yaml done done"],
  ],
  B3: [
    [`# a comment\n\n${PHASE("complete")}`, "phase-yaml done"],
    [TASK, "task-yaml done"],
    ["outcomes: [a]\n", "- no-handoff", { path: "a.yaml" }],
  ],
  B4: [[`## Handoff\n\n${TASK}`, "task-yaml done"]],
  B5: [[`Hello.\n\n\`\`\`yaml\n${PHASE("complete")}\`\`\`\n`, "phase-yaml done"]],
  B6: [
    [
      "feature_name: A\nfeature_slug: a\ncreated_at: 2026-02-03T08:15:00Z\ncreated_by: b\ndescription: c\nstatus: complete\nagents_contributed: []\nartifacts: []\n",
      "output-json manifest",
      { path: "out/MANIFEST.yaml" },
    ],
  ],
  B7: [
    [`\`\`\`\n${PHASE("complete")}\`\`\`\n`, "phase-yaml done"],
    [`~~~yml\n${PHASE("complete")}~~~\n`, "phase-yaml done"],
    [`\`\`\`ts\n${PHASE("complete")}\`\`\`\n`, "- no-handoff"],
  ],
  B8: [
    [`\`\`\`json\n${PIPELINE("PASS")}\n\`\`\`\n`, "pipeline-json done"],
    ['```json\n{ "printer": 2 }\n```\n', "- no-handoff"],
  ],
  B9: [[`\`\`\`yaml\n${PHASE("failed")}\`\`\`\n`, "phase-yaml failed"]],
  B10: [
    ["## Handoff\n\n```yaml\noutcome: completed\n```\n", "task-yaml done"],
    ["## Result\n\n```yaml\noutcome: completed\n```\n", "- no-handoff"],
    [`## Result\n\n\`\`\`yaml\n${TASK}\`\`\`\n`, "task-yaml done"],
  ],
  B11: [
    [
      '## Metadata\n\n```json\n{ "grade": "B" }\n```\n',
      "output-json refused missing-field missing-field missing-field missing-field",
    ],
    ['## Metadata\n\n```json\n{ "grade": "B" }\n```\n\nMore.\n', "- no-handoff"],
  ],
  B12: [
    [`\`\`\`\`markdown\n\`\`\`yaml\n${PHASE("complete")}\`\`\`\n\`\`\`\`\n`, "phase-yaml done"],
    [`\`\`\`markdown\nText\n\n\`\`\`yaml\n${PHASE("complete")}\`\`\`\n`, "phase-yaml done"],
  ],
  B13: [[`# Task 1: A\n\n## Handoff\n\n${TASK}\n---\n\nMore.\n\n## Next\n\nWords.\n`, "task-yaml done"]],
  B14: [
    ["## Handoff\n\nAll is done.\n", "- no-handoff"],
    [`## Handoff\n\nAll is done.\n\n---\n\n${ELEMENT("success")}\n`, "issue-xml done"],
  ],
  B15: [[`Words.\n\n---\n${PHASE("complete")}More words.\n`, "phase-yaml done unfenced-block"]],
  B16: [
    [`Words ${ELEMENT("success")} and words.`, "issue-xml done"],
    [`\`\`\`xml\n${ELEMENT("success")}\n\`\`\`\n`, "issue-xml done"],
  ],
  B17: [
    ["Write a `<handoff>` element.\n", "issue-xml no-handoff"],
    ["Write a <handoff> element at the end.\n", "issue-xml no-handoff"],
  ],
  B18: [
    [`\`\`\`yaml\n${PHASE("complete")}  context:\n    note: "${ELEMENT("failure")}"\n\`\`\`\n`, "phase-yaml done"],
    [
      ELEMENT("success").replace("<a>1</a>", `<a>\n\`\`\`yaml\n${PHASE("failed")}\`\`\`\n</a>`),
      "issue-xml done",
      { path: "a.md" },
    ],
  ],
  B19: [
    ["## TESTING COMPLETE\n\nAll well.\n", "phase-yaml done legacy-summary"],
    ["Tests are written.\n\nNext Agent: @b\n", "phase-yaml pending legacy-summary"],
    [`## TESTING COMPLETE\n\n\`\`\`yaml\n${PHASE("failed")}\`\`\`\n`, "phase-yaml failed"],
  ],
  B20: [
    [
      `\`\`\`yaml\n${PHASE("complete")}\`\`\`\n\n\`\`\`yaml\n${PHASE("failed")}\`\`\`\n`,
      "phase-yaml failed superseded-block",
    ],
    [
      `\`\`\`yaml\n${PHASE("complete")}\`\`\`\n\n\`\`\`yaml\n${PHASE("fine")}\`\`\`\n`,
      "phase-yaml refused superseded-block not-allowed",
    ],
    [
      `## Handoff\n\n\`\`\`yaml\n${TASK}\`\`\`\n\n## Handoff\n\n\`\`\`yaml\n${TASK}\`\`\`\n`,
      "task-yaml done superseded-block",
    ],
  ],
  B21: [
    [
      `\`\`\`json\n${OUTPUT("complete")}\n\`\`\`\n\n\`\`\`json\n${OUTPUT("needs_review")}\n\`\`\`\n`,
      "output-json needs-review superseded-block",
    ],
    [
      `\`\`\`json\n${OUTPUT("complete")}\n\`\`\`\n\n\`\`\`json\n${OUTPUT("needs_review").slice(0, -1)}\n\`\`\`\n`,
      "output-json done text-after-block superseded-block",
    ],
    [
      `\`\`\`json\n${OUTPUT("complete")}\n\`\`\`\n\n\`\`\`json\n{ "status": 200, "body": { "next_agent": "b" } }\n\`\`\`\n`,
      "output-json done text-after-block",
    ],
  ],
  B22: [
    [`${ELEMENT("success")}\n${ELEMENT("failed-somehow")}`, "issue-xml done refused not-allowed invalid"],
    [
      `\`\`\`json\n${PIPELINE("PASS")}\n\`\`\`\n\n\`\`\`json\n${PIPELINE("FAIL")}\n\`\`\`\n`,
      "pipeline-json done failed",
    ],
  ],
  B23: [
    [`\`\`\`yaml\n${PHASE("complete")}\`\`\`\n\n${ELEMENT("success")}\n`, "issue-xml done done"],
    [`\`\`\`yaml\n${PHASE("fine")}\`\`\`\n\n${ELEMENT("success")}\n`, "issue-xml refused done not-allowed invalid"],
  ],
  B24: [
    [`\`\`\`yaml\n${PHASE("complete")}\`\`\`\n\n${ELEMENT("failure")}\n`, "phase-yaml done", { dialect: "phase-yaml" }],
  ],
  B25: [
    [`\`\`\`yaml\n${PHASE("complete")}`, "phase-yaml refused truncated"],
    [`Words.\n${ELEMENT("success").replace("</handoff>", "")}`, "issue-xml refused truncated"],
    [`\`\`\`json\n${OUTPUT("complete")}\n`, "output-json done truncated"],
  ],
  B26: [[`${ELEMENT("success")}\n`.repeat(201), "issue-xml too-many-nodes"]],
  B27: [
    [`<!--\n\`\`\`yaml\n${PHASE("complete")}\`\`\`\n-->\n`, "- no-handoff commented-handoff"],
    [`Words.\n\n<!-- ${ELEMENT("success")} -->\n`, "- no-handoff commented-handoff"],
    [`<!-- not this: -->\n\n\`\`\`yaml\n${PHASE("complete")}\`\`\`\n`, "phase-yaml done"],
    [`<!--\n\`\`\`yaml\n-->\n\n\`\`\`yaml\n${PHASE("complete")}\`\`\`\n`, "phase-yaml done"],
    [`<!-- not closed\n\n\`\`\`yaml\n${PHASE("complete")}\`\`\`\n`, "- no-handoff commented-handoff"],
    [`\`\`\`yaml\n${PHASE("complete")}\`\`\`\n\n<!-- ${ELEMENT("failure")} -->\n`, "phase-yaml done commented-handoff"],
    [`<!-- ${ELEMENT("failure")} -->\n${ELEMENT("success")}`, "issue-xml done commented-handoff", { path: "a.xml" }],
    [`<!--\n\`\`\`yaml\n${PHASE("complete")}\`\`\`\n-->\n`, "comment no-handoff commented-handoff", SCAN],
  ],
  B28: [
    [
      `\`\`\`yaml\n${PHASE("complete")}\`\`\`\n\n\`\`\`json\n${PIPELINE("FAIL")}\n\`\`\`\n`,
      "pipeline-json done failed contradiction",
    ],
    [
      `\`\`\`yaml\n${PHASE("failed")}\`\`\`\n\n\`\`\`json\n${PIPELINE("FAIL")}\n\`\`\`\n`,
      "pipeline-json failed failed",
    ],
  ],
  B35: [
    [`The tester wrote:\n\n${QUOTED}`, "phase-yaml done"],
    [`The tester wrote:\n\n${QUOTED}\n\`\`\`json\n${PIPELINE("PASS")}\n\`\`\`\n`, "pipeline-json done"],
    [`> ## Handoff\n>\n> outcome: completed\n`, "task-yaml done"],
  ],
  B36: [
    [`All is done.\n\n${PIPELINE("PASS")}\n`, "pipeline-json refused wrong-container"],
    [`# Report\n\n## Metadata\n\n${OUTPUT("complete")}\n`, "output-json refused wrong-container"],
    [`All is done.\n\n${TASK}`, "task-yaml refused wrong-container"],
    ['All is done.\n\n{ "a": 1 }\n', "- no-handoff"],
  ],
  B37: [
    ["---\noutcome: completed\n---\ntitle: Notes\n", "task-yaml done several-roots", { path: "a.yaml" }],
    [
      "---\noutcome: completed\n---\nblockers:\n  - blocker: The key is missing\n",
      "task-yaml refused several-roots",
      { path: "a.yaml" },
    ],
  ],
  B29: [
    [
      `---\nname: a\ndescription: b\n---\n\nWrite:\n\n\`\`\`yaml\n${PHASE("complete")}\`\`\`\n\nAlways.\n`,
      "prompt no-handoff",
      SCAN,
    ],
    [
      `---\nname: a\ndescription: b\n---\n\nWords.\n\n\`\`\`yaml\n${PHASE("complete")}\`\`\`\n`,
      "phase-yaml done",
      SCAN,
    ],
    [`---\nname: a\ndescription: b\n---\n\n${ELEMENT("success")}\n\nWords.\n`, "issue-xml done", SCAN],
    [`You are a tester.\n\n\`\`\`yaml\n${PHASE("complete")}\`\`\`\n\nAlways.\n`, "prompt no-handoff", SCAN],
    [`You are a tester.\n\n\`\`\`yaml\n${PHASE("complete")}\`\`\`\n\nAlways.\n`, "phase-yaml done"],
  ],
  B30: [
    ['{ "type": "object", "properties": { "skills_invoked": {} } }', "schema no-handoff", SCAN],
    ['{ "type": "object", "properties": { "skills_invoked": {} } }', "- no-handoff"],
  ],
  B31: [
    [
      "```yaml\nhandoff:\n  phase: [phase]\n  from: [agent]\n  to: [agent]\n  status: complete\n```\n",
      "template no-handoff",
      SCAN,
    ],
    [`\`\`\`yaml\n${PHASE("[complete | failed]")}\`\`\`\n`, "phase-yaml refused unfilled-template", SCAN],
  ],
  B32: [
    [`\`\`\`\`markdown\n\`\`\`yaml\n${PHASE("complete")}\`\`\`\n\`\`\`\`\n`, "samples no-handoff", SCAN],
    [`## Example\n\n\`\`\`yaml\n${PHASE("complete")}\`\`\`\n`, "samples no-handoff", SCAN],
    [`A handoff looks like this:\n\n\`\`\`yaml\n${PHASE("complete")}\`\`\`\n`, "samples no-handoff", SCAN],
    [
      `## One\n\n\`\`\`yaml\n${PHASE("complete")}\`\`\`\n\n## Two\n\n\`\`\`yaml\nhandoff:\n  from: "@a"\n\`\`\`\n\n## Three\n`,
      "samples no-handoff",
      SCAN,
    ],
    [`# Report\n\n\`\`\`yaml\n${PHASE("complete")}\`\`\`\n\n## Details\n\nWords.\n`, "phase-yaml done", SCAN],
  ],
  B33: [
    ["## TESTING COMPLETE\n\nAll well.\n", "- no-handoff", SCAN],
    ["## TESTING COMPLETE\n\nAll well.\n\nNext Agent: @b\n", "phase-yaml done legacy-summary", SCAN],
    ["## TESTING COMPLETE\n\n```\nNext Agent: @b\n```\n", "- no-handoff", SCAN],
  ],
  B34: [
    ["handoff:\n  enabled: true\n", "- no-handoff", SCAN],
    ["outcome: win\n", "- no-handoff", SCAN],
    ['{ "status": "on", "last": { "phase": "a", "summary": "b" } }', "- no-handoff", SCAN],
  ],
};

describe("docs/spec/which-block-counts.md", () => {
  it("has a case for each of its sentences, and no other", () => {
    expect([...page.matchAll(/^- \*\*(B\d+)\*\* /gm)].map(([, id]) => id)).toEqual(Object.keys(CASES));
  });

  it.each(Object.entries(CASES))("%s", (_id, cases) => {
    for (const [text, expected, options = {}] of cases) expect(summarise(text, options), text).toBe(expected);
  });

  it("B20: --strict refuses a text with superseded blocks", () => {
    const [text = ""] = CASES["B20"]?.[0] ?? [];
    expect(readHandoffs(text).valid).toBe(true);
    expect(readHandoffs(text, { strict: true }).valid).toBe(false);
  });
});

function summarise(text: string, options: ReadOptions): string {
  const { dialect, document, valid, handoffs, diagnostics } = readHandoffs(text, options);
  const outcomes = handoffs.map(({ handoff }) => handoff?.outcome ?? "refused");
  const codes = diagnostics.map(({ code }) => code);
  const isMixed = !valid && outcomes.some((outcome) => outcome !== "refused");
  return [dialect ?? document ?? "-", ...outcomes, ...codes, ...(isMixed ? ["invalid"] : [])].join(" ");
}
