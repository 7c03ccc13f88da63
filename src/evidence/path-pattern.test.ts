import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isEverything, isPattern, pathMatcher } from "./path-pattern.ts";

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
    ["app/[id]/*.tsx", "app/i/page.tsx", false],
  ])("%s and %s: %s", (pattern, path, matches) => {
    expect(pathMatcher(pattern)(path)).toBe(matches);
  });

  it("is told from a name by its stars, question marks and braces", () => {
    expect(["a*", "a?", "{a,b}", "**/x"].every(isPattern)).toBe(true);
    expect(["a", "[id].ts", "{a}", "a.b/c"].some(isPattern)).toBe(false);
  });

  it.each(["*", "**", ".", "**/*", "*/**", "*.*", "**/*.*"])("%s says nothing", (pattern) => {
    expect(isEverything(pattern)).toBe(true);
  });

  it.each(["src/**", "*.ts", "**/*.md", "a"])("%s says something", (pattern) => {
    expect(isEverything(pattern)).toBe(false);
  });

  it("matches whatever its stars are filled with", () => {
    const name = fc.stringMatching(/^[a-z.]{1,8}$/);
    fc.assert(
      fc.property(fc.array(name, { minLength: 1 }), name, (folders, file) => {
        const path = [...folders, file].join("/");
        expect(pathMatcher(`**/${file}`)(path)).toBe(true);
        expect(pathMatcher(folders.map(() => "*").join("/") + `/${file}`)(path)).toBe(true);
        expect(pathMatcher(`${folders.join("/")}/*`)(path)).toBe(true);
      }),
    );
  });

  it("does not lose itself in many stars", () => {
    const matches = pathMatcher(`${"*a".repeat(500)}b/${"**/".repeat(500)}x`);
    expect(matches(`${"a".repeat(2000)}/${"y/".repeat(1000)}z`)).toBe(false);
  });
});
