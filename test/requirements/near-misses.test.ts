import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Diagnostic } from "../../src/protocol/diagnostic.ts";
import type { Dialect, Sample } from "../../src/protocol/dialect.ts";
import { DIALECTS } from "../../src/protocol/dialects/registry.ts";
import { renderSample } from "../../src/protocol/dialects/render-sample.ts";
import { isForbidden } from "../../src/protocol/limits.ts";
import { fixHandoffs } from "../../src/protocol/fix-handoff.ts";
import { type BuiltinDialect, handoffParts } from "../../src/protocol/handoff.ts";
import { readHandoffs } from "../../src/protocol/read-handoff.ts";
import { writeHandoff } from "../../src/protocol/write-handoff.ts";
import { editDistance } from "../../src/shared/nearest-word.ts";
import { type Known, knownFields, misspelled, renamed } from "./misspell.ts";

/** Unknown keys are welcome (ruling 26); one that is plainly a misspelled field is told, and kept all the same. */
type Changes = Extract<Sample, { set: unknown }>["set"];
type Case = readonly [what: string, dialect: BuiltinDialect, changes: Changes, told: readonly string[]];

const texts = ["No refunds yet"];
const artifact = { type: "report", path: "a.md", purpose: "x", priority: "low" };
const gotcha = { issue: "Rounding", discovered_in: "tests", mitigation: "Round once", severity: "low" };

const CASES: readonly Case[] = [
  // A field that is missing is told once, at the key that looks like it.
  [
    "a required field",
    "pipeline-json",
    { artifacts: undefined, artefacts: [artifact] },
    ["error 000-R14 missing-field at artefacts, fixed"],
  ],
  [
    "a field with a default",
    "pipeline-json",
    { iteration: undefined, iteraton: 3 },
    ["warning 000-R08 defaulted at iteraton, fixed"],
  ],
  [
    "a required field of an item",
    "pipeline-json",
    { "artifacts.0.purpose": undefined, "artifacts.0.purpos": "Total" },
    ["error 000-R17 missing-field at purpos, fixed"],
  ],
  [
    "a field that a rule demands",
    "output-json",
    { skills_invoked: undefined, skillsInvoked: [] },
    ["error 004-R03 missing-field at skillsInvoked, fixed"],
  ],
  [
    "a required attribute",
    "issue-xml",
    { "data.blocking_issues.0.@location": undefined, "data.blocking_issues.0.@locaton": "src/a.ts:4" },
    ["error 001-R14 missing-field at locaton, fixed"],
  ],
  [
    "a field that an edge demands",
    "issue-xml",
    { "data.critical_count": undefined, "data.critcal_count": "1" },
    ["error 001-R14 missing-field at <critcal_count, fixed"],
  ],
  [
    "a field that an edge wishes for",
    "issue-xml",
    { summary: undefined, sumary: "Two issues" },
    ["warning 001-R09 missing-field at <sumary, fixed"],
  ],
  [
    "a required short name, its letters swapped",
    "phase-yaml",
    { "handoff.from": undefined, "handoff.form": "@tester" },
    ["error 002-R04 missing-field at form, fixed"],
  ],
  [
    "a field that the outcome demands",
    "task-yaml",
    {
      outcome: "failed",
      blockers: undefined,
      blokers: [{ blocker: "a", impact: "b", suggested_resolution: "c", blocking_tasks: [] }],
    },
    ["error 003-R15 missing-field at blokers, fixed"],
  ],
  // A field that need not be there is only warned of.
  [
    "an optional field in another spelling",
    "pipeline-json",
    { "context.known_limitations": undefined, "context.knownLimitations": texts },
    ["warning 000-R20 near-miss at knownLimitations, fixed"],
  ],
  [
    "an optional field with two letters wrong",
    "pipeline-json",
    { "context.known_limitations": undefined, "context.known_limmitatons": texts },
    ["warning 000-R20 near-miss at known_limmitatons, fixed"],
  ],
  [
    "an optional element",
    "issue-xml",
    { workspace_pth: "/w/x-issue-71" },
    ["warning 001-R12 near-miss at <workspace_pth, fixed"],
  ],
  [
    "an optional list of elements",
    "issue-xml",
    { "data.requirments": { requirement: "Cards" } },
    ["warning 001-R11 near-miss at <requirments, fixed"],
  ],
  [
    "an optional number",
    "phase-yaml",
    { "handoff.retry_count": undefined, "handoff.retry-count": 2 },
    ["warning 002-R07 near-miss at retry-count, fixed"],
  ],
  [
    "an optional list",
    "task-yaml",
    { gotchas: undefined, gotchaz: [gotcha] },
    ["warning 003-R08 near-miss at gotchaz, fixed"],
  ],
  [
    "an optional text",
    "output-json",
    { artifacts: undefined, artefacts: texts },
    ["warning 004-R17 near-miss at artefacts, fixed"],
  ],
  // A value that the field cannot have is not renamed.
  [
    "a required field with a wrong value",
    "pipeline-json",
    { status: undefined, staus: "fine" },
    ["error 000-R07 missing-field at staus"],
  ],
  [
    "an optional field with a wrong value",
    "output-json",
    { verification: { coverage_percnt: "87%" } },
    ["warning 004-R18 near-miss at coverage_percnt"],
  ],
  [
    "two keys that look like one field",
    "output-json",
    { artifacts: undefined, artefacts: texts, artifcts: texts },
    ["warning 004-R17 near-miss at artefacts", "warning 004-R17 near-miss at artifcts"],
  ],
  [
    "an element whose text would be lost",
    "issue-xml",
    { "data.comits": { "#xml": '<comits>Two: <commit sha="f3a9">Round</commit></comits>' } },
    ["warning 001-R13 near-miss at <comits"],
  ],
  [
    "two elements of one name",
    "issue-xml",
    { "data.brnch": { "#xml": "<brnch>fix/issue-71-a</brnch><brnch>fix/issue-71-b</brnch>" } },
    ["warning 001-R12 near-miss at <brnch"],
  ],
  // Names of their own.
  ["a misspelling of a field that is there", "pipeline-json", { artefacts: [artifact] }, []],
  ["a key of an open record", "pipeline-json", { metrics: { quality_scor: 9, linesOfCode: 4 } }, []],
  ["keys of free maps", "phase-yaml", { "handoff.metrics": { retry_cont: 1 }, "handoff.context": { phas: "x" } }, []],
  ["a key inside an unknown one", "task-yaml", { report: { outcom: "completed", gotchaz: [] } }, []],
  ["one thing beside a list of them", "pipeline-json", { issues: undefined, issue: "SHOP-71" }, []],
  ["one element beside a list of them", "issue-xml", { "data.commit": "f3a9" }, []],
  ["short words that are near", "issue-xml", { "data.part": "2", "data.sort": "asc", date: "2026-03-09" }, []],
  ["words that are near", "issue-xml", { "data.lines_changed": "40", "data.comments_added": "2" }, []],
  ["an attribute beside an element", "issue-xml", { "@workspace_pth": "x" }, []],
];

function tellings(text: string, diagnostics: readonly Diagnostic[]): string[] {
  return diagnostics.map(({ severity, rule, code, range, fix }) => {
    const at = text.slice(range.start.offset, range.end.offset).replaceAll('"', "");
    return `${severity} ${rule} ${code} at ${at}${fix === null ? "" : ", fixed"}`;
  });
}

describe.each(CASES)("%s", (_what, name, changes, told) => {
  const { text } = renderSample(DIALECTS[name], { set: changes });

  it(`in ${name}: ${told.length === 0 ? "nothing is told" : told.join(", ")}`, () => {
    const reading = readHandoffs(text);
    expect(tellings(text, reading.diagnostics)).toEqual(told);
    expect(reading.valid).toBe(!told.some((telling) => telling.startsWith("error")));
  });

  it("is mended where that is safe, and nowhere else", () => {
    const { reading, text: mended } = fixHandoffs(text);
    expect(tellings(mended, reading.diagnostics)).toEqual(told.filter((telling) => !telling.endsWith("fixed")));
  });
});

describe("what is said of a near miss", () => {
  const told = (changes: Changes): Diagnostic | undefined =>
    readHandoffs(renderSample(DIALECTS["pipeline-json"], { set: changes }).text).diagnostics[0];

  it("names the field and the key, and how to mend it", () => {
    expect(told({ artifacts: undefined, artefacts: [artifact] })).toMatchObject({
      message: "`artifacts` is missing. `artefacts` looks like it.",
      hint: "Rename `artefacts` to `artifacts`.",
      fix: { title: "Rename `artefacts` to `artifacts`" },
    });
    expect(told({ "context.assumptions": undefined, "context.asumptions": ["x"] })).toMatchObject({
      message: "`context.asumptions` is no field of the format: it looks like `assumptions`, which is missing.",
      hint: "Rename `asumptions` to `assumptions`.",
    });
  });

  it("leaves it to the author where the value does not fit", () => {
    expect(told({ status: undefined, staus: "fine" })?.hint).toMatch(
      /^Rename `staus` to `status` if that is what it is\. PASS/,
    );
  });

  it("is an error when warnings are", () => {
    const { text } = renderSample(DIALECTS["output-json"], { set: { artifacts: undefined, artefacts: texts } });
    expect(readHandoffs(text, { strict: true })).toMatchObject({ valid: false, diagnostics: [{ code: "near-miss" }] });
  });
});

const COMMIT = '<commit sha="f3a9">Round once</commit>';
const error = (details: string): string =>
  `<error><type>a</type><message>b</message>${details}<recoverable>true</recoverable><suggested_action>c</suggested_action></error>`;

describe("a fix that renames", () => {
  it.each([
    ["a JSON key that is escaped", "pipeline-json", '"artif\\u0061cs"', '"artifacts"'],
    ["a YAML key in quotes", "phase-yaml", '"retrycount":2', '"retry_count":2'],
    ["a YAML key in single quotes", "phase-yaml", "'retrycount' : 2", "'retry_count' : 2"],
    ["an empty element", "issue-xml", error("<detials/>"), error("<details/>")],
    [
      "an element with spaces in its tags",
      "issue-xml",
      `<comits \n>${COMMIT}</comits >`,
      `<commits \n>${COMMIT}</commits >`,
    ],
  ] as const)("writes %s at its place", (_what, name, wrong, right) => {
    const bare: Record<string, string> = {
      "pipeline-json": JSON.stringify(DIALECTS["pipeline-json"].example).replace('"artifacts"', wrong),
      "phase-yaml": `handoff: {phase: Testing, from: "@a", to: None, status: complete, ${wrong}}\n`,
      "issue-xml": DIALECTS["issue-xml"].print(DIALECTS["issue-xml"].example).replace("<data>", `<data>${wrong}`),
    };
    const text = bare[name] ?? "";
    expect(fixHandoffs(text, { dialect: name }).text).toBe(text.replace(wrong, right));
  });

  it("that would contradict another field does not keep other repairs from being made", () => {
    const { text } = renderSample(DIALECTS["pipeline-json"], {
      set: { loop_target: undefined, loop_targt: "BackendBuilder", iteration: undefined },
    });
    const fixed = fixHandoffs(text);
    expect(fixed.applied.map(({ code }) => code)).toEqual(["defaulted"]);
    expect(fixed.reading).toMatchObject({ valid: true, diagnostics: [{ code: "near-miss" }] });
  });
});

const dialects = Object.values(DIALECTS);

describe.each(dialects)("in $name", (dialect) => {
  const { name, example, print } = dialect;
  const right = print(example);
  const read = (text: string) => readHandoffs(text, { dialect: name });

  it("any one edit of any field is told at its place, and its fix gives back the text", () => {
    const misspellings = fc
      .constantFrom(...knownFields(example, dialect))
      .chain((known) => fc.record({ known: fc.constant(known), key: misspelled(known.name) }))
      .filter(({ known, key }) => isNearOnlyTo(known, key));
    fc.assert(
      fc.property(misspellings, ({ known, key }) => {
        const text = print(renamed(example, known, key));
        const at = read(text).diagnostics.filter(({ range }) =>
          text.slice(range.start.offset, range.end.offset).includes(key.replace(/^@/, "")),
        );
        expect(at.map(({ fix }) => fix?.title)).toContain(`Rename \`${key}\` to \`${known.name}\``);
        expect(fixHandoffs(text, { dialect: name }).text).toBe(right);
      }),
      { numRuns: 300 },
    );
  });

  it("a name that is far from every field is not told, and is kept", () => {
    const known = [...new Set(allNames(dialect))];
    const ownNames = fc
      .stringMatching(/^[a-z]{4,9}(?:_[a-z]{4,9})?$/)
      .filter((key) => !isForbidden(key) && known.every((field) => editDistance(plain(key), plain(field), 3) === 3));
    fc.assert(
      fc.property(ownNames, (key) => {
        const reading = read(print({ ...example, [key]: "x" }));
        expect(reading).toMatchObject({ valid: true, diagnostics: [] });
        expect(JSON.stringify(reading.handoffs[0]?.handoff?.extensions)).toContain(key);
      }),
      { numRuns: 200 },
    );
  });

  it("a misspelled key that is not mended survives reading and writing", () => {
    const misspellings = fc
      .constantFrom(...knownFields(example, dialect))
      .chain((known) => fc.record({ known: fc.constant(known), key: misspelled(known.name) }));
    let kept = 0;
    fc.assert(
      fc.property(misspellings, ({ known, key }) => {
        const { valid, handoffs } = read(print(renamed(example, known, key)));
        const handoff = handoffs[0]?.handoff;
        if (!valid || handoff === null || handoff === undefined) return;
        kept++;
        const again = read(writeHandoff(handoff, name).text).handoffs[0]?.handoff;
        expect(again && handoffParts(again)).toEqual(handoffParts(handoff));
        expect(JSON.stringify(again)).toContain(key.replace(/^@/, ""));
      }),
      { numRuns: 200 },
    );
    expect(kept).toBeGreaterThan(5);
  });
});

function allNames({ shape }: Dialect): string[] {
  return Object.keys(shape.fields);
}

function plain(name: string): string {
  return name.replaceAll(/[@_-]/g, "");
}

/** Not as near to another field, nor a field itself. */
function isNearOnlyTo(known: Known, key: string): boolean {
  return known.siblings.every((other) => other === known.name || editDistance(plain(key), plain(other), 3) === 3);
}

describe("very many unknown keys", () => {
  it("are read as they were before: 200,000 names that have the letters of a field, and none its order", () => {
    const keys = Array.from({ length: 200_000 }, (_, index) => `${index.toString(36)}stnemeriuqer_tset`.slice(0, 30));
    const text = JSON.stringify({
      ...DIALECTS["pipeline-json"].example,
      ...Object.fromEntries(keys.map((key) => [key, 1])),
    });
    expect(readHandoffs(text).diagnostics.map(({ code }) => code)).toEqual(["too-large"]);
    const limits = { bytes: 20_000_000, nodes: 300_000 };
    expect(readHandoffs(text, { limits })).toMatchObject({ valid: true, diagnostics: [] });
  });

  it("that are all near misses are told up to a hundred, and never get a handoff refused", () => {
    const { requires_code_change: _change, ...issue } = firstIssue();
    const issues = Array.from({ length: 3000 }, (_, index) => ({
      ...issue,
      id: `I-${index}`,
      requires_code_chang: true,
    }));
    const { text } = renderSample(DIALECTS["pipeline-json"], { set: { issues } });
    const reading = readHandoffs(text);
    expect(reading.valid).toBe(true);
    expect(reading.diagnostics.map(({ code }) => code)).toEqual(["near-miss"]);
    expect(reading.diagnostics[0]?.message).toMatch(/The same in 99 more entries: lines \d/);
  });
});

function firstIssue(): Readonly<Record<string, unknown>> & { id: string } {
  const [issue] = DIALECTS["pipeline-json"].example["issues"] as { id: string }[];
  return issue ?? { id: "" };
}
