import type { TestFigures } from "../sightings.ts";
import { MOST_REPORT_LEVELS, refuse } from "./report.ts";

/** The line of a test. */
export interface TapPoint {
  readonly isOk: boolean;
  /** Skipped, or known not to work yet. */
  readonly isExcused: boolean;
  readonly number: number | null;
  /** Its line ends with a brace: its subtests may follow. */
  readonly mayOpenBrace: boolean;
}

interface OpenPoint {
  readonly point: TapPoint;
  /** Counts of its subtests; null when it has none. */
  children: TestFigures | null;
  /** What Node says of it: a test with subtests is a test too, a suite is none. */
  type: "suite" | "test" | null;
  brace: "none" | "possible" | "open" | "closed";
}

/** Tests of the same indent. */
interface Level {
  readonly indent: number;
  readonly counts: { passed: number; failed: number; skipped: number };
  readonly numbers: Set<number>;
  plan: number | null;
  /** The plan stood before the tests. */
  isPlannedAhead: boolean;
  seen: number;
  last: OpenPoint | null;
  /** Subtests that wait for the line of their test. */
  waiting: TestFigures | null;
}

/** Keeps count of tests and subtests by their indent, and refuses what does not add up. */
export class TapLevels {
  readonly #levels: Level[] = [newLevel(0)];

  /** Indent of the last test; null before the first one. */
  get pointIndent(): number | null {
    const top = this.#top();
    return top.last === null ? null : top.indent;
  }

  setType(type: "suite" | "test"): void {
    const { last } = this.#top();
    if (last !== null) last.type = type;
  }

  plan(indent: number, count: number): void {
    const level = this.#reach(indent);
    if (level.plan !== null) refuse("it has two plans for the same tests");
    level.plan = count;
    level.isPlannedAhead = level.seen === 0;
  }

  point(indent: number, point: TapPoint): void {
    const level = this.#reach(indent);
    if (level.plan !== null && !level.isPlannedAhead) refuse("a test stands behind the plan that should be the end");
    settle(level);
    level.seen++;
    if (point.number !== null) {
      if (level.numbers.has(point.number)) refuse(`the test number ${point.number} stands there twice`);
      level.numbers.add(point.number);
    }
    level.last = { point, children: level.waiting, type: null, brace: point.mayOpenBrace ? "possible" : "none" };
    level.waiting = null;
  }

  /** Subtests in braces follow their test at once: this brace belonged to the name. */
  expectNoBrace(): void {
    const { last } = this.#top();
    if (last?.brace === "possible") last.brace = "none";
  }

  openBrace(indent: number): void {
    const top = this.#top();
    if (top.indent === indent && top.last?.brace === "none") top.last.brace = "possible";
  }

  closeBrace(indent: number): void {
    const owner = this.#levels.find((level) => level.indent === indent);
    const last = owner?.last;
    if (owner === undefined || !last || (last.brace !== "open" && last.brace !== "possible")) return;
    last.brace = "closed";
    this.#closeDownTo(indent);
    last.children ??= NO_TESTS;
  }

  /** The counts of the whole report. */
  end(): TestFigures {
    this.#closeDownTo(0);
    const [root] = this.#levels;
    if (root === undefined || root.plan === null) return refuse("it has no plan (1..N): it was cut off, or is no TAP");
    if (root.last?.brace === "possible") refuse("it was cut off before the subtests of its last test");
    return close(root);
  }

  #top(): Level {
    return this.#levels.at(-1) ?? refuse("it has no level");
  }

  /** The level of this indent, the deeper ones closed. */
  #reach(indent: number): Level {
    if (indent < this.#top().indent) this.#closeDownTo(indent);
    const top = this.#top();
    if (indent === top.indent) return top;
    if (this.#levels.length >= MOST_REPORT_LEVELS) refuse(`it is nested deeper than ${MOST_REPORT_LEVELS} levels`);
    if (top.last?.brace === "possible") top.last.brace = "open";
    const level = newLevel(indent);
    this.#levels.push(level);
    return level;
  }

  #closeDownTo(indent: number): void {
    while (this.#levels.length > 1 && this.#top().indent > indent) {
      const closed = this.#levels.pop();
      if (closed === undefined) return;
      // Where the first test of a suite is a suite itself, the level between has had no line yet.
      if (this.#top().indent < indent) this.#levels.push(newLevel(indent));
      give(this.#top(), close(closed));
    }
  }
}

const NO_TESTS: TestFigures = { passed: 0, failed: 0, skipped: 0 };

function newLevel(indent: number): Level {
  return {
    indent,
    counts: { passed: 0, failed: 0, skipped: 0 },
    numbers: new Set(),
    plan: null,
    isPlannedAhead: false,
    seen: 0,
    last: null,
    waiting: null,
  };
}

/** Hands the counts of subtests to the test they belong to: the one whose brace was closed, or the next one. */
function give(parent: Level, counts: TestFigures): void {
  if (parent.last?.brace === "open") refuse("it was cut off inside the subtests of a test");
  if (parent.last?.brace === "closed" && parent.last.children === null) parent.last.children = counts;
  else if (parent.waiting === null) parent.waiting = counts;
  else refuse("subtests stand there without the test they belong to");
}

function close(level: Level): TestFigures {
  settle(level);
  if (level.waiting !== null) refuse("subtests stand there without the test they belong to");
  if (level.plan === null) return refuse(`${level.seen} tests stand there without a plan`);
  if (level.plan !== level.seen) refuse(`the plan says ${level.plan} tests, ${level.seen} are there`);
  for (const number of level.numbers)
    if (number < 1 || number > level.plan) refuse(`the test number ${number} is not in the plan 1..${level.plan}`);
  return level.counts;
}

/** Counts the last test of a level, once all is known of it. */
function settle(level: Level): void {
  const { last, counts } = level;
  level.last = null;
  if (last === null) return;
  if (last.children !== null) {
    counts.passed += last.children.passed;
    counts.failed += last.children.failed;
    counts.skipped += last.children.skipped;
  }
  const result = resultOf(last);
  if (result !== null) counts[result]++;
}

/** What the line itself counts for: nothing when it only sums up its subtests. */
function resultOf({ point, type, children }: OpenPoint): keyof TestFigures | null {
  const result = point.isExcused ? "skipped" : point.isOk ? "passed" : "failed";
  if (type === "test" || (type === null && children === null)) return result;
  // A suite that failed by itself, in its setup say.
  return result === "failed" && (children?.failed ?? 0) === 0 ? "failed" : null;
}
