import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defineFormat, openFormat, readHandoffs } from "../../src/index.ts";
import { SPEC_FORMATS } from "../format-files/spec-formats.ts";

const START = "format: 1\nname: bad-one\nsyntax: json\nstands: { keys: [a] }\n";
const STATE = "  a: { required: true, is: outcome, words: { ok: done, no: failed } }\n";

function refused(text: string): string {
  const { dialect, diagnostics } = openFormat(text);
  expect(dialect).toBeNull();
  for (const { range, message } of diagnostics) {
    expect(range.start.line).toBeGreaterThan(0);
    expect(message).not.toBe("");
  }
  return diagnostics.map(({ code, message, hint }) => `${code}: ${message} ${hint ?? ""}`).join("\n");
}

describe("a hostile format file", () => {
  it.each([
    ["that is huge", `${START}fields:\n${STATE}  b: ${"x".repeat(300_000)}`, "too-large"],
    ["that is deep", `${START}fields:\n${STATE}  b: ${"{ a: ".repeat(60)}1${" }".repeat(60)}`, "deep"],
    [
      "with fields inside fields inside fields",
      `${START}fields:\n${STATE}  b: ${"{ fields: { a: ".repeat(12)}text${" } }".repeat(12)}`,
      "8 levels",
    ],
    [
      "with too many fields",
      `${START}fields:\n${STATE}${Array.from({ length: 600 }, (_, at) => `  f${at}: text\n`).join("")}`,
      "500 fields",
    ],
    ["with an alias bomb", `${START}a: &a [x, x]\nb: &b [*a, *a]\nfields:\n${STATE}`, "alias"],
    ["with __proto__", `${START}fields:\n${STATE}  __proto__: { type: text }`, "forbidden-key"],
    ["with constructor deep inside", `${START}fields:\n${STATE}example: { x: { constructor: 1 } }`, "forbidden-key"],
    [
      "with a pattern that backtracks for ever",
      `${START}fields:\n${STATE}  b: { pattern: '(?=(a+)+$)' }`,
      "looking ahead",
    ],
    ["with the name of one of the five", `${START.replace("bad-one", "issue-xml")}fields:\n${STATE}`, "Baton's own"],
    [
      "with the element of issue-xml",
      'format: 1\nname: bad-one\nsyntax: xml\nstands: { element: handoff }\nfields:\n  "@a": { required: true, is: outcome, words: { ok: done, no: failed } }\n',
      "issue-xml",
    ],
    [
      "that gives two fields one place",
      `${START}fields:\n${STATE}  b: { is: summary }\n  c: { is: summary }`,
      "two fields cannot have one place",
    ],
    ["that maps into the prototype", `${START}fields:\n${STATE}  b: { is: metrics.__proto__ }`, "no place"],
    ["that is no record", "- 1\n- 2\n", "record"],
    ["with a schema outside", `${START}schema: ../secret.json\nmapping: { a: from }`, "without `..`"],
    [
      "with a reference over the network",
      `${START}schema: { type: object, properties: { a: { $ref: "https://x/y" } } }\nmapping: { a: from }`,
      "leads out",
    ],
    [
      "with a reference to itself",
      `${START}schema: { type: object, properties: { a: { $ref: "#/properties/a" } } }\nmapping: { a: from }`,
      "back to itself",
    ],
    [
      "with a keyword that is not understood",
      `${START}schema: { type: object, properties: { a: { oneOf: [] } } }\nmapping: { a: from }`,
      "`oneOf` is not supported",
    ],
    ["with NUL bytes", `${START}\0`, "binary"],
  ])("%s is refused", (_, text, part) => {
    expect(refused(text)).toContain(part);
  });

  it("answers a schema whose references double each time", () => {
    const defs = Object.fromEntries(
      Array.from({ length: 7 }, (_, at) => [
        `d${at}`,
        {
          type: "object",
          properties: Object.fromEntries([..."abcdefgh"].map((key) => [key, { $ref: `#/$defs/d${at + 1}` }])),
        },
      ]),
    );
    const schema = {
      type: "object",
      properties: { a: { $ref: "#/$defs/d0" } },
      $defs: { ...defs, d7: { type: "string" } },
    };
    expect(() =>
      defineFormat({ format: 1, name: "bad-one", syntax: "json", stands: { keys: ["a"] }, schema, mapping: {} }),
    ).toThrow("This is no format.");
  });

  it("never throws, whatever is changed in it", () => {
    const texts = Object.values(SPEC_FORMATS);
    const change = fc.tuple(
      fc.constantFrom(...texts),
      fc.nat(),
      fc.nat(40),
      fc.oneof(
        fc.string({ maxLength: 20 }),
        fc.constantFrom("{", "[", "&a ", "*a", "null", "- ", ": ", "\n  ", "__proto__: 1", "'", '"'),
      ),
    );
    fc.assert(
      fc.property(change, ([text, place, length, by]) => {
        const at = place % text.length;
        const { dialect, diagnostics } = openFormat(text.slice(0, at) + by + text.slice(at + length));
        expect(dialect === null).toBe(diagnostics.some(({ severity }) => severity === "error"));
        if (dialect !== null) expect(readHandoffs("{}", { formats: [dialect] }).valid).toBe(false);
      }),
      { numRuns: 300, seed: 7 },
    );
  });
});
