import { expect, it } from "vitest";
import { Chance } from "../../../test/hostile/mutate-text.ts";
import type { TestFigures } from "../observations.ts";
import { readReport } from "./read-report.ts";

/** A suite with tests and suites in it, or a test. */
type Tree =
  | { readonly name: string; readonly children: readonly Tree[] }
  | { readonly name: string; readonly end: End };
type End = "passed" | "failed" | "skipped";

const NAMES = ["adds", "a # b", "parses {", "}", "not ok 1 - x", "1..3", "---", "...", 'a "b" <c> & d', "ok", "é漢😀"];

it("2,000 random trees of tests give the same figures in every format that can hold them", () => {
  for (let seed = 0; seed < 2000; seed++) {
    const chance = new Chance(seed);
    const trees = Array.from({ length: 1 + chance.below(4) }, () => makeTree(chance, 0));
    const expected = figuresOf(trees);
    expect(readReport(`TAP version 14\n${tapBefore(trees, "")}`, "a.tap").tests, `seed ${seed}`).toEqual(expected);
    expect(readReport(`TAP version 13\n${tapBraces(trees, "")}`, "b.tap").tests, `seed ${seed}`).toEqual(expected);
    expect(readReport(`<testsuites>${junit(trees)}</testsuites>`, "a.xml").tests, `seed ${seed}`).toEqual(expected);
    expect(readReport(jest(trees), "a.json").tests, `seed ${seed}`).toEqual(expected);
  }
});

function makeTree(chance: Chance, depth: number): Tree {
  const name = chance.pick(NAMES);
  if (depth > 3 || chance.below(3) > 0) return { name, end: chance.pick(["passed", "failed", "skipped"]) };
  return { name, children: Array.from({ length: 1 + chance.below(4) }, () => makeTree(chance, depth + 1)) };
}

function leaves(trees: readonly Tree[]): readonly { readonly name: string; readonly end: End }[] {
  return trees.flatMap((tree) => ("end" in tree ? [tree] : leaves(tree.children)));
}

function figuresOf(trees: readonly Tree[]): TestFigures {
  const count = (end: End): number => leaves(trees).filter((leaf) => leaf.end === end).length;
  return { passed: count("passed"), failed: count("failed"), skipped: count("skipped") };
}

function line(tree: Tree, at: number): string {
  const failed = leaves([tree]).some(({ end }) => end === "failed");
  const skip = "end" in tree && tree.end === "skipped" ? " # SKIP" : "";
  return `${failed ? "not ok" : "ok"} ${at + 1} - ${tree.name.replaceAll("#", "\\#")}${skip}`;
}

/** Subtests before their test, and the plan behind. */
function tapBefore(trees: readonly Tree[], indent: string): string {
  const lines = trees.map((tree, at) => {
    const inner = "end" in tree ? "" : `${indent}# Subtest: ${tree.name}\n${tapBefore(tree.children, `${indent}    `)}`;
    return `${inner}${indent}${line(tree, at)}\n${indent}  ---\n${indent}  note: 'not ok 9'\n${indent}  ...\n`;
  });
  return `${lines.join("")}${indent}1..${trees.length}\n`;
}

/** The plan before, and subtests in braces behind their test. */
function tapBraces(trees: readonly Tree[], indent: string): string {
  const lines = trees.map((tree, at) => {
    if ("end" in tree) return `${indent}${line(tree, at)} # time=1ms\n`;
    return `${indent}${line(tree, at)} # time=1ms {\n${tapBraces(tree.children, `${indent}    `)}${indent}}\n`;
  });
  return `${indent}1..${trees.length}\n${lines.join("")}`;
}

function junit(trees: readonly Tree[]): string {
  return trees
    .map((tree) => ("end" in tree ? junitCase(tree.name, tree.end) : junitSuite(tree.name, tree.children)))
    .join("\n");
}

function junitSuite(name: string, children: readonly Tree[]): string {
  const all = leaves(children);
  const failures = all.filter(({ end }) => end === "failed").length;
  return `<testsuite name="${escaped(name)}" tests="${all.length}" failures="${failures}" errors="0">${junit(children)}</testsuite>`;
}

function junitCase(name: string, end: End): string {
  const inner = { passed: "", failed: "<failure>no</failure>", skipped: "<skipped/>" }[end];
  return `<testcase name="${escaped(name)}">${inner}</testcase>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

function jest(trees: readonly Tree[]): string {
  const { passed, failed, skipped } = figuresOf(trees);
  const assertionResults = leaves(trees).map(({ name, end }) => ({ title: name, status: end }));
  return JSON.stringify({
    numTotalTests: passed + failed + skipped,
    numPassedTests: passed,
    numFailedTests: failed,
    numPendingTests: skipped,
    success: failed === 0,
    testResults: [{ status: failed === 0 ? "passed" : "failed", assertionResults }],
  });
}
