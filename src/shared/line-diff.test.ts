import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diffLines } from "./line-diff.ts";

describe("diffLines", () => {
  it("shows a change with its surroundings and counts the lines", () => {
    expect(diffLines("a\nb\nc\nd\ne\nf\n", "a\nb\nC\nd\ne\nf\n")).toEqual([
      "@@ -1,5 +1,5 @@",
      " a",
      " b",
      "-c",
      "+C",
      " d",
      " e",
    ]);
  });

  it("says nothing of equal texts", () => {
    expect(diffLines("a\n", "a\n")).toEqual([]);
  });

  it("makes the one text out of the other", () => {
    const text = fc.array(fc.constantFrom("a", "b", "c", ""), { maxLength: 12 });
    fc.assert(
      fc.property(text, text, (before, after) => {
        expect(applied(before, diffLines(`${before.join("\n")}\n`, `${after.join("\n")}\n`))).toEqual(
          after.length === 0 ? [""] : after,
        );
      }),
    );
  });

  it("can be applied by patch, where there is one", ({ skip }) => {
    if (spawnSync("patch", ["--version"]).status !== 0) skip("patch is not installed");
    const folder = mkdtempSync(join(tmpdir(), "baton-diff-"));
    try {
      const file = join(folder, "text.md");
      writeFileSync(file, "a\nb\nc\nd\n");
      const patch = ["--- text.md", "+++ text.md", ...diffLines("a\nb\nc\nd\n", "a\nB\nc\nd\ne\n"), ""].join("\n");
      expect(spawnSync("patch", ["-p0"], { cwd: folder, input: patch }).status).toBe(0);
      expect(readFileSync(file, "utf8")).toBe("a\nB\nc\nd\ne\n");
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

/** The lines that a diff makes out of others. */
function applied(before: readonly string[], diff: readonly string[]): string[] {
  const old = before.length === 0 ? [""] : [...before];
  const made: string[] = [];
  let at = 0;
  for (const line of diff) {
    const start = /^@@ -(\d+)/.exec(line)?.[1];
    if (start !== undefined) while (at < Number(start) - 1) made.push(old[at++] ?? "");
    else if (line.startsWith("-")) at++;
    else {
      if (line.startsWith(" ")) at++;
      made.push(line.slice(1));
    }
  }
  return [...made, ...old.slice(at)];
}
