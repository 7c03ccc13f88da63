import { describe, expect, it } from "vitest";
import type { Statement } from "../../evidence/claim.ts";
import { claimPlaces } from "./locate-claim.ts";

/** What stands where the claim is said to be. */
function placeOf(text: string, where: string, about: Statement, start = 0): string {
  const span = claimPlaces(text, start, text.length)({ where, about });
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
      expect(places({ where: "checks.at", about: file(`src/${at}.ts`) }).start).toBeGreaterThan(at);
  });
});
