import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { projectRoot, readSourceFiles } from "./source-files.ts";

/** The entries of the build: the library, the command, and the programs that the command starts. */
const entries = [...readFileSync(join(projectRoot, "scripts/build.mjs"), "utf8").matchAll(/\bsrc\/[\w/-]+\.ts\b/g)].map(
  ([path]) => path,
);

it("every file of src that is not a test is part of what is built: what only tests use stands in test/", () => {
  const files = new Map(readSourceFiles().map((file) => [file.path, file.imports]));
  const reached = new Set<string>();
  const waiting = [...entries];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (reached.has(path)) continue;
    reached.add(path);
    for (const target of files.get(path) ?? []) if (target.path !== null) waiting.push(target.path);
  }
  expect(entries).toContain("src/index.ts");
  expect(entries.filter((path) => !files.has(path))).toEqual([]);
  expect([...files.keys()].filter((path) => !path.endsWith(".test.ts") && !reached.has(path))).toEqual([]);
});
