import { type Shown, looksLikeFile, refuseReport, MAX_REPORT_LEVELS, withEmpty } from "./report.ts";
import type { TestCase } from "../test-cases.ts";
import type { TestFigures } from "../observations.ts";

/**
 * TAP 12 to 14, with subtests before their test (TAP 14, Node) or in braces after it (Vitest, node-tap). Only the plan
 * tells a complete report from one that was cut off, so a report without a plan is refused.
 */
export function readTap(text: string): Shown {
  const reader = new TapReader();
  let start = 0;
  while (start < text.length) {
    const found = text.indexOf("\n", start);
    reader.line(text.slice(start, found === -1 ? text.length : found).trimEnd(), found !== -1);
    start = found === -1 ? text.length : found + 1;
  }
  return { ...reader.end(), coverage: null };
}

class TapReader {
  readonly #levels = new TapLevels();
  #hasVersion = false;
  /** Indent of the open YAML block. */
  #yaml: number | null = null;

  line(line: string, isWhole: boolean): void {
    const indent = line.length - line.trimStart().length;
    const content = line.slice(indent);
    if (this.#yaml !== null) this.#yamlLine(content, indent, this.#yaml);
    else if (content === "---" && indent > (this.#levels.pointIndent ?? Infinity)) {
      this.#yaml = indent;
      this.#levels.expectNoBrace();
    } else this.#tapLine(content, indent, isWhole);
  }

  end(): Pick<Shown, "tests" | "cases"> {
    if (this.#yaml !== null) refuseReport("it was cut off inside the details of a test");
    const { cases, ...tests } = this.#levels.end();
    return { tests, cases };
  }

  #yamlLine(content: string, indent: number, opened: number): void {
    if (indent !== opened) return;
    if (content === "...") this.#yaml = null;
    else if (content === "type: 'suite'") this.#levels.setType("suite");
    else if (content === "type: 'test'") this.#levels.setType("test");
  }

  #tapLine(content: string, indent: number, isWhole: boolean): void {
    const plan = PLAN.exec(content);
    const point = plan === null ? POINT.exec(content) : null;
    if (plan !== null) this.#levels.plan(indent, Number(plan[1]));
    else if (point !== null) {
      if (!isWhole) refuseReport("it was cut off inside the line of a test");
      this.#levels.point(indent, readPoint(point));
    } else if (content === "{") this.#levels.openBrace(indent);
    else if (content === "}") this.#levels.closeBrace(indent);
    else if (content.startsWith("# Subtest")) this.#levels.expectNoBrace();
    else if (/^Bail out!/i.test(content)) refuseReport("the run was given up (Bail out!)");
    else if (indent === 0 && content.startsWith("TAP version ")) this.#version(content);
  }

  #version(content: string): void {
    if (!/^TAP version 1[234]$/.test(content)) refuseReport(`its version is not known: ${content.slice(0, 40)}`);
    if (this.#hasVersion) refuseReport("several reports stand in it one after the other");
    this.#hasVersion = true;
  }
}

const PLAN = /^1\.\.(\d{1,9})(?:\s*#.*)?$/;
const POINT = /^(not )?ok(?:\s+(\d{1,9})(?!\S))?(?=\s|$)(.*)$/;
/** An unescaped `#` and the word after it. */
const DIRECTIVE = /(?:^|[^\\])#\s*(?:skip|todo)/i;

function readPoint([, not, number, rest = ""]: RegExpExecArray): Parameters<TapLevels["point"]>[1] {
  return {
    isOk: not === undefined,
    isExcused: DIRECTIVE.test(rest),
    name: nameOf(rest),
    isFile: looksLikeFile(nameOf(rest)),
    number: number === undefined ? null : Number(number),
    mayOpenBrace: rest.endsWith(" {"),
  };
}

function nameOf(rest: string): string {
  return rest
    .replace(/^\s*-\s*/, "")
    .replace(/(?:^|\s)#\s*(?:skip|todo|time=).*$/i, "")
    .replace(/ \{$/, "")
    .trim()
    .slice(0, MAX_NAME);
}

const MAX_NAME = 300;

/** The counts of tests, and the tests themselves. */
interface Counted extends TestFigures {
  readonly cases: readonly TestCase[];
}

/** The line of a test. */
interface TapPoint {
  readonly isOk: boolean;
  /** Skipped, or expected to fail. */
  readonly isExcused: boolean;
  /** Its name is that of a file: in a report of Node, one without a test. */
  readonly isFile: boolean;
  readonly name: string;
  readonly number: number | null;
  /** Its line ends with a brace, so its subtests may follow. */
  readonly mayOpenBrace: boolean;
}

interface OpenPoint {
  readonly point: TapPoint;
  /** Counts of its subtests; null when it has none. */
  children: Counted | null;
  /** The type that Node gives: a test with subtests counts as a test, a suite does not. */
  type: "suite" | "test" | null;
  brace: "none" | "possible" | "open" | "closed";
}

/** Tests of the same indent. */
interface Level {
  readonly indent: number;
  readonly counts: { passed: number; failed: number; skipped: number; empty: number };
  readonly cases: TestCase[];
  readonly numbers: Set<number>;
  plan: number | null;
  /** The plan came before the tests. */
  isPlannedAhead: boolean;
  seen: number;
  last: OpenPoint | null;
  /** Subtests whose test has not come yet. */
  waiting: Counted | null;
}

/** Counts tests and subtests by their indent, and refuses a report whose counts are inconsistent. */
class TapLevels {
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
    if (level.plan !== null) refuseReport("it has two plans for the same tests");
    level.plan = count;
    level.isPlannedAhead = level.seen === 0;
  }

  point(indent: number, point: TapPoint): void {
    const level = this.#reach(indent);
    if (level.plan !== null && !level.isPlannedAhead)
      refuseReport("a test stands behind the plan that should be the end");
    settle(level);
    level.seen++;
    // Node numbers a file among the files, and not among the tests.
    if (point.number !== null && !point.isFile) {
      if (level.numbers.has(point.number)) refuseReport(`the test number ${point.number} stands there twice`);
      level.numbers.add(point.number);
    }
    level.last = { point, children: level.waiting, type: null, brace: point.mayOpenBrace ? "possible" : "none" };
    level.waiting = null;
  }

  /** Subtests in braces follow their test at once, so this brace was part of the name. */
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
  end(): Counted {
    this.#closeDownTo(0);
    const [root] = this.#levels;
    if (root === undefined || root.plan === null)
      return refuseReport("it has no plan (1..N): it was cut off, or is no TAP");
    if (root.last?.brace === "possible") refuseReport("it was cut off before the subtests of its last test");
    return close(root);
  }

  #top(): Level {
    return this.#levels.at(-1) ?? refuseReport("it has no level");
  }

  /** The level of this indent; closes deeper levels. */
  #reach(indent: number): Level {
    if (indent < this.#top().indent) this.#closeDownTo(indent);
    const top = this.#top();
    if (indent === top.indent) return top;
    if (this.#levels.length >= MAX_REPORT_LEVELS) refuseReport(`it is nested deeper than ${MAX_REPORT_LEVELS} levels`);
    if (top.last?.brace === "possible") top.last.brace = "open";
    const level = newLevel(indent);
    this.#levels.push(level);
    return level;
  }

  #closeDownTo(indent: number): void {
    while (this.#levels.length > 1 && this.#top().indent > indent) {
      const closed = this.#levels.pop();
      if (closed === undefined) return;
      // If the first test of a suite is a suite itself, the level between them has had no line yet.
      if (this.#top().indent < indent) this.#levels.push(newLevel(indent));
      give(this.#top(), close(closed));
    }
  }
}

const NO_TESTS: Counted = { passed: 0, failed: 0, skipped: 0, cases: [] };

function newLevel(indent: number): Level {
  return {
    indent,
    counts: { passed: 0, failed: 0, skipped: 0, empty: 0 },
    cases: [],
    numbers: new Set(),
    plan: null,
    isPlannedAhead: false,
    seen: 0,
    last: null,
    waiting: null,
  };
}

/** Adds the counts of subtests to their test: the one whose brace was closed, or the next one. */
function give(parent: Level, counts: Counted): void {
  if (parent.last?.brace === "open") refuseReport("it was cut off inside the subtests of a test");
  if (parent.last?.brace === "closed" && parent.last.children === null) parent.last.children = counts;
  else if (parent.waiting === null) parent.waiting = counts;
  else refuseReport("subtests stand there without the test they belong to");
}

function close(level: Level): Counted {
  settle(level);
  if (level.waiting !== null) refuseReport("subtests stand there without the test they belong to");
  if (level.plan === null) return refuseReport(`${level.seen} tests stand there without a plan`);
  if (level.plan !== level.seen) refuseReport(`the plan says ${level.plan} tests, ${level.seen} are there`);
  for (const number of level.numbers)
    if (number < 1 || number > level.plan)
      refuseReport(`the test number ${number} is not in the plan 1..${level.plan}`);
  return { ...withEmpty(level.counts, level.counts.empty), cases: level.cases };
}

/** Counts the last test of a level once it is complete. */
function settle(level: Level): void {
  const { last, counts } = level;
  level.last = null;
  if (last === null) return;
  if (last.children !== null) {
    counts.passed += last.children.passed;
    counts.failed += last.children.failed;
    counts.skipped += last.children.skipped;
    counts.empty += last.children.empty ?? 0;
  }
  const { name } = last.point;
  for (const one of last.children?.cases ?? [])
    level.cases.push({ ...one, name: `${name} > ${one.name}`.slice(-MAX_NAME) });
  const result = resultOf(last);
  if (result !== null) counts[result]++;
  if (result !== null && result !== "empty") level.cases.push({ group: "", name, status: result, assertions: null });
}

/** How the line itself counts: not at all when it only sums up its subtests. */
function resultOf({ point, type, children }: OpenPoint): keyof TestFigures | null {
  const result = point.isExcused ? "skipped" : point.isOk ? okOf(point, type, children) : "failed";
  if (type === "test" || (type === null && children === null)) return result;
  // A suite that failed itself, for example in its setup.
  return result === "failed" && (children?.failed ?? 0) === 0 ? "failed" : null;
}

function okOf({ isFile }: TapPoint, type: OpenPoint["type"], children: TestFigures | null): "passed" | "empty" {
  return isFile && type === "test" && children === null ? "empty" : "passed";
}
