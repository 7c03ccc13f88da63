import { expect, it } from "vitest";
import { addedExclusions } from "./exclusion-comments.ts";

const ADDED: readonly (readonly [check: "coverage" | "lint", line: string])[] = [
  ["coverage", "/* istanbul ignore next */"],
  ["coverage", "// v8 ignore start"],
  ["coverage", "/* c8 ignore file */"],
  ["coverage", "/* node:coverage disable */"],
  ["coverage", "value = 1  # pragma: no cover"],
  ["coverage", "// LCOV_EXCL_START"],
  ["coverage", "#[coverage(off)]"],
  ["coverage", " * @codeCoverageIgnore"],
  ["coverage", "# :nocov:"],
  ["lint", "/* biome-ignore lint: later */"],
  ["lint", "// @ts-nocheck"],
  ["lint", "import os  # noqa: F401"],
  ["lint", "x = f()  # type: ignore[arg-type]"],
  ["lint", "#![allow(dead_code)]"],
  ["lint", "//nolint:errcheck"],
  ["lint", '@SuppressWarnings("unchecked")'],
];

it.each(ADDED)("a new comment takes lines out of %s: %s", (check, line) => {
  const file = { path: "src/a", before: "one\n", now: `one\n${line}\n` };
  expect(addedExclusions(file, [check])).toHaveLength(1);
  expect(addedExclusions({ ...file, before: file.now }, [check])).toEqual([]);
  expect(addedExclusions({ ...file, before: file.now, now: "one\n" }, [check])).toEqual([]);
  const other = check === "lint" ? "coverage" : "lint";
  expect(addedExclusions(file, [other])).toEqual([]);
});

it.each(["// ignore the coverage of the network", "const ignore = v8.ignored;", "// the linter is disabled elsewhere"])(
  "plain words take nothing out of a check: %s",
  (line) => {
    expect(addedExclusions({ path: "src/a", before: null, now: line }, ["coverage", "lint"])).toEqual([]);
  },
);

it("counts comments that were there before", () => {
  const [before, now] = ["// @ts-ignore\na\n", "// @ts-ignore\na\n// @ts-ignore\nb\n// @ts-ignore\nc\n"];
  expect(addedExclusions({ path: "src/a.ts", before, now }, ["lint"])).toEqual(["src/a.ts: `@ts-ignore` (2 times)"]);
});
