import { describe, expect, it } from "vitest";
import { readHandoffs, writeHandoff } from "../../src/index.ts";
import { changeExample } from "../../src/protocol/dialects/render-sample.ts";
import { openFormat } from "../../src/protocol/format-file/open-format.ts";
import { judgeSample } from "../../src/protocol/format-file/judge-sample.ts";
import { SPEC_FORMATS, specDialects } from "./spec-formats.ts";

const formats = specDialects();

/** Each message with its place and its hint. */
function told(text: string, path: string): string[] {
  return readHandoffs(text, { formats, path }).diagnostics.map(
    ({ message, hint, range }) => `${range.start.line}:${range.start.column} ${message} | ${hint}`,
  );
}

function toldOfFormat(text: string, schema?: object): string[] {
  const readSchema = () => (schema === undefined ? null : JSON.stringify(schema));
  return openFormat(text, { readSchema }).diagnostics.map(
    ({ message, hint, range }) => `${range.start.line}:${range.start.column} ${message} | ${hint}`,
  );
}

describe("a message about a handoff of an own format", () => {
  it("names the element that stands in a list and the one that belongs there, once", () => {
    const slip = (inner: string) =>
      `<slip by="pump-agent" state="ok">\n  <note>x</note>\n  <parts>\n    ${inner}\n  </parts>\n</slip>`;
    expect(told(slip('<prat path="a.svg">Drawing</prat>'), "a.xml")).toEqual([
      "4:5 `parts` holds <part> elements; found <prat>. | Write <part>.",
    ]);
    expect(told(slip("<item>a.svg</item>"), "a.xml")).toEqual([
      "4:5 `parts` holds <part> elements; found <item>. | Each entry of the list is one <part>. Files that were made.",
    ]);
  });

  it("points at the field that a broken condition speaks of, and says what stands there", () => {
    const note =
      '{ "relay": 2, "author": "a-b", "next": null,\n "result": { "state": "look_again", "headline": "x" } }';
    expect(told(note, "relay-1.json")).toEqual([
      '2:23 A note for nobody is finished or broken. | Here `next` is null, and `result.state` is "look_again".',
    ]);
  });

  it("tells an empty field once, although a condition demands it too", () => {
    const note =
      '{ "relay": 2, "author": "a-b", "next": "c-d",\n "result": { "state": "stuck", "headline": "x" },\n "waits_for": " " }';
    expect(told(note, "relay-1.json")).toEqual([
      "3:15 `waits_for` is empty. | What the work waits for. Required when `result.state == 'stuck'`.",
    ]);
  });

  it("shows keys in any language as they are", () => {
    const text = "## Übergabe\n\n```yaml\nschicht: a\nstand: erledigt\nbericht: b\nmängel:\n  - was: 7\n```\n";
    expect(told(text, "a.md")).toEqual([expect.stringContaining("`mängel[0].was` must be text; found number 7.")]);
  });
});

describe("a message about a format file", () => {
  const format = (lines: string) =>
    `format: 1\nname: card-note\nsyntax: json\nstands: { keys: [card] }\nfields:\n` +
    `  card: { required: true, is: outcome, words: { ok: done, ko: failed } }\n${lines}`;

  it("of a rule with an unknown field does not say that the rule asks for nothing", () => {
    expect(toldOfFormat(format("rules:\n  - { says: s, require: [zz] }\n"))).toEqual([
      "8:26 No field is called `zz`. | There are card.",
    ]);
    expect(toldOfFormat(format("rules:\n  - { says: s, require: [] }\n"))).toEqual([
      expect.stringContaining("`require` names no field."),
    ]);
  });

  it.each([
    ["a: { words: [on, true] }", '7:20 `true` is not a word: it is no text. | Put it in quotes: "true".'],
    ["a: { words: { x: 3 } }", '7:20 `3` is not what a word means: it is no text. | Put it in quotes: "3".'],
    [
      "a: { type: boolean, words: [true, false] }",
      "7:23 The words of a truth value are `true` and `false`, each with what it means. | For example: words: { true: done, false: failed }. For other words use `type: text`.",
    ],
  ])("says of words which is none, and why: %s", (line, message) => {
    expect(toldOfFormat(format(`  ${line}\n`))).toEqual([message]);
  });

  it.each(["yes", "'yes'"])("says that a truth value is compared with true or false: %s", (value) => {
    const [message = "", ...others] = toldOfFormat(
      format(`  a: { type: boolean }\nrules:\n  - { says: s, check: "a == ${value}" }\n`),
    );
    expect(others).toEqual([]);
    expect(message).toContain("`a` is compared with `true` or `false`, without quotes.");
  });

  it("of a JSON Schema points at the mapping of the field that lacks an example, and says what to write", () => {
    const schema = {
      type: "object",
      required: ["agent", "result"],
      properties: {
        agent: { type: "string" },
        result: {
          type: "object",
          required: ["state"],
          properties: { state: { enum: ["ok", "flaky", "broken"] }, text: { type: "string" } },
        },
        touched: { type: "array", items: { type: "object", properties: { file: { type: "string" } } } },
      },
    };
    const text = (SPEC_FORMATS["build-report"] ?? "").replace(/agent: \{.*\}/, "agent: from");
    const line = text.split("\n").findIndex((each) => each.startsWith("  agent:")) + 1;
    expect(toldOfFormat(text, schema)).toEqual([
      `${line}:3 The example breaks a rule of the format: \`agent\` is missing. | Write in \`mapping\`: agent: { is: from, example: ... }; or \`examples\` in the schema, or a whole \`example\`.`,
    ]);
    expect(toldOfFormat(SPEC_FORMATS["build-report"] ?? "", schema)).toEqual([]);
  });
});

describe.each(formats)("the rules of $name", (format) => {
  // A text in the place of a record is in XML a record without its attributes.
  const ids = format.rules.map(({ id }) => id).filter((id) => !/\/(?:syntax|root|trouble)$/.test(id));

  it.each(ids)("%s has a sample that is accepted and one that it refuses", (id) => {
    const { right, wrong } = format.samplesOf?.(id) ?? {};
    if (right === undefined || wrong === undefined || !("set" in right) || !("set" in wrong))
      throw new Error("no samples");
    const broken = (set: typeof right.set) =>
      judgeSample(format, changeExample(format.example, set)).findings.map(({ finding }) => finding.rule);
    expect(broken(right.set)).toEqual([]);
    expect(new Set(broken(wrong.set))).toEqual(new Set([id]));
  });
});

describe("a handoff of an own format", () => {
  const card = openFormat(`format: 1
name: card-note
syntax: json
stands: { keys: [card, by] }
fields:
  by: { required: true, is: from, example: api-agent }
  card:
    required: true
    fields:
      v: { type: integer, required: true, fill: 1, example: 3 }
      ok: { type: boolean, required: true, is: outcome, words: { true: done, false: failed }, example: true }
`).dialect!;

  it("gets back what was carried, and nothing is filled in for it", () => {
    const options = { formats: [card] };
    const text = '{ "by": "a-b", "card": { "v": 7, "ok": true } }';
    const handoff = readHandoffs(text, { ...options, path: "a.json" }).handoffs[0]!.handoff!;
    const there = writeHandoff(handoff, "task-yaml", options);
    const back = writeHandoff(readHandoffs(there.text, options).handoffs[0]!.handoff!, "card-note", options);
    expect(back.notes).toEqual([]);
    expect(back.document).toEqual({ by: "a-b", card: { v: 7, ok: true } });
  });

  it("keeps the spelling of numbers in XML", () => {
    const slip = openFormat(`format: 1
name: work-slip
syntax: xml
stands: { element: slip }
fields:
  "@by": { required: true, is: from, example: a-b }
  "@state": { required: true, is: outcome, words: { ok: done, ko: failed }, example: ok }
  covered: { type: number, is: metrics.coverage, example: 1 }
  runs: { type: list, element: run, item: { type: number } }
`).dialect!;
    const text =
      '<slip by="a-b" state="ok">\n  <covered>81.50</covered>\n  <runs>\n    <run>2.0</run>\n  </runs>\n</slip>\n';
    const options = { formats: [slip] };
    const handoff = readHandoffs(text, { ...options, path: "a.xml" }).handoffs[0]!.handoff!;
    expect(handoff.metrics).toEqual({ coverage: 81.5 });
    expect(writeHandoff(handoff, "work-slip", options).text).toBe(text);
    const there = writeHandoff(handoff, "phase-yaml", options);
    const again = readHandoffs(there.text, options).handoffs[0]!.handoff!;
    expect(writeHandoff(again, "work-slip", { ...options, carry: false }).text).toBe(text);
    const changed = { ...handoff, metrics: { coverage: 90 } };
    expect(writeHandoff(changed, "work-slip", options).text).toContain("<covered>90</covered>");
  });
});
