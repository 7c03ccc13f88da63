import type { Condition, Literal, Operand, Sign } from "../shared/condition.ts";
import { FAILURE_CLASSES } from "./event.ts";

/** What is known of the value behind a name before any run. */
interface ValueRange {
  readonly least?: number;
  readonly most?: number;
  /** The only texts it can be. */
  readonly words?: readonly string[];
}

const PERCENT: ValueRange = { least: 0, most: 100 };
const COUNT: ValueRange = { least: 0 };

const RANGES: Readonly<Record<string, ValueRange>> = {
  coverage: PERCENT,
  "measured.coverage": PERCENT,
  "measured.branches": PERCENT,
  "measured.functions": PERCENT,
  "measured.statements": PERCENT,
  "measured.passed": COUNT,
  "measured.failed": COUNT,
  "claims.confirmed": COUNT,
  "claims.refuted": COUNT,
  "claims.unverifiable": COUNT,
  "open.blocking": COUNT,
  "open.critical": COUNT,
  "open.high": COUNT,
  "open.medium": COUNT,
  "open.low": COUNT,
  "open.total": COUNT,
  retries: COUNT,
  iteration: { least: 1 },
  "run.iteration": { least: 1 },
  failure: { words: FAILURE_CLASSES },
};

/**
 * The name whose value would have to be two things at once for the condition to hold; null when the condition can hold,
 * as far as this can be seen. `known` says more of single names.
 */
export function neverHolds(condition: Condition, known: Readonly<Record<string, ValueRange>> = {}): string | null {
  const ways = waysOf(condition, false);
  if (ways === null) return null;
  let culprit: string | null = null;
  for (const way of ways) {
    const impossible = contradiction(way, { ...RANGES, ...known });
    if (impossible === null) return null;
    culprit ??= impossible;
  }
  return culprit;
}

/** One comparison that must hold: of a name with a value. */
interface Test {
  readonly name: string;
  readonly sign: Sign;
  readonly value: Literal;
}

/** More ways to hold than this are not looked through. */
const MAX_WAYS = 256;

/** All ways in which the condition, or its opposite, can hold: one of them, with each of its tests. Null: too many. */
function waysOf(condition: Condition, negated: boolean): readonly (readonly Test[])[] | null {
  switch (condition.kind) {
    case "not":
      return waysOf(condition.of, !negated);
    case "and":
    case "or": {
      const [left, right] = [waysOf(condition.left, negated), waysOf(condition.right, negated)];
      if (left === null || right === null) return null;
      const isEither = (condition.kind === "or") !== negated;
      const ways = isEither ? [...left, ...right] : left.flatMap((one) => right.map((other) => [...one, ...other]));
      return ways.length > MAX_WAYS ? null : ways;
    }
    case "in":
      return negated
        ? [condition.list.flatMap((value) => testOf(condition.left, "!=", value))]
        : condition.list.map((value) => testOf(condition.left, "==", value));
    case "value":
      return [testOf(condition.of, "==", !negated)];
    case "compare":
      return [comparison(condition, negated)];
  }
}

const OPPOSITE: Readonly<Record<Sign, Sign>> = { "==": "!=", "!=": "==", "<": ">=", "<=": ">", ">": "<=", ">=": "<" };
const MIRRORED: Readonly<Record<Sign, Sign>> = { "==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<=" };

function comparison({ left, right, sign }: Condition & { kind: "compare" }, negated: boolean): readonly Test[] {
  const meant = negated ? OPPOSITE[sign] : sign;
  if (right.kind === "literal") return testOf(left, meant, right.value);
  return left.kind === "literal" ? testOf(right, MIRRORED[meant], left.value) : [];
}

function testOf(operand: Operand, sign: Sign, value: Literal): readonly Test[] {
  return operand.kind === "name" ? [{ name: operand.name, sign, value }] : [];
}

/** The name whose tests no value passes. */
function contradiction(tests: readonly Test[], ranges: Readonly<Record<string, ValueRange>>): string | null {
  const names = new Set(tests.map(({ name }) => name));
  for (const name of names) {
    const own = tests.filter((test) => test.name === name);
    if (!isPossible(own, ranges[name] ?? {})) return name;
  }
  return null;
}

function isPossible(tests: readonly Test[], range: ValueRange): boolean {
  const [equal] = tests.filter(({ sign }) => sign === "==");
  if (equal !== undefined) return passes(equal.value, tests, range);
  if (range.words !== undefined) return range.words.some((word) => passes(word, tests, range));
  return hasRoom(tests, range);
}

function passes(value: Literal, tests: readonly Test[], { least, most, words }: ValueRange): boolean {
  if (typeof value === "number" && (value < (least ?? -Infinity) || value > (most ?? Infinity))) return false;
  if (typeof value === "string" && words !== undefined && !words.includes(value)) return false;
  return tests.every((test) => passesTest(value, test));
}

function passesTest(value: Literal, { sign, value: other }: Test): boolean {
  if (sign === "==") return value === other;
  if (sign === "!=") return value !== other;
  if (typeof value !== "number" || typeof other !== "number") return false;
  if (sign === "<") return value < other;
  if (sign === "<=") return value <= other;
  return sign === ">" ? value > other : value >= other;
}

/** Whether any number lies between the bounds. */
function hasRoom(tests: readonly Test[], { least = -Infinity, most = Infinity }: ValueRange): boolean {
  let [low, high] = [least, most];
  for (const { sign, value } of tests) {
    if (typeof value !== "number") continue;
    if (sign === ">" || sign === ">=") low = Math.max(low, value);
    if (sign === "<" || sign === "<=") high = Math.min(high, value);
  }
  if (low !== high) return low < high;
  return passes(low, tests, { least, most });
}
