import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { baton, projectRoot } from "../cli/run-baton.ts";

/** A block that shows a command and what it prints; `…` stands for what was left out. */
interface Shown {
  readonly line: string;
  readonly output: string;
}

describe("what the README shows of a command", () => {
  const shown = shownIn("README.md");

  it("is there", () => {
    expect(shown.map(({ line }) => line)).toContain("baton validate examples/broken/retry-summary.md");
  });

  it.each(shown)("$line prints it", async ({ line, output }) => {
    const run = await baton(line.split(" ").slice(1));
    expect(run.stderr).toBe("");
    expect(run.stdout).toMatch(patternOf(output));
  });
});

/** Only commands that print the same each time: what runs agents (`node examples/...`) has times in it. */
function shownIn(document: string): Shown[] {
  const text = readFileSync(join(projectRoot, document), "utf8");
  return [...text.matchAll(/^```console\n\$ (?:npx )?(baton .+)\n([^]*?)^```$/gm)].map(
    ([, line = "", output = ""]) => ({
      line,
      output,
    }),
  );
}

/** A line of its own stands for lines, inside of a line for a part of it. */
function patternOf(output: string): RegExp {
  const lines = output.split(/(?<=\n)/).map((line) => (/^\s*…\n$/.test(line) ? "(?:.*\\n)+" : partsOf(line)));
  return new RegExp(`^${lines.join("")}$`);
}

function partsOf(line: string): string {
  return line
    .split("…")
    .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&"))
    .join(".+");
}
