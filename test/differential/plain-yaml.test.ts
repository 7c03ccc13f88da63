import fc from "fast-check";
import { YAMLException } from "js-yaml";
import { describe, expect, it, vi } from "vitest";
import { DIALECTS } from "../../src/protocol/dialects/registry.ts";
import { DEFAULT_LIMITS } from "../../src/protocol/limits.ts";
import { parsePlainYaml } from "../../src/protocol/syntax/plain-yaml.ts";
import { yamlDocuments, yamlEvents } from "../../src/protocol/syntax/yaml.ts";
import { arbitraryDocument } from "../round-trip/arbitrary-document.ts";
import { differentialRuns, mutated } from "./mutations.ts";
import { handWritten, printed } from "./yaml-texts.ts";

/** The fast parser for plain YAML against js-yaml: whatever it accepts, it must read the same. */

const SIGNS = [
  ":",
  ": ",
  " ",
  "  ",
  "\n",
  "\n\n",
  "- ",
  "-",
  "? ",
  "#",
  " #",
  "'",
  '"',
  "[",
  "]",
  "{}",
  "{",
  "}",
  ",",
  "|",
  "|-\n",
  ">",
  "@",
  "&a ",
  "*a",
  "!x ",
  "%",
  "\t",
  "---\n",
  "...\n",
  "~",
  "\r",
  "\\",
  "\ufeff",
  "null",
  "true: ",
  "007",
  "a: |\n  b\n",
  "\n  ",
  "\n    ",
  "\u00a0",
];

/** As agents write: plain keys in every position, values that are nearly plain. */
const word = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom("x", "two words", "7", "007", "-1", "true", "a:b", "it's", "é", "src/a.ts:1-9"),
  },
  { weight: 1, arbitrary: fc.constantFrom("-x", "~", "a #b", "", "-", "--- x", "1e3", "None", "@x", "a: b", "x:") },
);
const noted = fc.constantFrom(
  "x # y",
  "x#y # z",
  "true # so",
  '"q" # y',
  "[a, b] # y",
  "{} # y",
  "# y",
  '"q"# y',
  "'s'  #",
);
/** Texts that go on in the next lines, mostly far enough to the right. */
const wrapped = fc
  .tuple(
    fc.constantFrom("", "", '"', "'"),
    fc.array(fc.tuple(fc.constantFrom(12, 12, 12, 8, 4, 0), word, fc.constantFrom("", "", "  ", "\n", "\\", " # c")), {
      minLength: 1,
      maxLength: 3,
    }),
    fc.constantFrom("", "", "", " # c", " x"),
  )
  .map(
    ([quote, rest, after]) =>
      `${quote}first ${rest.map(([indent, text, end]) => `\n${" ".repeat(indent)}${text}${end}`).join("")}${quote}${after}`,
  );
const { flow } = fc.letrec<{ flow: string }>((tie) => ({
  flow: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.oneof(
      word,
      word.map((text) => `"${text}"`),
      fc.constantFrom("a:", ":a", "a::b", "http://x", "{}", "[ ]", "'x'"),
    ),
    fc.array(tie("flow"), { maxLength: 3 }).map((items) => `[${items.join(", ")}]`),
    fc
      .array(
        fc.tuple(fc.constantFrom("a", "b", "c-d", "null", "7", '"q"'), fc.constantFrom(": ", ": ", ":"), tie("flow")),
        {
          maxLength: 3,
        },
      )
      .map((fields) => `{ ${fields.map((field) => field.join("")).join(", ")} }`),
  ),
}));
const value = fc.oneof(
  noted,
  flow,
  word,
  word.map((text) => `"${text}"`),
  word.map((text) => `'${text}'`),
  fc.array(word, { maxLength: 3 }).map((items) => `[${items.join(", ")}]`),
  fc.constantFrom('"a\\nb"', "'it''s'", "[]", "x  ", '["a, b", c]'),
  wrapped,
  fc.constantFrom('"\\x41"', "'it''s'", "[]", "{}", "[ ]", '["a, b", c]', "|", "|-", ">", "x  ", '"a" b'),
);
const line = fc
  .tuple(
    fc.constantFrom(0, 0, 0, 2, 2, 4, 1),
    fc.constantFrom("", "", "- ", "-   "),
    fc.constantFrom("a", "b", "c_d", "e-f", ""),
    value,
  )
  .map(([indent, dash, key, text]) => `${" ".repeat(indent)}${dash}${key === "" ? "" : `${key}: `}${text}`);
const lines = fc
  .array(fc.oneof(line, fc.constantFrom("", "# note", "  ", "a:", "  b:", "- c:", "    plain text")), { maxLength: 7 })
  .map((all) => `${all.join("\n")}\n`);

/** Records inside lists inside records, indented in every way that is right. */
function record(indent: number, depth: number): fc.Arbitrary<string> {
  const pad = " ".repeat(indent);
  const inner = depth === 0 ? fc.constant(" x") : nested(indent, depth);
  const text = fc.oneof({ weight: 2, arbitrary: value.map((inline) => ` ${inline}`) }, { weight: 1, arbitrary: inner });
  const key = fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom("a", "b", "c", "d-e", "f_1", "outcome") },
    { weight: 1, arbitrary: fc.constantFrom("null", "True", "a b", "7") },
  );
  return fc
    .uniqueArray(fc.tuple(key, text), { minLength: 1, maxLength: 4, selector: ([name]) => name })
    .map((fields) => fields.map(([name, written]) => `${pad}${name}:${written}`).join("\n"));
}

function nested(indent: number, depth: number): fc.Arbitrary<string> {
  const deeper = record(indent + 2, depth - 1);
  const item = fc.oneof(
    value,
    fc.oneof(record(indent + 4, depth - 1), record(indent + 2, depth - 1)).map((text) => text.trimStart()),
  );
  const list = fc
    .tuple(fc.constantFrom(0, 2), fc.array(item, { minLength: 1, maxLength: 3 }))
    .map(([shift, items]) => items.map((text) => `\n${" ".repeat(indent + shift)}- ${text}`).join(""));
  const literal = fc
    .tuple(
      fc.constantFrom("|", "|-", ">", ">-"),
      fc.array(fc.constantFrom("x", "two words", "z", "  y: z", "# no", "", "", "  ", "- q "), { maxLength: 5 }),
    )
    .map(
      ([sign, all]) => ` ${sign}\n${all.map((text) => (text === "" ? "" : " ".repeat(indent + 2) + text)).join("\n")}`,
    );
  return fc.oneof(
    deeper.map((text) => `\n${text}`),
    list,
    literal,
    fc.constant(""),
  );
}

const structured = fc
  .tuple(record(0, 2), fc.constantFrom("", "\n", "\n\n", "\n# end\n"))
  .map((parts) => parts.join(""));

const documents = (["phase-yaml", "task-yaml"] as const).map((name) =>
  arbitraryDocument(DIALECTS[name]).map((document) => DIALECTS[name].print(document)),
);
const texts = fc.oneof(
  handWritten,
  printed.map(({ text }) => text),
  lines,
  structured,
  structured,
  structured,
  ...documents,
);
const settings = { seed: 20261115, numRuns: differentialRuns(6000) };
vi.setConfig({ testTimeout: 60_000 + settings.numRuns * 10 });

describe("the fast parser for plain YAML", () => {
  it("reads what it accepts as js-yaml does", () => {
    let accepted = 0;
    fc.assert(
      fc.property(fc.oneof(texts, mutated(texts, SIGNS)), (text) => {
        const plain = parsePlainYaml(text, DEFAULT_LIMITS);
        if (plain === null) return;
        accepted++;
        expect([plain]).toEqual(parsed(text));
      }),
      settings,
    );
    expect(accepted).toBeGreaterThan(settings.numRuns / 10);
  });

  it("accepts the examples of the dialects", () => {
    for (const name of ["phase-yaml", "task-yaml"] as const) {
      const { example, print } = DIALECTS[name];
      expect(parsePlainYaml(print(example), DEFAULT_LIMITS)).toEqual(example);
    }
  });

  it.each([
    ["a: one\n  two  \n   three\nb: x\n", "one two three"],
    ["a: 12\n  13\n", "12 13"],
    ["a: one #1\n", "one"],
    ['a: "one\n  two \\" # three"\n', 'one two " # three'],
    ["a: 'it''s\n\u0020 so\n  '\n", "it's so "],
    ["a: x\u00a0\n", "x\u00a0"],
    ["a: { b: x y, c: [1, {d: e:f}] } # g\n", { b: "x y", c: [1, { d: "e:f" }] }],
    ["a: [src/a.ts:1, {}, []]\n", ["src/a.ts:1", {}, []]],
  ])("reads %j without js-yaml", (text, a) => {
    expect(parsePlainYaml(text, DEFAULT_LIMITS)?.["a"]).toEqual(a);
    expect(parsed(text)).toMatchObject([{ a }]);
  });

  it.each([
    "a: one\n\n  two\n",
    "a: one # c\n  two\n",
    "a: one\n  # c\n  two\n",
    "a: one\n  b: two\n",
    "a: one\n  - two\n",
    'a: "one\ntwo"\n',
    'a: "one\n\n  two"\n',
    'a: "one\\\n  two"\n',
    'a: "one\n  two" b\n',
    'a: "one\n  two\n',
    "a: [x]\n  y\n",
    "a: [x,\n  y]\n",
    "a: {b: x, b: y}\n",
    'a: {"b": x}\n',
    "a: {b: x,}\n",
    "a: {b:}\n",
    "a: {b}\n",
    "a: [b: c]\n",
    "a: {b: x]\n",
    "a: {b: x\n",
  ])("leaves %j to js-yaml", (text) => {
    expect(parsePlainYaml(text, DEFAULT_LIMITS)).toBeNull();
  });

  it("never goes deeper than the limit", () => {
    const stacked = (levels: number): string =>
      Array.from({ length: levels }, (_, level) => `${" ".repeat(level)}a:`).join("\n");
    expect(parsePlainYaml(stacked(64), DEFAULT_LIMITS)).not.toBeNull();
    expect(parsePlainYaml(stacked(65), DEFAULT_LIMITS)).toBeNull();
    const brackets = (levels: number): string => `a: ${"[".repeat(levels)}${"]".repeat(levels)}\n`;
    expect(parsePlainYaml(brackets(63), DEFAULT_LIMITS)).not.toBeNull();
    expect(parsePlainYaml(brackets(64), DEFAULT_LIMITS)).toBeNull();
  });
});

function parsed(text: string): unknown[] | string {
  try {
    return yamlDocuments(text, yamlEvents(text, DEFAULT_LIMITS));
  } catch (error) {
    if (error instanceof YAMLException) return error.reason;
    throw error;
  }
}
