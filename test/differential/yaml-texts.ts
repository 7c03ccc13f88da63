import fc from "fast-check";
import { dump } from "js-yaml";
import { stringify } from "yaml";
import type { JsonValue } from "../../src/shared/json-value.ts";

/** Generated YAML: printed by three printers, written by hand in the ways agents write, and both with slips. */

const PLAIN = [
  "x",
  "two words",
  "task-15.3",
  "2026-03-09T14:05:00Z",
  "2026-03-09",
  "007",
  "7",
  "-7",
  "+7",
  "0",
  "-0",
  "15.10",
  "15.3",
  "1e3",
  "1E21",
  ".5",
  "5.",
  "0x1F",
  "0o17",
  "0b11",
  "1_000",
  "12345678901234567890",
  "9007199254740993",
  ".inf",
  "-.INF",
  ".nan",
  "true",
  "True",
  "FALSE",
  "yes",
  "off",
  "null",
  "Null",
  "~",
  "None",
  "a:b",
  "http://x.example/#y",
  "it's",
  'say "hi"',
  "a#b",
  "é ü",
  "-x",
  "?x",
  ":x",
  "%x",
  "x,y",
  "=",
  "<<",
  "14:05:00",
];

const word = fc.constantFrom(...PLAIN);
const text = fc.oneof(
  word,
  fc.string({ maxLength: 12 }),
  fc.constantFrom(
    "",
    " ",
    "a\nb",
    "a\n\nb\n",
    "\ttab",
    "#x",
    "@agent",
    "- a",
    "k: v",
    "\u0085",
    "\u2028",
    "\u0007",
    "\ud83d\ude00",
  ),
);

/** Words that are one scalar in every place, also inside brackets. */
const quiet = fc.constantFrom(
  "x",
  "two words",
  "007",
  "7",
  "15.10",
  "1e3",
  "true",
  "~",
  "null",
  "'it''s'",
  '"a\\tb"',
  '"@agent"',
  "''",
  '""',
  "é",
);
const key = fc.constantFrom(
  "a",
  "b",
  "phase",
  "from",
  "to",
  "long-key",
  "'q k'",
  '"e\\u0041"',
  "é",
  "1",
  "01",
  "true",
  "null",
  "two words",
);

const jsonValues: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    text,
    fc.constantFrom<JsonValue>(null, true, false, 0, 7, -1.5, 1e21, 1e-7, 15.3),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.oneof(fc.constantFrom("a", "b", "é", "k v", "7", "007", "true", "~", ""), text), tie("value"), {
      maxKeys: 3,
    }),
  ),
})).value;

/** A value and a text that a printer made of it. */
export const printed: fc.Arbitrary<{ value: JsonValue; text: string }> = fc
  .tuple(jsonValues, fc.integer({ min: 0, max: 7 }))
  .map(([value, printer]) => ({ value, text: print(value, printer) }));

function print(value: JsonValue, printer: number): string {
  switch (printer) {
    case 0:
      return JSON.stringify(value);
    case 1:
      return JSON.stringify(value, null, 2);
    case 2:
      return dump(value);
    case 3:
      return dump(value, { lineWidth: -1, quoteStyle: "double" });
    case 4:
      return dump(value, { flowLevel: 1, forceQuotes: true });
    case 5:
      return dump(value, { indent: 4, lineWidth: 20 });
    case 6:
      return stringify(value);
    default:
      return stringify(value, { lineWidth: 20, defaultStringType: "QUOTE_SINGLE", indent: 3 });
  }
}

type Lines = readonly string[];

/** Documents written by hand: block style with comments, block scalars and brackets. */
export const handWritten: fc.Arbitrary<string> = fc
  .letrec<{ node: Lines; record: Lines; list: Lines; flow: string }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 3, depthSize: "small" },
      word.map((plain) => [plain]),
      quiet.map((scalar) => [scalar]),
      fc.constant([""]),
      blockScalar(),
      tie("flow").map((flow) => [flow]),
      tie("record"),
      tie("list"),
    ),
    record: fc
      .array(fc.tuple(key, tie("node"), comment()), { minLength: 1, maxLength: 4 })
      .map((fields) => ["", ...fields.flatMap(([name, node, note]) => attach(`${name}:`, node, note))]),
    list: fc
      .array(fc.tuple(tie("node"), comment()), { minLength: 1, maxLength: 4 })
      .map((items) => ["", ...items.flatMap(([node, note]) => attach("-", node, note))]),
    flow: fc.oneof(
      { maxDepth: 2, depthSize: "small" },
      fc.array(fc.oneof(quiet, tie("flow")), { maxLength: 3 }).map((items) => `[${items.join(", ")}]`),
      fc
        .array(fc.tuple(key, fc.oneof(quiet, tie("flow"))), { maxLength: 3 })
        .map((fields) => `{${fields.map(([name, value]) => `${name}: ${value}`).join(", ")}}`),
    ),
  }))
  .record.map((lines) => `${lines.slice(1).join("\n")}\n`);

function comment(): fc.Arbitrary<string> {
  return fc.constantFrom("", "", "", " # note", " #");
}

/** `|` and `>` with every mark; a line that is more indented is kept so. */
function blockScalar(): fc.Arbitrary<Lines> {
  const line = fc.constantFrom("one", "  two", "# no comment", "", "key: value", "- item", "end \\");
  return fc
    .tuple(fc.constantFrom("|", ">", "|-", ">-", "|+", ">+"), fc.array(line, { maxLength: 4 }))
    .map(([mark, lines]) => [mark, "first", ...lines]);
}

/** Puts a node behind its key or dash: its first line on the same line, the others below and indented. */
function attach(head: string, node: Lines, note: string): string[] {
  const [first = "", ...rest] = node;
  const isBlock = /^[|>]/.test(first);
  const opening = first === "" ? head : `${head} ${first}`;
  return [
    opening + (isBlock || first !== "" || rest.length > 0 ? note : ""),
    ...rest.map((line) => (line === "" ? "" : `  ${line}`)),
  ];
}
