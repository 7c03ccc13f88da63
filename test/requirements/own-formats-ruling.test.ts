import { describe, expect, it } from "vitest";
import { openFormat, readHandoffs } from "../../src/index.ts";
import type { Dialect } from "../../src/index.ts";
import { DIALECTS } from "../../src/protocol/dialects/registry.ts";
import { renderSample } from "../../src/protocol/dialects/render-sample.ts";

/** A format that recognises what pipeline-json recognises, too. */
function rival(when: string): Dialect {
  const { dialect, diagnostics } = openFormat(`format: 1
name: relay-pipe
syntax: json
stands: { keys: [from_agent, status] }
${when}
fields:
  from_agent: { required: true, is: from, example: a }
  version: { type: integer, example: 2 }
  status: { required: true, is: outcome, words: { PASS: done, FAIL: failed }, example: PASS }
`);
  if (dialect === null) throw new Error(JSON.stringify(diagnostics));
  return dialect;
}

describe("ruling 42: a format of the team's own beside the five", () => {
  const { text } = renderSample(DIALECTS["pipeline-json"], { set: { status: "PASS" } });
  const withVersion = text.replace("{", '{ "version": 2,');

  it("is told where both fit and nothing decides", () => {
    const { dialect } = openFormat(
      "format: 1\nname: relay-pipe\nsyntax: json\nstands: { keys: [from_agent] }\nfields:\n  from_agent: { required: true, is: outcome, words: { a: done, b: failed } }\n",
    );
    expect(dialect).toBeNull();
  });

  it.each([
    ['when: "version == 2"', text, "pipeline-json"],
    ['when: "version == 2"', withVersion, "relay-pipe"],
  ])("%s decides", (when, given, dialect) => {
    const reading = readHandoffs(given, { formats: [rival(when)] });
    expect(reading.dialect).toBe(dialect);
    expect(reading.diagnostics.map(({ code }) => code)).not.toContain("ambiguous-format");
  });

  it("is told in a text, when the caller gives a format that nothing decides for", () => {
    const { decides: _decides, ...undecided } = rival('when: "version == 2"');
    const reading = readHandoffs(text, { formats: [undecided] });
    expect(reading.dialect).toBe("relay-pipe");
    expect(reading.diagnostics).toContainEqual(
      expect.objectContaining({ code: "ambiguous-format", severity: "warning" }),
    );
  });

  it("gives way to the agent's own dialect in a run", () => {
    const { decides: _decides, ...undecided } = rival('when: "version == 2"');
    const reading = readHandoffs(text, { formats: [undecided], prefer: "pipeline-json" });
    expect(reading).toMatchObject({ dialect: "pipeline-json", valid: true, diagnostics: [] });
  });

  it("has the diagnostics, severities and limits of the five", () => {
    const format = rival('when: "version == 2"');
    const codes = (given: string) =>
      readHandoffs(given, { formats: [format], dialect: "relay-pipe" }).diagnostics.map(
        ({ code, severity }) => `${severity} ${code}`,
      );
    expect(codes('{"from_agent": "a", "status": "DONE"}')).toEqual(["error not-allowed"]);
    expect(codes('{"from_agent": "a", "status": "PASS|FAIL"}')).toEqual(["error unfilled-template"]);
    expect(codes('{"from_agent": "", "status": "PASS"}')).toEqual(["error missing-field"]);
    expect(codes('{"from_agent": "a", "status": "PASS", "versoin": 2}')).toEqual(["warning near-miss"]);
    expect(codes('{"from_agent": "a", "status": "PASS", "__proto__": 2}')).toEqual(["error forbidden-key"]);
    expect(codes('{"from_agent": "a", "status": "PASS", "status": "FAIL"}')).toEqual(["error duplicate-key"]);
    expect(codes(`{"from_agent": "a", "status": "PASS", "x": ${"[".repeat(80)}${"]".repeat(80)}}`)).toEqual([
      "error too-deep",
    ]);
  });
});
