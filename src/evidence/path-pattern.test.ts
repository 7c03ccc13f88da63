import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isEverything, isPattern, limitedEffort, pathMatcher, patternOf } from "./path-pattern.ts";

describe("a pattern of paths", () => {
  it.each([
    ["tests/unit/*.test.js", "tests/unit/cart.test.js", true],
    ["tests/unit/*.test.js", "tests/unit/deep/cart.test.js", false],
    ["tests/**/*.test.js", "tests/cart.test.js", true],
    ["tests/**/*.test.js", "tests/a/b/cart.test.js", true],
    ["**/*.md", "README.md", true],
    ["src/**", "src/a/b.ts", true],
    ["src/?.ts", "src/a.ts", true],
    ["src/?.ts", "src/ab.ts", false],
    ["src/*.{ts,tsx}", "src/a.tsx", true],
    ["src/*.{ts,tsx}", "src/a.js", false],
    ["app/[id]/*.tsx", "app/[id]/page.tsx", true],
    ["app/[id]/*.tsx", "app/i/page.tsx", true],
    ["app/[id]/*.tsx", "app/id/page.tsx", false],
    ["src/[a-c]*.ts", "src/card.ts", true],
    ["src/[a-c]*.ts", "src/dark.ts", false],
    ["src/[!a-c]*.ts", "src/dark.ts", true],
    ["src/[^a-c]*.ts", "src/card.ts", false],
    ["src/page-[[:digit:]].ts", "src/page-7.ts", true],
    ["src/page-[[:digit:]].ts", "src/page-x.ts", false],
    ["src/[]-]x.ts", "src/]x.ts", true],
    ["src/[a-]x.ts", "src/-x.ts", true],
    ["src/[a.ts", "src/[a.ts", true],
    ["src/[a-c]/**", "src/b/deep/x.ts", true],
  ])("%s and %s: %s", (pattern, path, expected) => {
    expect(matches(pattern, path)).toBe(expected);
  });

  it("is told from a name by its stars, question marks and braces", () => {
    expect(["a*", "a?", "{a,b}", "**/x"].every(isPattern)).toBe(true);
    expect(["a", "[id].ts", "{a}", "a.b/c"].some(isPattern)).toBe(false);
  });

  it("is about what lies below, when it ends with a slash", () => {
    expect(patternOf({ path: "src/ca*", isFolder: true })).toBe("src/ca*/**");
    expect(patternOf({ path: "src/**", isFolder: true })).toBe("src/**");
    expect(patternOf({ path: "src/ca*", isFolder: false })).toBe("src/ca*");
    expect(patternOf({ path: "src", isFolder: true })).toBe("src");
  });

  it.each([
    "*",
    "**",
    ".",
    "**/*",
    "*/**",
    "*.*",
    "**/*.*",
    "?*",
    "**/?*",
    "**/{*,x}",
    "{x,**}/*",
    "*?*",
    "**/[!~]*",
    "[a-z]*",
    "**/*.{ts,*}",
  ])("%s says nothing", (pattern) => {
    expect(isEverything(pattern)).toBe(true);
  });

  it.each(["src/**", "*.ts", "**/*.md", "a", "[id]", "**/.env*", "{a,b}/**", "**/{a,b}*"])(
    "%s says something",
    (pattern) => {
      expect(isEverything(pattern)).toBe(false);
    },
  );

  it("matches whatever its stars are filled with", () => {
    const name = fc.stringMatching(/^[a-z.]{1,8}$/);
    fc.assert(
      fc.property(fc.array(name, { minLength: 1 }), name, (folders, file) => {
        const path = [...folders, file].join("/");
        expect(matches(`**/${file}`, path)).toBe(true);
        expect(matches(`${folders.map(() => "*").join("/")}/${file}`, path)).toBe(true);
        expect(matches(`${folders.join("/")}/*`, path)).toBe(true);
      }),
    );
  });

  it("gives up when the effort is spent", () => {
    const effort = limitedEffort(1);
    const fits = pathMatcher(`${"a*".repeat(1000)}${"a".repeat(1000)}b`, effort);
    expect(fits("a".repeat(4000))).toBe(false);
    for (let round = 0; round < 10_000 && effort.left > 0; round++) fits("a".repeat(4000));
    expect(effort.left).toBeLessThanOrEqual(0);
    expect(pathMatcher("*", effort)("a")).toBe(false);
  });
});

function matches(pattern: string, path: string): boolean {
  return pathMatcher(pattern, limitedEffort(1))(path);
}
