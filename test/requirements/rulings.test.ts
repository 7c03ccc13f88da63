import { describe, expect, it } from "vitest";
import type { Sample } from "../../src/protocol/dialect.ts";
import { DIALECTS } from "../../src/protocol/dialects/registry.ts";
import { renderSample } from "../../src/protocol/dialects/render-sample.ts";
import type { BuiltinDialect } from "../../src/protocol/handoff.ts";
import { readHandoffs } from "../../src/protocol/read-handoff.ts";
import type { Reading, ReadOptions } from "../../src/protocol/reading.ts";

/**
 * The rulings on what the formats leave open or contradict, as far as one text can show them. Each case
 * says exactly what is told; `[]` is accepted without a word.
 */
type Case = readonly [what: string, dialect: BuiltinDialect, sample: Sample, told: readonly string[]];

const set = (changes: Extract<Sample, { set: unknown }>["set"], path?: string): Sample =>
  path === undefined ? { set: changes } : { set: changes, path };

const phase = (lines: string): string => `handoff:\n  phase: Testing\n  from: "@a"\n${lines}  status: complete\n`;
const fenced = (content: string, language = "yaml"): string => `\`\`\`${language}\n${content}\`\`\`\n`;
const metadata = JSON.stringify(DIALECTS["output-json"].example);
const full = { blocker: "No key", impact: "No test", suggested_resolution: "Ask", blocking_tasks: ["task-9"] };
const { impact: _impact, ...noImpact } = full;
const { suggested_resolution: _resolution, ...noResolution } = full;
const { blocking_tasks: _tasks, ...noTasks } = full;
const blocked = { status: "blocked", blocked_reason: "unknown", attempted: ["a"], "handoff.next_agent": null };
const phaseLayer = {
  agent: undefined,
  output_type: undefined,
  timestamp: undefined,
  feature_directory: undefined,
  skills_invoked: undefined,
  library_skills_read: undefined,
  source_files_verified: undefined,
};
const generalForm = { from: "a-agent", to: "b-agent", status: "success", data: {} };

const PIPELINE: readonly Case[] = [
  ["1: iteration missing", "pipeline-json", set({ iteration: undefined }), ["warning 000-R08 defaulted"]],
  ["1: loop_required missing", "pipeline-json", set({ loop_required: undefined }), ["warning 000-R09 defaulted"]],
  ["3: fixes asked for, going forward", "pipeline-json", set({ status: "PASS_WITH_FIXES" }), []],
  ["5: PASS with an open issue", "pipeline-json", set({ "issues.0.status": "open" }), ["warning 000-R34 inconsistent"]],
  ["6: file of an agent", "pipeline-json", set({}, "out/handoff-BackendBuilder.json"), []],
  ["6: file of an iteration", "pipeline-json", set({}, "handoff-BackendBuilder-iteration-2.json"), []],
  ["6: file of another agent", "pipeline-json", set({}, "handoff-X.json"), ["error 000-R04 inconsistent"]],
  ["6: another file name", "pipeline-json", set({}, "handoff.json"), ["warning 000-R01 wrong-file-name"]],
  ["20: choices", "pipeline-json", set({ status: "PASS | FAIL" }), ["error 000-R07 unfilled-template"]],
  ["20: a placeholder", "pipeline-json", set({ from_agent: "[agent name]" }), ["error 000-R04 unfilled-template"]],
  [
    "20: choices that look right",
    "pipeline-json",
    set({ "artifacts.0.path": "a.ts | b.ts" }),
    ["error 000-R16 unfilled-template"],
  ],
  ["26: unknown keys", "pipeline-json", set({ mood: "calm", "context.toString": ["x"], "issues.0.line": 4 }), []],
];

const ISSUE: readonly Case[] = [
  [
    "7: payload below the root",
    "issue-xml",
    set({
      data: {},
      pr_url: "https://git.example/shop/pull/84",
      review_status: "changes_requested",
      critical_count: "1",
      important_count: "1",
      suggestion_count: "2",
      blocking_issues: [issue("critical"), issue("important")],
    }),
    [],
  ],
  [
    "7: no timestamp on a described edge",
    "issue-xml",
    set({ timestamp: undefined }),
    ["warning 001-R05 missing-field"],
  ],
  ["7: no status on a described edge", "issue-xml", set({ status: undefined }), ["warning 001-R08 missing-field"]],
  ["7: no summary on a described edge", "issue-xml", set({ summary: undefined }), ["warning 001-R09 missing-field"]],
  ["7: a field of the edge itself", "issue-xml", set({ issue_number: undefined }), ["error 001-R14 missing-field"]],
  [
    "7: the envelope in data",
    "issue-xml",
    set({ issue_number: undefined, "data.issue_number": "71", summary: undefined, "data.summary": "Two issues" }),
    [],
  ],
  [
    "7: a wrong word of the envelope in data",
    "issue-xml",
    set({ status: undefined, "data.status": "done" }),
    ["error 001-R10 bad-format"],
  ],
  [
    "7: the envelope of an unknown edge in data",
    "issue-xml",
    set({ ...generalForm, status: undefined, data: { status: "success" } }),
    ["error 001-R08 missing-field"],
  ],
  ["8: ready", "issue-xml", set({ status: "ready" }), []],
  ["8: ready-for-re-review", "issue-xml", set({ status: "ready-for-re-review" }), []],
  ["8: approved", "issue-xml", set({ status: "approved" }), []],
  ["8: completed", "issue-xml", set({ status: "completed" }), []],
  ["8: merged", "issue-xml", set({ status: "merged" }), []],
  ["8: another word", "issue-xml", set({ status: "done" }), ["error 001-R08 not-allowed"]],
  [
    "9: counts beside a shorter list",
    "issue-xml",
    set({ "data.critical_count": "2" }),
    ["warning 001-R14 inconsistent"],
  ],
  ["10: an unknown edge, whole", "issue-xml", set(generalForm), []],
  [
    "10: an unknown edge without a timestamp",
    "issue-xml",
    set({ ...generalForm, timestamp: undefined }),
    ["error 001-R05 missing-field"],
  ],
  ["20: choices", "issue-xml", set({ status: "success|failure|blocked" }), ["error 001-R08 unfilled-template"]],
  ["20: a bar in prose is no template", "issue-xml", set({ summary: "Parses a | b" }), []],
  ["26: unknown elements", "issue-xml", set({ mood: "calm", toString: "x", "data.valueOf": "y" }), []],
  [
    "31: reviewer to closer is no edge",
    "issue-xml",
    set({ ...generalForm, from: "reviewer-agent", to: "closer-agent" }),
    [],
  ],
];

const PHASE: readonly Case[] = [
  ["11: null", "phase-yaml", { text: fenced(phase("  to: null\n")) }, []],
  ["11: ~", "phase-yaml", { text: fenced(phase("  to: ~\n")) }, []],
  ["11: nothing", "phase-yaml", { text: fenced(phase("  to:\n")) }, []],
  ["11: None", "phase-yaml", { text: fenced(phase("  to: None\n")) }, []],
  ["11: no key at all", "phase-yaml", { text: fenced(phase("")) }, ["error 002-R05 missing-field"]],
  [
    "13: unfenced",
    "phase-yaml",
    { text: `Done.\n\n---\n${phase("  to: None\n")}` },
    ["warning 002-R01 unfenced-block"],
  ],
  [
    "13: two blocks",
    "phase-yaml",
    { text: fenced("handoff: 1\n") + fenced(phase("  to: None\n")) },
    ["warning superseded-block"],
  ],
  ["14: unquoted @", "phase-yaml", { text: fenced(phase("  to: @b\n")) }, ["error 002-R01 syntax-error"]],
  [
    "15: a heading that ends in its verdict",
    "phase-yaml",
    { text: "## DEPLOY FAILED\n\nNo disk.\n" },
    ["info 002-R18 legacy-summary"],
  ],
  ["15: a next agent", "phase-yaml", { text: "All fine.\n\nNext Agent: @lead\n" }, ["info 002-R18 legacy-summary"]],
  ["20: choices", "phase-yaml", set({ "handoff.status": "complete | failed" }), ["error 002-R06 unfilled-template"]],
  [
    "20: choices that begin with @",
    "phase-yaml",
    set({ "handoff.to": "@agent-name | None" }),
    ["error 002-R05 unfilled-template"],
  ],
  ["26: unknown keys", "phase-yaml", set({ mood: "calm", "handoff.valueOf": [1], "handoff.on_failure.x": 1 }), []],
];

const TASK: readonly Case[] = [
  ["16: heading above the fence", "task-yaml", { text: `## Handoff\n\n${fenced("outcome: completed\n")}` }, []],
  ["16: heading inside the fence", "task-yaml", { text: fenced("## Handoff\n\noutcome: completed\n") }, []],
  ["16: no fence", "task-yaml", { text: "# Task 7: X\n\n## Handoff\n\noutcome: completed\n\n---\n\n*Done*\n" }, []],
  ["17: failed without blockers", "task-yaml", set({ outcome: "failed" }), ["error 003-R15 missing-field"]],
  ["18: gotcha without severity", "task-yaml", set({ "gotchas.0.severity": undefined }), ["warning 003-R20 defaulted"]],
  [
    "a blocker without impact",
    "task-yaml",
    set({ outcome: "blocked", blockers: [noImpact] }),
    ["warning 003-R13 missing-field"],
  ],
  [
    "blocked without a resolution",
    "task-yaml",
    set({ outcome: "blocked", blockers: [noResolution] }),
    ["warning 003-R15 missing-field"],
  ],
  [
    "failed without blocked tasks",
    "task-yaml",
    set({ outcome: "failed", blockers: [noTasks] }),
    ["warning 003-R16 missing-field"],
  ],
  ["completed with a whole blocker", "task-yaml", set({ blockers: [full] }), []],
  ["20: choices", "task-yaml", set({ outcome: "completed | partial" }), ["error 003-R02 unfilled-template"]],
  [
    "20: choices in brackets",
    "task-yaml",
    { text: "## Handoff\n\noutcome: [completed | partial]\n" },
    ["error 003-R02 unfilled-template"],
  ],
  [
    "20: a placeholder that YAML reads as a list",
    "task-yaml",
    set({ "files_created.0.path": ["path"] }),
    ["error 003-R17 unfilled-template"],
  ],
  [
    "20: a placeholder for a path",
    "task-yaml",
    set({ "dependencies_for_next.0.file": "{path}" }),
    ["error 003-R17 unfilled-template"],
  ],
  ["26: unknown keys", "task-yaml", set({ mood: "calm", hasOwnProperty: 1, "gotchas.0.seen": true }), []],
];

const OUTPUT: readonly Case[] = [
  ["21: phase layer", "output-json", set(phaseLayer), []],
  ["35: attempts without words", "output-json", set({ ...blocked, attempted: [""] }), ["error 004-R10 missing-field"]],
  ["21: metadata layer without handoff", "output-json", set({ handoff: undefined }), []],
  ["21: handoff null in the metadata layer", "output-json", set({ handoff: null }), []],
  ["21: next_agent absent", "output-json", set({ ...phaseLayer, "handoff.next_agent": undefined }), []],
  [
    "21: phase layer without handoff",
    "output-json",
    set({ ...phaseLayer, handoff: undefined }),
    ["error 004-R13 missing-field"],
  ],
  [
    "21: phase layer with a timestamp that is none",
    "output-json",
    set({ ...phaseLayer, timestamp: "noon" }),
    ["error 004-R05 bad-format"],
  ],
  ["22: blocked in the metadata layer needs no blockers", "output-json", set(blocked), []],
  [
    "22: blocked without a reason",
    "output-json",
    set({ ...blocked, blocked_reason: undefined }),
    ["error 004-R09 missing-field"],
  ],
  [
    "22: blocked with nothing attempted",
    "output-json",
    set({ ...blocked, attempted: undefined }),
    ["error 004-R10 missing-field"],
  ],
  [
    "22: blocked in the phase layer",
    "output-json",
    set({ ...phaseLayer, ...blocked }),
    ["error 004-R23 missing-field"],
  ],
  ["23: needs-review", "output-json", set({ status: "needs-review" }), ["warning 004-R08 nonstandard-value"]],
  ["23: in-progress", "output-json", set({ status: "in-progress" }), ["warning 004-R08 nonstandard-value"]],
  ["23: approved", "output-json", set({ status: "approved" }), ["warning 004-R08 nonstandard-value"]],
  [
    "23: approved with more",
    "output-json",
    set({ status: "approved_with_conditions" }),
    ["warning 004-R08 nonstandard-value"],
  ],
  [
    "24: text after the block",
    "output-json",
    { text: `${fenced(`${metadata}\n`, "json")}\nBye.\n` },
    ["warning 004-R01 text-after-block"],
  ],
  [
    "24: the last block that parses counts",
    "output-json",
    { text: fenced(`${metadata}\n`, "json") + fenced('{"agent": "x", "output_type": [...]}\n', "json") },
    ["warning 004-R01 text-after-block", "warning superseded-block"],
  ],
  [
    "places that are no list",
    "output-json",
    set({ source_files_verified: "src/a.ts:1-2" }),
    ["error 004-R03 wrong-type", "warning 004-R07 wrong-type"],
  ],
  ["a place of a wrong type", "output-json", set({ source_files_verified: [7] }), ["warning 004-R07 wrong-type"]],
  [
    "25: absolute feature_directory",
    "output-json",
    set({ feature_directory: "/home/me/x" }),
    ["warning 004-R06 bad-format"],
  ],
  [
    "25: absolute files_modified",
    "output-json",
    set({ files_modified: ["/home/me/x.ts"] }),
    ["error 004-R16 bad-format"],
  ],
  [
    "a vague summary",
    "output-json",
    set({ ...phaseLayer, summary: "Wrote some code" }),
    ["warning 004-R15 bad-format"],
  ],
  ["20: choices", "output-json", set({ status: "complete|blocked|needs_review" }), ["error 004-R08 unfilled-template"]],
  [
    "20: a template that is no JSON",
    "output-json",
    { text: fenced('{"agent": "x", "skills_invoked": [...]}\n', "json") },
    ["error 004-R02 unfilled-template"],
  ],
  [
    "26: unknown keys",
    "output-json",
    set({ verdict: "good", toString: 1, "handoff.valueOf": 2, "verification.x": 3 }),
    [],
  ],
];

describe.each([...PIPELINE, ...ISSUE, ...PHASE, ...TASK, ...OUTPUT])("ruling %s", (_what, dialect, sample, told) => {
  it(`in ${dialect}: ${told.length === 0 ? "accepted" : told.join(", ")}`, () => {
    const { text, path } = renderSample(DIALECTS[dialect], sample);
    const reading = readHandoffs(text, path === undefined ? {} : { path });
    expect(tellings(reading)).toEqual(told);
    expect(reading.dialect).toBe(dialect);
    expect(reading.valid).toBe(!told.some((telling) => telling.startsWith("error")));
  });
});

describe("ruling 26: unknown keys", () => {
  it.each(["pipeline-json", "issue-xml", "phase-yaml", "task-yaml", "output-json"] as const)(
    "are extensions of %s, under the words its author chose",
    (dialect) => {
      const sample = set(
        dialect === "phase-yaml" ? { "handoff.toString": "a", mood: "b" } : { toString: "a", mood: "b" },
      );
      const { handoffs } = readHandoffs(renderSample(DIALECTS[dialect], sample).text);
      expect(JSON.stringify(handoffs[0]?.handoff?.extensions)).toMatch(/toString.*mood|mood.*toString/);
    },
  );
});

describe("ruling 27: what could be read in two ways is refused", () => {
  const json = (inner: string): string => JSON.stringify(DIALECTS["pipeline-json"].example).replace("{", `{${inner},`);
  const xml = (inner: string): string =>
    renderSample(DIALECTS["issue-xml"], { set: generalForm }).text.replace("<data/>", inner);
  it.each<[string, string, string, ReadOptions]>([
    ["a JSON key twice", json('"status":"FAIL"'), "duplicate-key", {}],
    ["a nested JSON key twice", json('"a":{"b":1,"b":1}'), "duplicate-key", {}],
    ["a JSON key twice, once escaped", json('"st\\u0061tus":"FAIL"'), "duplicate-key", {}],
    ["a JSON key __proto__", json('"__proto__":{"status":"PASS"}'), "forbidden-key", {}],
    ["a nested JSON key constructor", json('"a":[{"constructor":1}]'), "forbidden-key", {}],
    ["a JSON key prototype", json('"prototype":1'), "forbidden-key", {}],
    ["a YAML key twice", fenced(phase("  to: None\n  to: None\n")), "duplicate-key", {}],
    ["a YAML key __proto__", fenced(phase("  to: None\n  __proto__: {a: 1}\n")), "forbidden-key", {}],
    ["a YAML key constructor", fenced(phase("  to: None\n  metrics: {constructor: 1}\n")), "forbidden-key", {}],
    ["an XML element twice", xml("<data/><to>c-agent</to>"), "duplicate-key", {}],
    ["an XML payload element twice", xml("<data><type>bug</type><type>chore</type></data>"), "duplicate-key", {}],
    [
      "an XML payload element twice, once in data",
      xml("<type>bug</type><data><type>chore</type></data>"),
      "duplicate-key",
      {},
    ],
    ["an XML metric twice", xml("<data><metrics><a>1</a><a>2</a></metrics></data>"), "duplicate-key", {}],
    ["an XML element __proto__", xml("<data/><__proto__><a>1</a></__proto__>"), "forbidden-key", {}],
    ["an XML element constructor", xml("<data><constructor>1</constructor></data>"), "forbidden-key", {}],
    ["an XML metric __proto__", xml("<data><metrics><__proto__>1</__proto__></metrics></data>"), "forbidden-key", {}],
  ])("%s", (_what, text, code, options) => {
    const reading = readHandoffs(text, options);
    expect(reading.diagnostics.map((diagnostic) => diagnostic.code)).toContain(code);
    expect(reading.valid).toBe(false);
  });

  it("keeps such a word out of what a legacy summary counts", () => {
    const { handoffs } = readHandoffs("## TESTS COMPLETE\n\nConstructor: 5 calls\nTests passed: 3\n");
    expect(Object.keys(handoffs[0]?.handoff?.metrics ?? {})).toEqual(["tests_passed"]);
  });
});

describe("ruling 28: the dialect is named from the container of a text that does not parse", () => {
  it.each<[BuiltinDialect, string, ReadOptions]>([
    ["pipeline-json", "{", { path: "handoff-X.json" }],
    ["pipeline-json", '{"from_agent": "a", ', {}],
    ["issue-xml", "<handoff><from>", {}],
    ["issue-xml", "Here it is:\n<workflow-complete><status>\n", {}],
    ["phase-yaml", fenced("handoff:\n  phase: [\n"), {}],
    ["phase-yaml", 'handoff:\n  from: "@a\n', {}],
    ["task-yaml", "## Handoff\n\nfiles_created: [\n", {}],
    ["output-json", fenced('{"agent": "a", "skills_invoked": [', "json"), {}],
  ])("%s: %j", (dialect, text, options) => {
    expect(readHandoffs(text, options)).toMatchObject({ dialect, valid: false });
  });

  it("and null when nothing was recognised", () => {
    expect(readHandoffs("Nothing here.\n")).toMatchObject({ dialect: null, valid: false });
  });
});

function issue(severity: string): Record<string, string> {
  return { "@location": "src/a.ts:1", "@severity": severity, "#text": "Wrong" };
}

function tellings(reading: Reading): string[] {
  return reading.diagnostics.map(({ severity, rule, code }) =>
    rule === null ? `${severity} ${code}` : `${severity} ${rule} ${code}`,
  );
}
