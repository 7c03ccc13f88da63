import { describe, expect, it } from "vitest";
import { type Handoff, type ReadOptions, readHandoffs, writeHandoff } from "../../src/index.ts";
import { openFormat } from "../../src/protocol/format-file/open-format.ts";
import type { DescribedDialect } from "../../src/protocol/format-file/described-dialect.ts";

const BILL = `format: 1
name: cargo-bill
syntax: xml
stands: { element: bill }
fields:
  "@no": { type: integer, required: true, minimum: 1, fill: 1, example: 7, about: Number of the bill. }
  "@sealed": { type: boolean, required: true, is: outcome, words: { true: done, false: failed }, example: true, about: Whether it is sealed. }
  "@origin": { is: from, example: dock-agent, about: Who sends. }
  remark: { required: true, is: summary, fill: No remark., example: Stacked., about: What was done. }
  crates:
    type: list
    element: crate
    is: work.modified
    item:
      fields:
        "@path": { required: true, is: path, format: relative-path, about: Path. }
        "#text": { is: description, about: What changed. }
  damages:
    type: list
    element: damage
    is: findings.issues
    item:
      fields:
        "@grade": { required: true, is: severity, words: { A: critical, B: high, C: low }, about: How bad. }
        "#text": { required: true, is: description, about: What is broken. }
`;

function dialectFrom(text: string): DescribedDialect {
  const { dialect, diagnostics } = openFormat(text);
  if (dialect === null) throw new Error(JSON.stringify(diagnostics));
  return dialect;
}

const formats = [dialectFrom(BILL)];
const closed = [dialectFrom(`${BILL}closed: true\n`)];
const bill = '<bill no="7" sealed="true">\n  <remark>Stacked.</remark>\n</bill>\n';

function read(text: string, more: ReadOptions = {}) {
  return readHandoffs(text, { formats, path: "a.xml", ...more });
}

/** Each diagnostic with its place, its severity and its hint. */
function told(text: string, more: ReadOptions = {}): string[] {
  return read(text, more).diagnostics.map(
    ({ severity, message, hint, range }) =>
      `${range.start.line}:${range.start.column} ${severity} ${message} | ${hint}`,
  );
}

describe("an optional text of an element", () => {
  const withCrate = (crate: string) => bill.replace("</bill>", `  <crates>${crate}</crates>\n</bill>`);

  it.each(['<crate path="a.txt"/>', '<crate path="a.txt"></crate>', '<crate path="a.txt"> </crate>'])(
    "is left out when it is empty: %s",
    (crate) => {
      const { diagnostics, handoffs } = read(withCrate(crate));
      expect(diagnostics).toEqual([]);
      expect(handoffs[0]?.handoff?.work).toEqual({ modified: [{ path: "a.txt" }] });
    },
  );

  it("is written and read back where the handoff has none", () => {
    const handoff: Handoff = {
      dialect: "pipeline-json",
      outcome: "done",
      from: "a-b",
      work: { modified: [{ path: "a.txt" }] },
    };
    const { text } = writeHandoff(handoff, "cargo-bill", { formats });
    expect(text).toContain('<crate path="a.txt"/>');
    expect(read(text)).toMatchObject({ valid: true, diagnostics: [] });
  });

  it("is missed where it is required", () => {
    const damaged = bill.replace("</bill>", '  <damages><damage grade="A"/></damages>\n</bill>');
    expect(told(damaged)).toEqual(["3:12 error `damages[0].#text` is empty. | What is broken."]);
  });
});

describe("an .xml file of an own format", () => {
  it.each([
    ["two roots", `${bill}${bill}`, "4:1 error An XML file has one root element; another one begins here."],
    [
      "another root after it",
      `${bill}<note/>\n`,
      "4:1 error An XML file has one root element; another one begins here.",
    ],
    [
      "another root before it",
      `<note/>\n${bill}`,
      "2:1 error An XML file has one root element; another one begins here.",
    ],
    ["prose before it", `I am done.\n\n${bill}`, "1:1 error This .xml file has text outside of its root element."],
    ["prose after it", `${bill}That is all.\n`, "4:1 error This .xml file has text outside of its root element."],
    [
      "a fence around it",
      `\`\`\`xml\n${bill}\`\`\`\n`,
      "1:1 error This .xml file has text outside of its root element.",
    ],
  ])("is refused with %s", (_what, text, first) => {
    const reading = read(text);
    expect(reading).toMatchObject({ dialect: "cargo-bill", valid: false });
    expect(reading.handoffs.map(({ handoff }) => handoff)).toEqual([null]);
    expect(told(text)).toContainEqual(expect.stringContaining(first));
  });

  it.each([
    [
      "a declaration, a comment and an instruction",
      `\uFEFF<?xml version="1.0"?>\n<!-- a > b -->\n<?x y?>\n${bill}<!-- end -->\n`,
    ],
    ["another element around it", `<all>\n${bill}</all>\n`],
  ])("may have %s", (_what, text) => {
    expect(read(text)).toMatchObject({ valid: true, diagnostics: [] });
  });

  it("is no matter in the answer of an agent", () => {
    expect(read(`I am done.\n\n${bill}`, { path: "a.md" })).toMatchObject({ valid: true, diagnostics: [] });
  });

  it("tells a namespace on the root, which the format does not know", () => {
    const text = bill.replace("<bill ", '<bill xmlns="urn:x" ');
    expect(read(text).valid).toBe(true);
    expect(told(text)).toEqual([expect.stringMatching(/^1:\d+ warning `@xmlns` is no field of the format/)]);
    expect(told(text, { formats: closed })).toEqual([
      expect.stringMatching(/^1:\d+ error `@xmlns` is no field of the format/),
    ]);
  });
});

describe("a wrong word in an own format", () => {
  const graded = (grade: string) =>
    bill.replace("</bill>", `  <damages><damage grade="${grade}">Cracked</damage></damages>\n</bill>`);

  it("is repaired where a truth value is written in another case, and else its words are listed with their meaning", () => {
    const [shouted] = read(bill.replace('"true"', '"FALSE"')).diagnostics;
    expect(shouted).toMatchObject({ hint: "Did you mean false?", fix: { edits: [{ text: "false" }] } });
    expect(told(bill.replace('"true"', '"no"'))).toEqual([
      '1:22 error `@sealed` must be one of true, false; found "no". | Whether it is sealed. One of `true` (done), `false` (failed).',
    ]);
  });

  it("is not taken for another word of one letter", () => {
    expect(told(graded("Z"))).toEqual([
      '3:27 error `damages[0].@grade` must be one of A, B, C; found "Z". | How bad. One of `A` (critical), `B` (high), `C` (low).',
    ]);
    expect(read(graded("b")).diagnostics).toMatchObject([{ hint: "Did you mean B?", fix: { title: "Write B" } }]);
  });
});

describe("an attribute that is written as an element", () => {
  it("is told as such", () => {
    const text = bill.replace(' no="7"', "").replace("  <remark>", "  <no>7</no>\n  <remark>");
    expect(told(text)).toEqual([
      '1:1 error `@no` is missing. | Here it is the element <no>: write it as an attribute, no="...".',
    ]);
  });

  it("is suggested where another attribute is near", () => {
    expect(told(bill.replace("sealed=", "seald="))).toEqual([
      "1:14 error `@sealed` is missing. `@seald` looks like it. | Rename `@seald` to `@sealed`.",
    ]);
  });
});
