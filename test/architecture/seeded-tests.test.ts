import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { projectRoot } from "./source-files.ts";

/** What gives another value on every run. fast-check has a seed of its own (test/seeded-fast-check.ts). */
const UNSEEDED = /\bMath\.random\b|\brandom(?:Bytes|FillSync|Int|UUID)\b|\bgetRandomValues\b/;

/** Here they are names that nothing depends on, or what is tested. */
const ALLOWED = new Set([
  // The ids of a real clock, as the command makes them.
  "test/contracts/driver.ts",
  "test/architecture/seeded-tests.test.ts",
]);

it("tests take random values from a seed, so that a failure can be repeated", () => {
  const paths = globSync(["test/**/*.{ts,mjs}", "{src,dashboard}/**/*.test.{ts,tsx}"], { cwd: projectRoot })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => !path.includes("/fixtures/"));
  const unseeded = paths.filter((path) => UNSEEDED.test(readFileSync(join(projectRoot, path), "utf8")));
  expect(paths.length).toBeGreaterThan(100);
  expect(unseeded.filter((path) => !ALLOWED.has(path))).toEqual([]);
});
