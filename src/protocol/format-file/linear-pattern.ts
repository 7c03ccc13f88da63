import { ParseRefusal, type PlacedProblem, refusedParse } from "../../shared/parse-refusal.ts";

/**
 * Patterns of a format file. They are a part of ECMAScript's regular expressions and mean the same, but they are matched
 * by following all ways through the pattern at once: the time is the length of the text times the size of the pattern,
 * whatever both are. What cannot be matched so is refused by name. See docs/decisions/0026.
 */
interface LinearPattern {
  readonly source: string;
  /** Whether the pattern is found anywhere in the text, as `RegExp.test` tells. */
  matches(text: string): boolean;
}

/** A pattern, or why the text is none. */
type PatternReading =
  | { readonly pattern: LinearPattern; readonly problem: null }
  | { readonly pattern: null; readonly problem: PlacedProblem };

const MAX_PATTERN = 200;
const MAX_STATES = 300;
const MAX_REPEAT = 100;
const MAX_GROUPS = 20;
/** A longer text has no pattern of a format: such a field holds a name, a number or a place. */
const MAX_MATCHED = 4096;

export function readPattern(source: string): PatternReading {
  try {
    if (source.length > MAX_PATTERN)
      throw new ParseRefusal(MAX_PATTERN, source.length, `A pattern may have ${MAX_PATTERN} characters.`, SHORTER);
    const node = new PatternParser(source).whole();
    return { pattern: { source, matches: matcher(compile(node, source)) }, problem: null };
  } catch (error) {
    return { pattern: null, problem: refusedParse(error) };
  }
}

const SHORTER = "Ask for less: a pattern checks the form of a value, not its content.";

type CharTest = (code: number) => boolean;

type PatternNode =
  | { readonly kind: "char"; readonly test: CharTest }
  | { readonly kind: "start" | "end" }
  | { readonly kind: "sequence" | "choice"; readonly of: readonly PatternNode[] }
  | { readonly kind: "repeat"; readonly of: PatternNode; readonly least: number; readonly most: number };

/** One method per production: choice, sequence, repetition, atom, class. */
class PatternParser {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  whole(): PatternNode {
    const node = this.#choice();
    if (this.#at < this.#text.length) throw this.#refuse("`)` closes nothing.", "Write `\\)` for the character.");
    return node;
  }

  #choice(): PatternNode {
    const of = [this.#sequence()];
    while (this.#takes("|")) of.push(this.#sequence());
    return of.length === 1 && of[0] !== undefined ? of[0] : { kind: "choice", of };
  }

  #sequence(): PatternNode {
    const of: PatternNode[] = [];
    while (this.#at < this.#text.length && !"|)".includes(this.#text[this.#at] ?? "")) of.push(this.#repetition());
    return { kind: "sequence", of };
  }

  #repetition(): PatternNode {
    const start = this.#at;
    const atom = this.#atom();
    const bounds = this.#bounds();
    if (bounds === null) return atom;
    if (atom.kind === "start" || atom.kind === "end")
      throw this.#refuse("`^` and `$` cannot be repeated.", "Leave the repetition out.", start);
    this.#takes("?");
    return { kind: "repeat", of: atom, ...bounds };
  }

  #bounds(): { readonly least: number; readonly most: number } | null {
    if (this.#takes("*")) return { least: 0, most: Infinity };
    if (this.#takes("+")) return { least: 1, most: Infinity };
    if (this.#takes("?")) return { least: 0, most: 1 };
    if (this.#text[this.#at] !== "{") return null;
    const found = /^\{(\d{1,4})(,(\d{1,4})?)?\}/.exec(this.#text.slice(this.#at, this.#at + 14));
    if (found === null) throw this.#refuse("`{` begins no repetition.", "Write `{2}`, `{2,}`, `{2,5}`, or `\\{`.");
    const least = Number(found[1]);
    const most = found[2] === undefined ? least : found[3] === undefined ? Infinity : Number(found[3]);
    const largest = most === Infinity ? least : most;
    if (largest > MAX_REPEAT || most < least)
      throw this.#refuse(`A repetition counts up to ${MAX_REPEAT}, the smaller number first.`, SHORTER);
    this.#at += found[0].length;
    return { least, most };
  }

  #atom(): PatternNode {
    const sign = this.#text[this.#at] ?? "";
    if (sign === "(") return this.#group();
    if (sign === "[") return { kind: "char", test: this.#class() };
    if (sign === "\\") return { kind: "char", test: this.#escape(false) };
    if ("*+?{}]".includes(sign))
      throw this.#refuse(`\`${sign}\` stands for nothing here.`, `Write \`\\${sign}\` for the character.`);
    const code = this.#next();
    if (sign === "^" || sign === "$") return { kind: sign === "^" ? "start" : "end" };
    return { kind: "char", test: sign === "." ? isInLine : (other) => other === code };
  }

  #group(): PatternNode {
    const start = this.#at;
    this.#at++;
    if (this.#takes("?") && !this.#takes(":")) throw this.#refuse(...GROUP_REFUSAL, start);
    if (++this.#depth > MAX_GROUPS) throw this.#refuse(`Groups are nested more than ${MAX_GROUPS} deep.`, SHORTER);
    const node = this.#choice();
    this.#depth--;
    if (!this.#takes(")")) throw this.#refuse("This bracket is never closed.", "Add `)`.", start);
    return node;
  }

  #class(): CharTest {
    const start = this.#at;
    this.#at++;
    const isNegated = this.#takes("^");
    const tests: CharTest[] = [];
    while (!this.#takes("]")) {
      if (this.#at >= this.#text.length) throw this.#refuse("This bracket is never closed.", "Add `]`.", start);
      tests.push(this.#classItem());
    }
    return (code) => tests.some((test) => test(code)) !== isNegated;
  }

  #classItem(): CharTest {
    const start = this.#at;
    const first = this.#classCharacter();
    if (this.#text[this.#at] !== "-" || this.#text[this.#at + 1] === "]") return toTest(first);
    this.#at++;
    const last = this.#classCharacter();
    if (typeof first !== "number" || typeof last !== "number" || first > last)
      throw this.#refuse("This is no range.", "A range has two characters in their order, as `a-z` has.", start);
    return (code) => code >= first && code <= last;
  }

  #classCharacter(): number | CharTest {
    if (this.#text[this.#at] === "\\") {
      const before = this.#at;
      const test = this.#escape(true);
      const single = SINGLE_ESCAPES.get(this.#text.slice(before + 1, this.#at));
      return single ?? test;
    }
    return this.#next();
  }

  #escape(inClass: boolean): CharTest {
    const start = this.#at;
    const property = /^\\p\{(L|Lu|Ll|N|Nd)\}/.exec(this.#text.slice(start, start + 8));
    if (property !== null) {
      this.#at += property[0].length;
      const test = new RegExp(`^${property[0]}$`, "u");
      return (code) => test.test(String.fromCodePoint(code));
    }
    const sign = this.#text[start + 1] ?? "";
    const known = CLASS_ESCAPES.get(sign);
    const single = SINGLE_ESCAPES.get(sign);
    if (known === undefined && (single === undefined || (sign === "-" && !inClass))) {
      const [message, hint] = /\d|k/.test(sign) ? BACK_REFERENCE : [`\`\\${sign}\` is not supported.`, SUPPORTED];
      throw this.#refuse(message, hint, start, start + 2);
    }
    this.#at += 2;
    return known ?? ((code) => code === single);
  }

  #next(): number {
    const code = this.#text.codePointAt(this.#at) ?? 0;
    this.#at += code > 0xffff ? 2 : 1;
    return code;
  }

  #takes(sign: string): boolean {
    const taken = this.#text[this.#at] === sign;
    if (taken) this.#at++;
    return taken;
  }

  #refuse(message: string, hint: string, start = this.#at, end = start + 1): ParseRefusal {
    return new ParseRefusal(start, end, message, hint);
  }
}

const SUPPORTED =
  "Supported are characters, `.`, `[a-z]`, `\\d \\w \\s \\D \\W \\S \\n \\r \\t \\p{L} \\p{N}`, `( )`, `|`, `* + ? {2,5}`, `^` and `$`.";
const BACK_REFERENCE = [
  "A reference back to a group is refused: no pattern with one can be matched in linear time.",
  SUPPORTED,
] as const;
const GROUP_REFUSAL = ["Named groups and looking ahead or behind are refused.", SUPPORTED] as const;

function toTest(item: number | CharTest): CharTest {
  return typeof item === "number" ? (code) => code === item : item;
}

const isInLine: CharTest = (code) => code !== 10 && code !== 13 && code !== 0x2028 && code !== 0x2029;
const isDigit: CharTest = (code) => code >= 48 && code <= 57;
const isWordPart: CharTest = (code) =>
  isDigit(code) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code === 95;
const isWhiteSpace: CharTest = (code) => /\s/u.test(String.fromCodePoint(code));

const CLASS_ESCAPES: ReadonlyMap<string, CharTest> = new Map<string, CharTest>([
  ["d", isDigit],
  ["w", isWordPart],
  ["s", isWhiteSpace],
  ["D", (code) => !isDigit(code)],
  ["W", (code) => !isWordPart(code)],
  ["S", (code) => !isWhiteSpace(code)],
]);

/** Escapes that stand for one character. */
const SINGLE_ESCAPES: ReadonlyMap<string, number> = new Map([
  ["n", 10],
  ["r", 13],
  ["t", 9],
  ...[..."^$\\.*+?()[]{}|/-"].map((sign): [string, number] => [sign, sign.charCodeAt(0)]),
]);

/** A state waits for a character, or leads on without one. */
type PatternState =
  | { readonly kind: "char"; readonly test: CharTest; readonly next: number }
  | { readonly kind: "split"; readonly next: number; readonly other: number }
  | { readonly kind: "start" | "end"; readonly next: number }
  | { readonly kind: "found" };

interface Program {
  readonly states: readonly PatternState[];
  readonly first: number;
}

function compile(node: PatternNode, source: string): Program {
  const states: PatternState[] = [{ kind: "found" }];
  const add = (state: PatternState): number => {
    if (states.length >= MAX_STATES)
      throw new ParseRefusal(0, source.length, `The pattern has more than ${MAX_STATES} steps.`, SHORTER);
    return states.push(state) - 1;
  };
  return { states, first: addNode(node, 0, states, add) };
}

/** Adds the states of a node that leads on to `next`, and gives the first of them. */
function addNode(
  node: PatternNode,
  next: number,
  states: PatternState[],
  add: (state: PatternState) => number,
): number {
  switch (node.kind) {
    case "char":
      return add({ kind: "char", test: node.test, next });
    case "start":
    case "end":
      return add({ kind: node.kind, next });
    case "sequence":
      return node.of.reduceRight((after, part) => addNode(part, after, states, add), next);
    case "choice":
      return node.of
        .map((part) => addNode(part, next, states, add))
        .reduceRight((other, first) => add({ kind: "split", next: first, other }));
    case "repeat":
      return addRepeat(node, next, states, add);
  }
}

function addRepeat(
  { of, least, most }: Extract<PatternNode, { kind: "repeat" }>,
  next: number,
  states: PatternState[],
  add: (state: PatternState) => number,
): number {
  let first = next;
  if (most === Infinity) {
    const loop = add({ kind: "split", next, other: next });
    states[loop] = { kind: "split", next: addNode(of, loop, states, add), other: next };
    first = loop;
  } else
    for (let count = least; count < most; count++)
      first = add({ kind: "split", next: addNode(of, first, states, add), other: next });
  for (let count = 0; count < least; count++) {
    const before = states.length;
    first = addNode(of, first, states, add);
    // An empty group is the same however often it is repeated.
    if (states.length === before) break;
  }
  return first;
}

/** Follows all ways at once: a state is entered at most once for each character. */
function matcher({ states, first }: Program): (text: string) => boolean {
  return (text) => {
    if (text.length > MAX_MATCHED) return false;
    const marks = new Int32Array(states.length).fill(-1);
    let waiting: number[] = [];
    for (let at = 0; at <= text.length;) {
      // A match may begin anywhere.
      if (enter(first, at, text.length, states, marks, waiting)) return true;
      if (at === text.length) return false;
      const code = text.codePointAt(at) ?? 0;
      const after = at + (code > 0xffff ? 2 : 1);
      const reached: number[] = [];
      for (const index of waiting) {
        const state = states[index];
        if (state?.kind === "char" && state.test(code) && enter(state.next, after, text.length, states, marks, reached))
          return true;
      }
      waiting = reached;
      at = after;
    }
    return false;
  };
}

/** Adds the states that wait for a character to `waiting`; true when the end of the pattern is reached. */
function enter(
  from: number,
  at: number,
  length: number,
  states: readonly PatternState[],
  marks: Int32Array,
  waiting: number[],
): boolean {
  const open = [from];
  for (let index = open.pop(); index !== undefined; index = open.pop()) {
    const state = states[index];
    if (state === undefined || marks[index] === at) continue;
    marks[index] = at;
    if (state.kind === "found") return true;
    if (state.kind === "char") waiting.push(index);
    else if (state.kind === "split") open.push(state.other, state.next);
    else if (state.kind === "start" ? at === 0 : at === length) open.push(state.next);
  }
  return false;
}
