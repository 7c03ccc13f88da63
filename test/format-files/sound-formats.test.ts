import { describe, expect, it } from "vitest";
import { instructionsFor, jsonSchemaOf, openFormat, readHandoffs } from "../../src/index.ts";
import type { Dialect } from "../../src/index.ts";

/** A format with these fields beside the outcome. */
function format(fields: string, { syntax = "json", state = STATE, more = "" } = {}): string {
  const stands = syntax === "xml" ? "{ element: note }" : "{ keys: [note] }";
  return `format: 1\nname: small-note\nsyntax: ${syntax}\nstands: ${stands}\n${more}fields:\n  note: { example: x }\n${state}${fields}`;
}

const STATE = "  state: { required: true, is: outcome, words: { ok: done, ko: failed }, example: ok }\n";

function opened(text: string): Dialect {
  const { dialect, diagnostics } = openFormat(text);
  if (dialect === null) throw new Error(JSON.stringify(diagnostics, null, 1));
  return dialect;
}

function refusal(text: string): string {
  const { dialect, diagnostics } = openFormat(text);
  expect(dialect).toBeNull();
  return diagnostics.map(({ message, hint }) => `${message} ${hint ?? ""}`).join("\n");
}

const issues = (severity: string): string =>
  `  found: { type: list, is: findings.issues, item: { fields: { what: { is: description }, how: ${severity} } } }\n`;

describe("a place with words of its own", () => {
  it.each([
    [
      "{ is: severity, words: { blocker: crtical, small: low } }",
      "`blocker: crtical` names none of the words of `severity`. Did you mean critical",
    ],
    ["{ is: severity, words: [krytyczna, drobna] }", "critical, high, medium, low"],
    ["{ is: severity, type: integer }", "takes a text of certain words"],
    ["{ is: severity, pattern: '^S[0-9]$' }", "words"],
    ["{ is: status, words: { opened: opne } }", "Did you mean open"],
  ])("refuses %s", (severity, part) => {
    expect(refusal(format(issues(severity)))).toContain(part);
  });

  it("refuses a word without a meaning in gotchas, too", () => {
    const gotchas =
      "  traps: { type: list, is: knowledge.gotchas, item: { fields: { how: { is: severity, words: [critical, low] } } } }\n";
    expect(refusal(format(gotchas))).toContain("`critical` names none of the words of `severity`");
  });

  const read = (severity: string, given: string) =>
    readHandoffs(`{"note": "x", "state": "ok", "found": [{"what": "w", "how": "${given}"}]}`, {
      formats: [opened(format(issues(severity)))],
    });

  it.each(["{ is: severity }", "{ is: severity, words: [critical, low] }"])(
    "takes only its words from %s",
    (severity) => {
      expect(read(severity, "krytyczna")).toMatchObject({
        valid: false,
        diagnostics: [{ severity: "error", code: "not-allowed" }],
      });
      expect(read(severity, "critical")).toMatchObject({
        valid: true,
        handoffs: [{ handoff: { findings: { issues: [{ severity: "critical" }] } } }],
      });
    },
  );

  it("is the status of an issue inside of it", () => {
    expect(read("{ is: status, words: { todo: open, solved: fixed } }", "solved")).toMatchObject({
      valid: true,
      handoffs: [{ handoff: { findings: { issues: [{ status: "fixed" }] } } }],
    });
  });
});

describe("the words of a schema", () => {
  const mapped = (words: string): string =>
    `format: 1\nname: small-note\nsyntax: json\nstands: { keys: [state] }\nschema: ${JSON.stringify({
      type: "object",
      required: ["state"],
      properties: { state: { enum: ["ok", "flaky", "ko"], examples: ["ok"] }, to: { enum: ["a-team", "nobody"] } },
    })}\nmapping:\n${words}`;
  const WORDS = "  state: { is: outcome, words: { ok: done, flaky: needs-fixes, ko: failed } }\n";

  it.each([
    [
      "  state: { is: outcome, words: { ok: done, flaky: needs-fixes, ko: failed, dead: failed } }\n",
      "`dead` is no word of the schema",
    ],
    ["  state: { is: outcome, words: { ok: done, ko: failed } }\n", "The word `flaky` of the schema has no meaning"],
    [`${WORDS}  to: { is: to, none: niemand }\n`, "`niemand` is no word of the schema"],
  ])("are neither more nor fewer in %s", (words, part) => {
    expect(refusal(mapped(words))).toContain(part);
  });

  it("each have a meaning, or mean that there is none", () => {
    opened(mapped(WORDS));
    opened(mapped(`${WORDS}  to: { is: to, words: [a-team], none: nobody }\n`));
  });
});

describe("an outcome that can be absent", () => {
  const inner = (more: string): string =>
    `{ required: true, is: outcome, words: { ok: done, ko: failed }, example: ok${more} }`;

  it.each([
    ["an optional record", `  result: { fields: { state: ${inner("")} } }\n`, "`result` around it may be absent"],
    [
      "a nullable record",
      `  result: { required: true, nullable: true, fields: { state: ${inner("")} } }\n`,
      "`result` around it may be null",
    ],
    ["null", `  state: ${inner(", nullable: true")}\n`, "it may be null"],
    ["a word for none", `  state: ${inner(", none: open")}\n`, "`open` means that there is none"],
  ])("by %s is refused", (_, state, part) => {
    expect(refusal(format("", { state }))).toContain(part);
  });

  it.each([
    ["an optional record", `  result: { fields: { state: ${inner(", default: ko")} } }\n`, ""],
    [
      "a nullable record",
      `  result: { required: true, nullable: true, fields: { state: ${inner(", default: ok")} } }\n`,
      ', "result": null',
    ],
    ["null", `  state: ${inner(", nullable: true, default: ok")}\n`, ', "state": null'],
    ["a word for none", `  state: ${inner(", none: open, default: ok")}\n`, ', "state": "open"'],
  ])("by %s means its default, and that is told", (_, state, given) => {
    const reading = readHandoffs(`{"note": "x"${given}}`, { formats: [opened(format("", { state }))] });
    expect(reading).toMatchObject({
      valid: true,
      handoffs: [{ handoff: { outcome: state.includes("default: ko") ? "failed" : "done" } }],
      diagnostics: [{ code: "defaulted", severity: "warning" }],
    });
  });
});

const XML_STATE = '  "@state": { required: true, is: outcome, words: { ok: done, ko: failed }, example: ok }\n';

describe("numbers in XML", () => {
  const dialect = opened(
    format(
      "  rate: { type: number, minimum: 0, is: metrics.rate, example: 1.5 }\n  round: { type: integer, is: iteration }\n",
      { syntax: "xml", state: XML_STATE },
    ),
  );
  const read = (content: string) =>
    readHandoffs(`<note state="ok"><note>x</note>${content}</note>`, { formats: [dialect] });

  it.each([
    ["80.0", 80],
    ["81.50", 81.5],
    ["100.00", 100],
    ["1e2", 100],
    ["0.5", 0.5],
  ])("%s is one", (written, rate) => {
    const reading = read(`<rate>${written}</rate>`);
    expect(reading.diagnostics).toEqual([]);
    expect(reading.handoffs[0]?.handoff).toMatchObject({ metrics: { rate } });
  });

  it.each(["80,0", "1.2.3", "-1.0", "0x10", "1e400", "99999999999999999999.0", "Infinity", ".", "5."])(
    "%s is none",
    (written) => {
      expect(read(`<rate>${written}</rate>`).valid).toBe(false);
    },
  );

  it("are whole where the format says so", () => {
    expect(read("<round>1.5</round>").valid).toBe(false);
    expect(read("<round>2</round>").valid).toBe(true);
  });
});

describe("several handoffs of one format in one text", () => {
  it.each([
    ["xml", '<note state="ko"><note>x</note></note>\n\nAnd later:\n\n<note state="ok"><note>y</note></note>\n'],
    [
      "json",
      '```json\n{"note": "x", "state": "ko"}\n```\n\nAnd later:\n\n```json\n{"note": "y", "state": "ok"}\n```\n',
    ],
  ])("in %s: the last one counts", (syntax, text) => {
    const dialect = opened(format("", { syntax, state: syntax === "xml" ? XML_STATE : STATE }));
    const reading = readHandoffs(text, { formats: [dialect] });
    expect(reading.handoffs.map(({ handoff }) => handoff?.outcome)).toEqual(["done"]);
    expect(reading.diagnostics).toMatchObject([{ code: "superseded-block", severity: "warning" }]);
  });
});

describe("XML at a wrong place", () => {
  const dialect = opened(
    format(
      `  result: { is: checks, fields: { text: { is: command } } }
  parts: { type: list, element: part, is: work.created, item: { fields: { "@path": { is: path, example: a.ts }, "#text": { is: purpose, example: x } } } }
  inner: { fields: { steps: { type: list, element: step, is: requirements } } }
`,
      { syntax: "xml", state: XML_STATE },
    ),
  );
  const told = (content: string) =>
    readHandoffs(`<note state="ok">\n<note>x</note>\n${content}\n</note>`, { formats: [dialect] }).diagnostics.map(
      ({ severity, code, message, range }) => `${range.start.line} ${severity} ${code} ${message}`,
    );

  it.each([
    ["<result>all good</result>", "3 error wrong-type `result` has text where its elements belong"],
    ["all good", "1 error wrong-type `note` has text where its elements belong"],
    ["<parts>a.ts</parts>", "error wrong-type"],
    ['<part path="a.ts">x</part>', "3 error wrong-type `part` stands outside of `<parts>`"],
    ["<step>x</step>", "3 error wrong-type `step` stands outside of `<steps>`"],
    ['<parts><file path="a.ts">x</file></parts>', "3 error wrong-type `parts` holds <part> elements; found <file>."],
  ])("is told: %s", (content, expected) => {
    expect(told(content).join("\n")).toContain(expected);
  });

  it("is told once, and nothing is told of what stands right", () => {
    expect(told("<step>x</step>")).toHaveLength(1);
    expect(
      told('<parts><part path="a.ts">x</part></parts><inner><steps><step>x</step></steps></inner><other>y</other>'),
    ).toEqual([]);
  });

  it("has no null, so that a record that may be null is a record", () => {
    const nullable = opened(
      format("  result: { nullable: true, fields: { text: { required: true, is: summary, example: y } } }\n", {
        syntax: "xml",
        state: XML_STATE,
      }),
    );
    expect(
      readHandoffs('<note state="ok"><result><text>z</text></result></note>', { formats: [nullable] }),
    ).toMatchObject({ valid: true, handoffs: [{ handoff: { summary: "z" } }] });
  });
});

describe("what agents are told", () => {
  const dialect = opened(
    format(
      "  sure: { type: boolean, is: checks.status, words: { true: passed, false: open } }\n  found: { type: list, is: findings.issues, item: { fields: { id: { is: id, about: Its number. }, how: { is: severity, words: { blocker: critical, small: low } } } } }\n",
    ),
  );
  const told = instructionsFor("small-note", { formats: [dialect] });

  it.each([
    "`ok` (done), `ko` (failed)",
    "`blocker` (critical), `small` (low)",
    "`true` (passed), `false` (open)",
    "`id`?: Its number",
  ])("says %s", (part) => {
    expect(told).toContain(part);
  });

  it("is what is explained, too", () => {
    expect(dialect.rules.find(({ id }) => id === "small-note/state")?.says).toContain("`ok` (done), `ko` (failed)");
  });
});

describe("limits of a field", () => {
  it.each([
    ["  n: { type: integer, minimum: 5, maximum: 2 }\n", "`minimum` is above `maximum`"],
    ["  n: { type: integer, minimum: 5, fill: 2 }\n", "`fill` of `n`"],
    ["  n: { type: integer, minimum: 5, default: 2 }\n", "`default` of `n`"],
    ["  n: { type: integer, default: many }\n", "`default` of `n`"],
    ["  n: { max_length: 3, fill: four }\n", "`fill` of `n`"],
    ["  n: { format: date, default: today }\n", "`default` of `n`"],
    ["  n: { type: boolean, fill: yes-it-is }\n", "`fill` of `n`"],
    ["  l: { type: list, item: { fields: { n: { type: integer, maximum: 1, fill: 2 } } } }\n", "`fill` of `n`"],
  ])("hold for what is filled in: %s", (fields, part) => {
    expect(refusal(format(fields))).toContain(part);
  });

  it("allow what lies within", () => {
    opened(
      format(
        "  n: { type: integer, minimum: 2, maximum: 2, fill: 2, default: 2 }\n  m: { none: nobody, fill: nobody }\n",
      ),
    );
    opened(format('  "@n": { type: integer, minimum: 2, fill: 2 }\n', { syntax: "xml", state: XML_STATE }));
  });
});

describe("a closed format", () => {
  const dialect = opened(format("  r: { closed: true, fields: { x: text } }\n", { more: "closed: true\n" }));

  it("is closed for editors, too", () => {
    expect(jsonSchemaOf("small-note", [dialect])).toMatchObject({
      additionalProperties: false,
      properties: { $schema: {}, carried: {}, r: { additionalProperties: false } },
    });
    expect(jsonSchemaOf("small-note", [opened(format(""))])).toMatchObject({ additionalProperties: true });
  });

  it.each([
    ['"$schema": "note.schema.json"', true],
    ['"other": 1', false],
    ['"r": {"$schema": "x"}', false],
  ])("takes %s: %s", (more, valid) => {
    expect(readHandoffs(`{"note": "x", "state": "ok", ${more}}`, { formats: [dialect] }).valid).toBe(valid);
  });
});
