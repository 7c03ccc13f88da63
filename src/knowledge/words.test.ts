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
    ["Tokens no longer expire", "Tokens don't expire any more"],
    ["The timeout is 30s", "The timeout is 30 s"],
    ["Caching is disabled", "Caching is not enabled"],
  ])("%s is the same as %s", (left, right) => {
    expect(statementOf(left)).toEqual(statementOf(right));
  });

  it.each([
    ["Always cache the tokens", "Never cache the tokens"],
    ["Retry on 429", "Do not retry on 429"],
    ["Use mocks", "Avoid mocks"],
    ["Tokens expire", "Tokens no longer expire"],
    ["Run it with a cache", "Run it without a cache"],
    ["Readers can write", "Readers cannot write"],
    ["Caching is enabled", "Caching is disabled"],
    ["The cart is kept after logout", "The cart is cleared after logout"],
    ["eval is safe here", "eval is unsafe here"],
  ])("%s is the opposite of %s", (left, right) => {
    expect(statementOf(left).core).toBe(statementOf(right).core);
    expect(statementOf(left).isNegative).not.toBe(statementOf(right).isNegative);
  });

  it.each([
    ["Retry when the load is over 80", "Retry when the load is under 80"],
    ["Tokens are checked in the gateway", "Tokens are checked out the gateway"],
    ["Copy from the cache to disk", "Copy to the cache from disk"],
    ["Clients may retry", "Clients must retry"],
    ["Clients should retry", "Clients must retry"],
    ["Wait 30 s", "Wait 30 ms"],
    ["Wait 30 s", "Wait 300 s"],
    ["The offset is 5", "The offset is -5"],
    ["Fail if size < limit", "Fail if size > limit"],
    ["Fail if size < limit", "Fail if size <= limit"],
    ["The fee is 5", "The fee is 5 %"],
    ["The fee is $5", "The fee is \u20ac5"],
    ["It costs 1.5", "It costs 15"],
    ["Take n + 1", "Take n - 1"],
    ["Only admins delete", "Admins delete"],
    ["Some tests are slow", "Every test is slow"],
    ["Lock before the read", "Lock after the read"],
    ["Tokens and sessions expire", "Tokens or sessions expire"],
    ["Retry not on 429 but on 503", "Retry on 429 but not on 503"],
    ["Never retry without a key", "Retry with a key"],
    ["Do not skip tests that are not slow", "Skip tests that are slow"],
    ["It is not disabled", "It is disabled"],
  ])("%s is neither the same as %s nor its opposite", (left, right) => {
    expect(statementOf(left).core).not.toBe(statementOf(right).core);
  });

  it("is the same with and without a sign between thousands", () => {
    expect(statementOf("At most 1,000 rows")).toEqual(statementOf("At most 1000 rows"));
  });

  it("is another one when only a very long word of it differs", () => {
    const long = "x".repeat(200);
    expect(statementOf(`Use ${long}a`).core).not.toBe(statementOf(`Use ${long}b`).core);
  });

  it("of small words only is known by them", () => {
    expect(statementOf("It is this").core).toBe("it is this");
  });
});
