import { counted, listed } from "./wording.ts";

/** One test of a report. */
export interface TestCase {
  /** Its file or class; empty where the report does not tell. */
  readonly group: string;
  /** With the names of its suites. */
  readonly name: string;
  readonly status: "passed" | "failed" | "skipped";
  /** How many assertions it made; null where the runner does not tell. */
  readonly assertions: number | null;
}

/** What the reports of one gate show, test by test. */
export interface TestCases {
  readonly cases: readonly TestCase[];
  /** Files whose coverage was measured. */
  readonly covered: readonly string[];
}

/** A gate on the state before the work and on the work itself. */
export interface ComparedGate {
  readonly gate: string;
  /** Null when the gate cannot run on the state before. */
  readonly before: TestCases | null;
  /** Why it cannot. */
  readonly why: string;
  readonly now: TestCases;
  /** Files that were covered before, are not any more, and are still there. */
  readonly uncovered: readonly string[];
}

/** More of them are not compared one by one. */
export const MAX_CASES = 50_000;

interface TestChanges {
  readonly removed: readonly string[];
  readonly renamed: readonly string[];
  readonly skipped: readonly string[];
  readonly weakened: readonly string[];
  /** Tests that were not there before. */
  readonly added: number;
}

/** Compares tests by file and name. One that moved to another file, or got a similar name, is the same. */
export function compareTests(before: TestCases, now: TestCases): TestChanges {
  const present = new Map<string, TestCase[]>();
  for (const one of now.cases) put(present, keyOf(one), one);
  const changes = {
    removed: [] as string[],
    renamed: [] as string[],
    skipped: [] as string[],
    weakened: [] as string[],
  };
  const missing: TestCase[] = [];
  for (const old of before.cases) {
    const same = present.get(keyOf(old))?.shift();
    if (same === undefined) missing.push(old);
    else compareCase(old, same, changes);
  }
  const left = new Set([...present.values()].flat());
  for (const old of missing) {
    const moved = findMoved(old, left);
    if (moved === undefined) {
      if (old.status !== "skipped") changes.removed.push(inWords(old));
      continue;
    }
    left.delete(moved);
    if (moved.name !== old.name) changes.renamed.push(`${inWords(old)} is now ${moved.name}`);
    compareCase(old, moved, changes);
  }
  return { ...changes, added: [...left].filter(({ status }) => status !== "skipped").length };
}

function put(map: Map<string, TestCase[]>, key: string, value: TestCase): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [value]);
  else known.push(value);
}

function keyOf({ group, name }: TestCase): string {
  return `${group}\0${name}`;
}

function inWords({ group, name }: TestCase): string {
  return group === "" ? name : `${name} (${group})`;
}

type Found = Record<"removed" | "renamed" | "skipped" | "weakened", string[]>;

function compareCase(old: TestCase, present: TestCase, found: Found): void {
  if (old.status !== "skipped" && present.status === "skipped") found.skipped.push(inWords(present));
  else if (old.assertions !== null && present.assertions !== null && present.assertions < old.assertions)
    found.weakened.push(`${inWords(present)} makes ${present.assertions} assertions instead of ${old.assertions}`);
}

/** The same name in another file first, then the most similar name in the same file. */
function findMoved(old: TestCase, left: ReadonlySet<TestCase>): TestCase | undefined {
  let best: TestCase | undefined;
  let most = ALIKE;
  for (const one of left) {
    if (one.name === old.name) return one;
    const likeness = one.group === old.group && left.size <= MAX_COMPARED ? likenessOf(old.name, one.name) : 0;
    if (likeness >= most) [best, most] = [one, likeness];
  }
  return best;
}

const ALIKE = 0.5;
const MAX_COMPARED = 500;

/** The share of words that two names have in common. */
function likenessOf(left: string, right: string): number {
  const [one, other] = [wordsOf(left), wordsOf(right)];
  const common = [...one].filter((word) => other.has(word)).length;
  return common / Math.max(1, one.size, other.size);
}

function wordsOf(name: string): Set<string> {
  return new Set(name.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
}

/** What was done to the tests of a gate, each part a sentence; empty when they are kept. */
export function lossesInWords({ before, now, uncovered }: ComparedGate): string[] {
  if (before === null) return [];
  const { removed, skipped, weakened } = compareTests(before, now);
  return [
    ...(removed.length === 0 ? [] : [`${tests(removed.length)} not there any more: ${listed(removed)}.`]),
    ...(skipped.length === 0 ? [] : [`${tests(skipped.length)} now skipped: ${listed(skipped)}.`]),
    ...(weakened.length === 0 ? [] : [`${listed(weakened)}.`]),
    ...(uncovered.length === 0
      ? []
      : [`The coverage of ${counted(uncovered.length, "file")} is not measured any more: ${listed(uncovered)}.`]),
  ];
}

function tests(count: number): string {
  return `${counted(count, "test")} ${count === 1 ? "is" : "are"}`;
}
