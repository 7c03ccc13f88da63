import { describe, expect, it } from "vitest";
import type { Statement } from "../../evidence/claim.ts";
import { claimPlaces } from "./locate-claim.ts";

/** What stands where the claim is said to be. */
function placeOf(text: string, where: string, about: Statement, start = 0): string {
  const span = claimPlaces(text, start, text.length)({ where, says: "", about });
  return `${text.slice(0, span.start).split("\n").length}:${text.slice(span.start, span.end)}`;
}

const file = (path: string): Statement => ({ of: "file", path, change: "changed", lines: null });

describe("the place of a claim", () => {
  const json = '{\n  "note": "2 files at src/a.ts.bak",\n  "files": ["src/a.ts", "src/b.ts"],\n  "at": "2026-01-01"\n}';

  it("is where its value stands as a whole word", () => {
    expect(placeOf(json, "work.modified.0", file("src/a.ts"))).toBe("3:src/a.ts");
    expect(placeOf(json, "work.modified.2", file("src/b.ts"))).toBe("3:src/b.ts");
  });

  it("is behind its key, where the text has it", () => {
    expect(placeOf(json, "at", { of: "time", at: "2026-01-01" })).toBe("4:2026-01-01");
    const yaml = "a: 31\nmetrics:\n  tests_passed: 31\n  lint_passed: true\n";
    const stated = { passed: 31, failed: null, total: null, allPassed: null };
    expect(placeOf(yaml, "metrics.tests_passed", { of: "tests", stated })).toBe("3:31");
    expect(placeOf(yaml, "metrics.lint_passed", { of: "check", check: "lint", passed: true })).toBe("4:lint_passed");
    const xml = "<handoff>\n <coverage>93%</coverage>\n</handoff>";
    expect(placeOf(xml, "metrics.coverage", { of: "coverage", measure: null, percent: 93 })).toBe("2:93");
  });

  it("takes the lines along where they are written with the path", () => {
    const text = "- src/a.ts\n- src/a.ts:4-9\n";
    const about: Statement = { of: "source", path: "src/a.ts", lines: { first: 4, last: 9 } };
    expect(placeOf(text, "work.verified.0", about)).toBe("2:src/a.ts:4-9");
  });

  it("may hold spaces", () => {
    const text = '{\n "x": "npm run lint && npm test"\n}';
    const about: Statement = { of: "command", command: "npm run lint && npm test", expectsFailure: false };
    expect(placeOf(text, "checks.command", about)).toBe("2:npm run lint && npm test");
  });

  it("is the first line of the handoff where nothing is found, and never before it", () => {
    const text = "src/a.ts\n\n```\nhandoff:\n  x: 1\n";
    expect(placeOf(text, "work.created.0", file("src/a.ts"), 10)).toBe("3:```");
    expect(placeOf(text, "work", { of: "all-changes", change: "any", declared: [] }, 10)).toBe("3:```");
  });

  it("is found for 50,000 claims in a text of one line", () => {
    const text = JSON.stringify(Array.from({ length: 50_000 }, (_, at) => `src/${at}.ts`));
    const places = claimPlaces(text, 0, text.length);
    for (let at = 0; at < 50_000; at++)
      expect(places({ where: `work.modified.${at}`, says: "", about: file(`src/${at}.ts`) }).start).toBeGreaterThan(at);
  });

  it("is each place in turn where the same is said several times, and the same for two claims of the same words", () => {
    const text =
      "Touched src/a.ts here.\nfiles:\n  - src/a.ts\nartifacts:\n  - src/a.ts\nunit:\n passed: 3\ne2e:\n passed: 3\n";
    const places = claimPlaces(text, 0, text.length);
    const line = (where: string, about: Statement): number =>
      text.slice(0, places({ where, says: "", about }).start).split("\n").length;
    expect(line("work.modified.0", file("src/a.ts"))).toBe(3);
    expect(line("work.modified.0", file("src/a.ts"))).toBe(3);
    expect(line("work.artifacts.0", { of: "artifact", pattern: "src/a.ts" })).toBe(5);
    const stated = { passed: 3, failed: null, total: null, allPassed: null };
    expect(line("metrics.unit.passed", { of: "tests", stated })).toBe(7);
    const count: Statement = { of: "count", name: "tests", stated: 4, listed: 3, isWhole: true };
    expect(line("metrics.unit.passed", count)).toBe(7);
    expect(line("metrics.e2e.passed", { of: "tests", stated })).toBe(9);
  });

  it.each([
    ["brackets", "src/[id]/(a).ts", "x\n- src/[id]/(a).ts\n"],
    ["JSON", 'a "b" \\ c.ts', 'x\n"a \\"b\\" \\\\ c.ts"\n'],
    ["JSON in ASCII", "f\u00fcnf.ts", 'x\n"f\\u00fcnf.ts"\n'],
    ["YAML", "it's here.ts", "x\n- 'it''s here.ts'\n"],
    ["XML", "a & <b>.ts", "x\n<file>a &amp; &lt;b&gt;.ts</file>\n"],
  ])("is found by a path with signs as %s writes it", (_name, path, text) => {
    const { start } = claimPlaces(text, 0, text.length)({ where: "work.modified.0", says: "", about: file(path) });
    expect(text.slice(0, start).split("\n")).toHaveLength(2);
  });

  it("of a list that is complete is the list, of an item of a checklist the item", () => {
    const text = "handoff:\n  x: 1\n  files_modified:\n    - a.ts\n  checklist:\n    - Totals are rounded\n";
    expect(placeOf(text, "work", { of: "all-changes", change: "any", declared: ["a.ts"] })).toBe("3:files_modified");
    const item = { where: "checks.checklist.0", says: "Done: Totals are rounded", about: { of: "words" } } as const;
    expect(claimPlaces(text, 0, text.length)(item).start).toBe(text.indexOf("Totals"));
  });
});
