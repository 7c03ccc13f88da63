import { type JsonValue, isRecord } from "../../shared/json-value.ts";
import { type TestClaim, standsAt } from "../claim.ts";
import { countOf, freeMap } from "./free-maps.ts";

const FAULTS = "(?:errors?|issues?|vulnerabilit(?:y|ies)|warnings?|problems?|findings?|failures?|failed)";
const PASSED = new RegExp(
  "^(?:[\\u2705\\u2713\\u2714]|(?:all |fully )?(?:(?:tests?|checks?) )?" +
    "(?:pass(?:ed|es|ing)?|ok(?:ay)?|success(?:ful(?:ly)?)?|succeed(?:s|ed)|clean|green|true|yes|done|completed?|" +
    `installed|verified|ready|running|healthy|valid|approved|(?:no|0|zero) ${FAULTS})(?![\\w-]| rate| ?[:=] ?(?:false|no|0)\\b)|` +
    // `Errors: 0`
    `(?:tests? )?(?:${FAULTS}|failing)(?: tests?)? ?[:=] ?(?:0|none|zero)(?![\\w.]))`,
  "i",
);
const FAILED = new RegExp(
  "^(?:[\\u274c\\u2717\\u2718]|(?:tests? )?(?:fail(?:ed|s|ing|ures?)?|errors?|broken|red|false|no$|rejected|" +
    `not (?:ok|passing|passed|clean|verified|ready|installed)|[1-9]\\d* ${FAULTS})(?![\\w-]| (?:fixed|resolved|positives?)\\b))`,
  "i",
);
const SOME_FAILED =
  /\b[1-9]\d* (?:tests? )?(?:fail|error)|\b(?:fail[a-z]*|errors?)(?: tests?)? ?[:=] ?[1-9]|\bwith (?:errors|failures)\b/i;

/** Whether a result says that the check passed; null when its words do not say. */
export function readVerdict(value: JsonValue): boolean | null {
  if (typeof value === "boolean") return value;
  if (isRecord(value)) return readVerdict(value["status"] ?? value["passed"] ?? value["result"] ?? null);
  if (typeof value !== "string") return null;
  const words = value
    .trim()
    .replaceAll(/[_\s]+/g, " ")
    .slice(0, 200);
  if (PASSED.test(words)) return SOME_FAILED.test(words) ? null : true;
  if (FAILED.test(words)) return false;
  const ratio = readRatio(words);
  return ratio === null ? null : ratio.part === (ratio.isOfFailed ? 0 : ratio.whole);
}

interface Ratio {
  readonly part: number;
  readonly whole: number;
  /** `3/25 failed` */
  readonly isOfFailed: boolean;
}

function readRatio(words: string): Ratio | null {
  const found = /(?<![\d./]|\d,)(\d{1,9}) ?(?:\/|of|out of) ?(\d{1,9})(?![\d./]|,\d)( (?:tests? )?fail)?/i.exec(words);
  if (found === null) return null;
  return { part: Number(found[1]), whole: Number(found[2]), isOfFailed: found[3] !== undefined };
}

export interface TestFigure extends TestClaim {
  readonly skipped: number | null;
}

export const NO_TESTS: TestFigure = { passed: null, failed: null, total: null, skipped: null, allPassed: null };

/** `25/25`, `passed (156/156)`, `24 passed, 1 failed`, `all tests pass`, true, or a record of numbers. */
export function readTests(value: JsonValue): TestFigure {
  if (typeof value === "boolean") return { ...NO_TESTS, allPassed: value };
  if (isRecord(value)) return readTestRecord(value);
  if (typeof value !== "string") return { ...NO_TESTS, total: countOf(value) };
  const words = value
    .trim()
    .replaceAll(/[_\s]+/g, " ")
    .slice(0, 200);
  const ratio = readRatio(words);
  if (ratio !== null && (ratio.isOfFailed || FAILED.test(words)))
    return { ...NO_TESTS, failed: ratio.part, total: ratio.whole };
  if (ratio !== null) return { ...NO_TESTS, passed: ratio.part, total: ratio.whole };
  const passed = numberBeside(words, "pass");
  const failed = numberBeside(words, "fail");
  if (passed === null && failed === null) return { ...NO_TESTS, total: countOf(value), allPassed: readVerdict(value) };
  return { ...NO_TESTS, passed, failed, skipped: numberBeside(words, "skip") };
}

/** `Failed: 1` or `1 failed`. A number with signs in it, `1,234`, is not read. */
function numberBeside(words: string, word: string): number | null {
  const after = new RegExp(`\\b${word}[a-z]*(?: tests?)? ?[:=] ?(\\d{1,9})(?![\\d%/]|[.,]\\d)`, "i").exec(words);
  const found = after ?? new RegExp(`(?<![\\d.]|\\d,)(\\d{1,9}) (?:tests? )?${word}`, "i").exec(words);
  return found === null ? null : Number(found[1]);
}

function readTestRecord(record: Readonly<Record<string, JsonValue | undefined>>): TestFigure {
  const found: Record<keyof TestFigure, number | null> = {
    passed: null,
    failed: null,
    total: null,
    skipped: null,
    allPassed: null,
  };
  for (const { name, value } of freeMap(standsAt([]), { ...record }).values) {
    const part = TEST_PARTS.get(name);
    if (part !== undefined) found[part] ??= countOf(value);
  }
  return { ...found, allPassed: null };
}

const TEST_PARTS: ReadonlyMap<string, "passed" | "failed" | "total" | "skipped"> = new Map([
  ["passed", "passed"],
  ["pass", "passed"],
  ["passing", "passed"],
  ["failed", "failed"],
  ["fail", "failed"],
  ["failing", "failed"],
  ["failures", "failed"],
  ["total", "total"],
  ["count", "total"],
  ["skipped", "skipped"],
]);

/** Reads a percentage such as `96%` or `"96.5 %"`, but not `User workflows: 90%`. */
export function readPercent(value: JsonValue): number | null {
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  const found = typeof value === "string" ? /^(\d{1,9}(?:\.\d{1,9})?) ?%?$/.exec(value.trim()) : null;
  return found === null ? null : Number(found[1]);
}
