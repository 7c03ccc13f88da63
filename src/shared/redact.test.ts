import { describe, expect, it } from "vitest";
import { redactJson, redactor } from "./redact.ts";

const redact = redactor(["hunter2-hunter2", "short"]);

describe("secrets", () => {
  it.each([
    "sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789",
    "ghp_0123456789abcdefghijABCDEFGHIJ012345",
    "AKIAIOSFODNN7EXAMPLE",
    "xoxb-123456789012-abcdefghij",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N",
    "npm_abcdefghijklmnopqrstuvwxyz0123456789",
    "hunter2-hunter2",
  ])("of a known form or value are masked: %s", (secret) => {
    expect(redact(`before ${secret} after`)).toBe("before [redacted] after");
  });

  it("are masked behind their names and in addresses, which stay readable", () => {
    expect(redact('password: "correct-horse-battery"')).toBe('password: "[redacted]"');
    expect(redact("API_KEY=abcdef123456")).toBe("API_KEY=[redacted]");
    expect(redact("postgres://ada:s3cretpass@db/x")).toBe("postgres://ada:[redacted]@db/x");
    expect(redact("-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----")).toBe("[redacted]");
  });

  it("of a few letters are words of any text and stay", () => {
    expect(redact("a short text about tokens: none, a secret garden")).toBe(
      "a short text about tokens: none, a secret garden",
    );
  });

  it("are masked everywhere in a record, keys included", () => {
    expect(redactJson({ a: ["x hunter2-hunter2"], "hunter2-hunter2": { b: 1, c: null } }, redact)).toEqual({
      a: ["x [redacted]"],
      "[redacted]": { b: 1, c: null },
    });
  });

  it("are looked for in linear time", () => {
    for (const text of [
      "password: ".repeat(50_000),
      "eyJ".repeat(200_000),
      "://a:".repeat(100_000),
      "-----BEGIN PRIVATE KEY-----".repeat(20_000),
    ])
      expect(redact(text).length).toBeGreaterThan(0);
  });
});
