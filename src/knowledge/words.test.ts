import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { keywordsIn, statementOf, tagsOf, wordsIn } from "./words.ts";

describe("words", () => {
  it("are told apart as people read them", () => {
    expect(wordsIn("parseURL of src/auth/jwt.ts, don't!")).toEqual([
      "parse",
      "url",
      "of",
      "src",
      "auth",
      "jwt",
      "ts",
      "dont",
    ]);
    expect(keywordsIn("Always use the token and the token")).toEqual(["token"]);
    expect(tagsOf(undefined, "Login needs a fresh session")).toEqual(["auth", "login", "needs", "fresh", "session"]);
    expect(tagsOf(["Auth", "  "], "anything")).toEqual(["auth"]);
  });

  it("never make tags that are empty, too many or too long", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ maxLength: 80 })),
        fc.string({ maxLength: 500, unit: "binary" }),
        (given, text) => {
          const tags = tagsOf(given, text);
          expect(tags.length).toBeLessThanOrEqual(12);
          for (const tag of tags) expect(tag).toMatch(/^[\p{L}\p{N}-]{1,40}$/u);
        },
      ),
    );
  });
});

describe("a statement", () => {
  it.each([
    ["Use the session store", "Always use the session store."],
    ["Never log tokens", "Do not log tokens!"],
    ["tokens: don't log", "never tokens log"],
  ])("%s is the same as %s", (left, right) => {
    expect(statementOf(left)).toEqual(statementOf(right));
  });

  it.each([
    ["Always cache the tokens", "Never cache the tokens"],
    ["Retry on 429", "Do not retry on 429"],
    ["Use mocks", "Avoid mocks"],
  ])("%s is the opposite of %s", (left, right) => {
    expect(statementOf(left).core).toBe(statementOf(right).core);
    expect(statementOf(left).isNegative).not.toBe(statementOf(right).isNegative);
  });

  it("is another one when only a very long word of it differs", () => {
    const long = "x".repeat(200);
    expect(statementOf(`Use ${long}a`).core).not.toBe(statementOf(`Use ${long}b`).core);
  });

  it("of small words only is known by them", () => {
    expect(statementOf("It is what it is").core).toBe("it is what it is");
  });
});
