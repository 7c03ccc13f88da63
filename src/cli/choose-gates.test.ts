import { describe, expect, it } from "vitest";
import { splitWords } from "./choose-gates.ts";

describe("a command without a shell", () => {
  it.each([
    ["npm test", ["npm", "test"]],
    ["  npm   run  lint ", ["npm", "run", "lint"]],
    ["node -e 'process.exit(1)'", ["node", "-e", "process.exit(1)"]],
    ['sh -c "a && b | c"', ["sh", "-c", "a && b | c"]],
    ['echo "say \\"hi\\" \\$x"', ["echo", 'say "hi" $x']],
    ["echo a\\ b ''", ["echo", "a b", ""]],
    ["a'b'\"c\"d", ["abcd"]],
    ["x --y=1,2 @z", ["x", "--y=1,2", "@z"]],
  ])("%s has the words of its author", (text, words) => {
    expect(splitWords(text)).toEqual({ words, problem: null });
  });

  it.each([
    "",
    "   ",
    "a | b",
    "a > b",
    "a; b",
    "a & b",
    "$(a)",
    "`a`",
    "a $B",
    'a "$B"',
    "a *",
    "'a",
    '"a',
    "a\\",
    "~/a",
  ])("%j is refused", (text) => {
    expect(splitWords(text).words).toBeNull();
  });
});
