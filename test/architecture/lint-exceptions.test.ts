import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { projectRoot } from "./source-files.ts";

it("every exception to a lint rule names the rule and says why", () => {
  const paths = globSync(
    ["src/**/*.ts", "dashboard/**/*.{ts,tsx}", "test/**/*.ts", "bench/**/*.ts", "proofs/*.ts", "scripts/*"],
    {
      cwd: projectRoot,
    },
  );
  const unexplained = paths.flatMap((path) =>
    readFileSync(join(projectRoot, path), "utf8")
      .split("\n")
      .filter((line) => /\b(?:ox|es)lint-disable/.test(line) && !isExplained(line))
      .map((line) => `${path}: ${line.trim()}`),
  );
  expect(paths.length).toBeGreaterThan(0);
  expect(unexplained.filter((line) => !line.startsWith("test/architecture/lint-exceptions.test.ts"))).toEqual([]);
});

it.each([
  ["// oxlint-disable-next-line complexity -- one branch per production of the grammar", true],
  ["// oxlint-disable-next-line complexity", false],
  ["/* oxlint-disable */", false],
])("%s: %s", (line, explained) => {
  expect(isExplained(line)).toBe(explained);
});

function isExplained(line: string): boolean {
  return /oxlint-disable(?:-next-line|-line)? [\w@/, -]+? -- \S+/.test(line);
}
