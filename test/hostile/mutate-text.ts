import { type JsonRecord, type JsonValue, isRecord } from "../../src/shared/json-value.ts";

/** Numbers that look random and are the same on every run. */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = Math.imul(seed + 1, 0x9e3779b1) >>> 0;
  }

  /** A whole number from 0 to below `limit`. */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % Math.max(1, limit);
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)] as T;
  }
}

const CHARACTERS = [
  ..."{}[]()<>\"'`~:,;.-_+*/\\|&#@!?%=$^ \t\n\r09aZé漢",
  "\0",
  "\u0007",
  "\u00a0",
  "\u0085",
  "\u2028",
  "\ud83d",
  "\udc00",
  "\ufeff",
  "\ufffd",
  "😀",
];

const SNIPPETS = [
  ["```", "~~~", "```yaml\n", "```json\n", "---\n", "...\n", "## Handoff\n", "# Task 1: a\n", "\r\n", "\n\n", "    "],
  ["handoff:\n", "HANDOFF:\n", "outcome: completed\n", '"from_agent": "a"', "<handoff>", "</handoff>", "<handoff/>"],
  [
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "<?a?>",
    "<!DOCTYPE a>",
    "&amp;",
    "&lt",
    "&x;",
    "&#0;",
    "&#x110000;",
    "<a b='c'/>",
  ],
  [
    "&a ",
    "*a",
    "!!str ",
    "!!binary ",
    "!x ",
    "<<: ",
    "? ",
    "- ",
    "|\n",
    ">-\n",
    "@a",
    "%YAML 1.2\n",
    "#c\n",
    "[a, b",
    "{a: b",
  ],
  ["null", "true", "007", "1e999", "-0", "0x1F", "12345678901234567890", "9007199254740993", "1.50", "~", "yes", "NaN"],
  [
    '"__proto__": 1,',
    "__proto__: 1\n",
    "<__proto__/>",
    '"constructor": {},',
    '"toString": 1,',
    "constructor: 1\n",
    "<toString>1</toString>",
  ],
  [
    "[X]",
    "{{name}}",
    "<name>",
    "a|b",
    '"a" | "b"',
    "[...]",
    "...",
    "// c\n",
    "/* c */",
    ",",
    ",,",
    "\\u0000",
    "\\ud800",
    "\\",
    "\\x",
  ],
  [
    "COMPLETE",
    "# DONE COMPLETE\n",
    "**Next Agent:** @b\n",
    "blocked",
    "PASS",
    "complete",
    "2026-02-30T00:00:00Z",
    "/etc/passwd",
    "../a",
  ],
  [
    '"carried": {"final": true}',
    "carried: {outcome: done}\n",
    "<carried>{}</carried>",
    '"status": "PASS",',
    "status: complete\n",
  ],
].flat();

type Mutation = (text: string, chance: Chance, other: string) => string;

const MUTATIONS: readonly Mutation[] = [
  (text, chance) => replaceAt(text, chance, 1, ""),
  (text, chance) => replaceAt(text, chance, 0, chance.pick(CHARACTERS)),
  (text, chance) => replaceAt(text, chance, 1, chance.pick(CHARACTERS)),
  (text, chance) => replaceAt(text, chance, 0, chance.pick(SNIPPETS)),
  (text, chance) => replaceAt(text, chance, chance.below(30), chance.pick(SNIPPETS)),
  (text, chance) => replaceAt(text, chance, chance.below(60), ""),
  (text, chance) => text.slice(0, chance.below(text.length)),
  (text, chance) => text.slice(chance.below(text.length)),
  (text, chance, other) => text.slice(0, chance.below(text.length)) + other.slice(chance.below(other.length)),
  (text, chance, other) => replaceAt(text, chance, 0, piece(other, chance)),
  (text, chance) => replaceAt(text, chance, 0, piece(text, chance)),
  (text, chance) => changeBytes(text, chance),
  (text, chance) => changeLines(text, chance, () => []),
  (text, chance) => changeLines(text, chance, (line) => [line, line]),
  (text, chance) => changeLines(text, chance, (line) => [` ${line}`]),
  (text, chance) => changeLines(text, chance, (line) => [line.replace(/^ {1,2}/, "")]),
  (text, chance) => changeLines(text, chance, (line) => [chance.pick(SNIPPETS), line]),
  (text, chance) => swapLines(text, chance),
  (text, chance) => changeToken(text, chance, /"[^"\n]*"/g, () => `"${chance.pick(SNIPPETS)}"`),
  (text, chance) => changeToken(text, chance, /"[^"\n]*"/g, () => chance.pick(["null", "7", "[]", "{}", "true", '""'])),
  (text, chance) =>
    changeToken(text, chance, /[A-Za-z_]+/g, () => chance.pick(["x", "status", "handoff", "outcome", "from"])),
  (text, chance) =>
    changeToken(text, chance, /[A-Za-z_]+/g, (word) =>
      chance.below(2) === 0 ? word.toUpperCase() : word.toLowerCase(),
    ),
  (text, chance) =>
    changeToken(text, chance, /\d+/g, () => chance.pick(["-1", "0", "007", "1.5", "99999999999999999999", "1e5"])),
  (text, chance) =>
    changeToken(text, chance, /<\/?[\w-]+>?/g, () => chance.pick(["", "<a>", "</a>", "<a", "<from>", "</handoff>"])),
  (text, chance) => changeToken(text, chance, /\n/g, () => chance.pick(["\r\n", "\r", "\n\n", " "])),
];

/** The text with one to four changes; the other text lends pieces. */
export function mutate(text: string, other: string, chance: Chance): string {
  let changed = text;
  for (let count = chance.pick([1, 1, 1, 1, 2, 2, 3, 4]); count > 0; count--)
    changed = chance.pick(MUTATIONS)(changed, chance, other);
  return changed;
}

const TEXT_VALUES: readonly string[] = [
  [
    "",
    "x",
    "[X]",
    "a | b",
    "None",
    "blocked",
    "COMPLETE",
    "@a",
    "../up",
    "/etc/passwd",
    "src/a.ts:0",
    "<handoff>",
    "]]>",
  ],
  [
    "```",
    "a\nb",
    " a ",
    "\u0001",
    "\ud800",
    "\ufffd",
    "007",
    "null",
    "true",
    "2026-02-30T00:00:00Z",
    "a: b",
    "# a",
    "- a",
  ],
].flat();

const OTHER_VALUES: readonly JsonValue[] = [
  0,
  -1,
  1.5,
  1e21,
  2 ** 60,
  true,
  false,
  null,
  [],
  {},
  ["a"],
  [1],
  [{}],
  { a: 1 },
  { "#text": "a" },
];
const VALUES: readonly JsonValue[] = [...TEXT_VALUES, ...OTHER_VALUES];

/** A document with one to three of its values taken away, changed, doubled or moved, at any depth. */
export function mutateDocument(document: JsonRecord, chance: Chance): JsonRecord {
  const changed = structuredClone(document);
  for (let count = 1 + chance.below(3); count > 0; count--) mutateRecord(changed, chance);
  return changed;
}

function mutateRecord(record: JsonRecord, chance: Chance): void {
  const key = chance.pick(Object.keys(record));
  const value = record[key];
  if (key === undefined) record["x"] = structuredClone(chance.pick(VALUES));
  else if (isRecord(value) && chance.below(4) > 0) mutateRecord(value, chance);
  else if (Array.isArray(value) && value.length > 0 && chance.below(4) > 0) mutateList(value, chance);
  else if (chance.below(3) === 0) delete record[key];
  else if (chance.below(6) === 0) record[chance.pick(["x", "toString", "status", "carried", "a b", "é"])] = value;
  else record[key] = structuredClone(chance.pick(VALUES));
}

function mutateList(list: JsonValue[], chance: Chance): void {
  const at = chance.below(list.length);
  const item = list[at] ?? null;
  if (isRecord(item) && chance.below(4) > 0) mutateRecord(item, chance);
  else if (chance.below(2) === 0) list.push(structuredClone(item));
  else list[at] = structuredClone(chance.pick(VALUES));
}

function replaceAt(text: string, chance: Chance, length: number, by: string): string {
  const at = chance.below(text.length + 1);
  return text.slice(0, at) + by + text.slice(at + length);
}

function piece(text: string, chance: Chance): string {
  const start = chance.below(text.length);
  return text.slice(start, start + chance.below(200));
}

/** A byte of the encoded text is another one, whatever character it belongs to. */
function changeBytes(text: string, chance: Chance): string {
  const bytes = Buffer.from(text, "utf8");
  if (bytes.length === 0) return text;
  bytes[chance.below(bytes.length)] = chance.below(256);
  return bytes.toString("utf8");
}

function changeLines(text: string, chance: Chance, change: (line: string) => string[]): string {
  const lines = text.split("\n");
  const at = chance.below(lines.length);
  return [...lines.slice(0, at), ...change(lines[at] ?? ""), ...lines.slice(at + 1)].join("\n");
}

function swapLines(text: string, chance: Chance): string {
  const lines = text.split("\n");
  const left = chance.below(lines.length);
  const right = chance.below(lines.length);
  [lines[left], lines[right]] = [lines[right] ?? "", lines[left] ?? ""];
  return lines.join("\n");
}

function changeToken(text: string, chance: Chance, pattern: RegExp, change: (token: string) => string): string {
  const tokens = [...text.matchAll(pattern)];
  if (tokens.length === 0) return text;
  const token = chance.pick(tokens);
  return text.slice(0, token.index) + change(token[0]) + text.slice(token.index + token[0].length);
}
